// The calls of the HTTP API, each with its types and with errors that say what went wrong. Keeps nothing;
// shows nothing.
import type { ArenaCard, ArenaGamePage, ArenaView, LiveGame, Told, Version } from './arena';
import type { ContestCard, ContestEntry, ContestTold, EntrantStatus, Own, OwnGames } from './contest';
import type {
  AnalysedPly,
  BoutPage,
  EngineSeat,
  Engines,
  FileGame,
  Game,
  Info,
  NewRoom,
  Opened,
  Operator,
  Position,
  Problem,
  QuickOpened,
  Receipt,
  RoomCard,
  Snapshot,
  Solved,
  Uploaded,
} from './types';

export const API = '/api/v1';

/** An answer that is no success, or none at all (`status` 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    /** The last part of the problem's type, such as `not-found`; `network` where nobody answered. */
    readonly kind: string,
    detail: string,
    readonly place: string | null = null,
  ) {
    super(detail);
    this.name = 'ApiError';
  }
}

/** Makes an error of an answer's body, whatever it holds. */
export function problemOf(status: number, text: string): ApiError {
  try {
    const problem = JSON.parse(text) as Partial<Problem>;
    if (typeof problem === 'object' && problem !== null) {
      const kind = typeof problem.type === 'string' ? (problem.type.split('/').pop() ?? '') : '';
      const detail = problem.detail ?? problem.title ?? `status ${status}`;
      return new ApiError(status, kind === '' ? 'internal' : kind, String(detail), problem.place ?? null);
    }
  } catch {
    // Not JSON: a proxy's page, perhaps. The status is all there is to say.
  }
  return new ApiError(status, 'internal', `the server answered with status ${status}`);
}

/** What a thrown value says to people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type Send = typeof fetch;

async function ask(send: Send, path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await send(API + path, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') {
      throw error;
    }
    throw new ApiError(0, 'network', 'the server does not answer');
  }
  if (!response.ok) {
    throw problemOf(response.status, await response.text().catch(() => ''));
  }
  return response;
}

function json(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

type Asked = string | number | null | undefined;

/** A query of what is not empty; a list gives its name once for each of its values. */
function query(values: Record<string, Asked | Asked[]>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== '') {
        query.append(key, String(one));
      }
    }
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** The calls, over any `fetch`. */
export function client(send: Send = (...args) => fetch(...args)) {
  const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
    (await ask(send, path, signal ? { signal } : {})).json() as Promise<T>;
  const post = async <T>(path: string, body: unknown, headers?: Record<string, string>, signal?: AbortSignal): Promise<T> =>
    (await ask(send, path, { ...json(body, headers), ...(signal ? { signal } : {}) })).json() as Promise<T>;
  const id = encodeURIComponent;
  /** What is told only if it is another state than the one of `since`; null: none came while the server waited. */
  const newer = async <B extends { version: Version }, T>(path: string, value: (body: B) => T, signal: AbortSignal): Promise<Told<T> | null> => {
    const response = await ask(send, path, { signal });
    if (response.status === 204) {
      return null;
    }
    const body = (await response.json()) as B;
    return { version: body.version, value: value(body) };
  };
  /** The token of a contest goes with the request, never with its address. */
  const as = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const own = async <T>(token: string, contest: string, rest: string): Promise<T> =>
    (await ask(send, `/contests/${id(contest)}/${rest}`, { headers: as(token) })).json() as Promise<T>;
  const bearing = (ticket: string | null): Record<string, string> => (ticket === null ? {} : { 'x-ticket': ticket });
  return {
    info: () => get<Info>('/info'),
    games: () => get<Game[]>('/games'),
    engines: () => get<Engines>('/engines'),
    login: async (token: string) => {
      await ask(send, '/login', json({ token }));
    },
    uploadEngine: async (name: string, bytes: Blob): Promise<Uploaded> =>
      (await ask(send, `/engines${query({ name })}`, { method: 'POST', body: bytes })).json() as Promise<Uploaded>,
    removeEngine: async (engine: string) => {
      await ask(send, `/engines/${id(engine)}`, { method: 'DELETE' });
    },
    trustEngine: async (engine: string) => {
      await ask(send, `/engines/${id(engine)}/trust`, { method: 'POST' });
    },
    receipts: async (engine: string): Promise<Receipt[]> =>
      (await get<{ receipts: Receipt[] }>(`/engines/${id(engine)}/receipts`)).receipts,
    /** A ticket is enough where nobody signed in; so with files of rooms, and the solver. */
    rules: (
      body: { game: string; variant?: string; position?: string; moves?: string[] },
      ticket: string | null = null,
    ) => post<Position>('/rules', body, bearing(ticket)),
    rooms: () => get<RoomCard[]>('/rooms'),
    openRoom: (room: NewRoom) => post<Opened>('/rooms', room),
    quick: (body: { game: string; variant: string; budget: string; name: string }) => post<QuickOpened>('/quick', body),
    room: (room: string) => get<Snapshot>(`/rooms/${id(room)}`),
    record: async (room: string, ticket: string | null = null): Promise<Blob> =>
      (await ask(send, `/rooms/${id(room)}/record`, { headers: bearing(ticket) })).blob(),
    exported: async (room: string, format: string, ticket: string | null = null): Promise<Blob> =>
      (await ask(send, `/rooms/${id(room)}/export/${id(format)}`, { headers: bearing(ticket) })).blob(),
    rematch: (room: string, ticket: string) => post<Opened>(`/rooms/${id(room)}/rematch`, {}, bearing(ticket)),
    readFile: async (name: string, bytes: Blob, game?: string): Promise<FileGame[]> => {
      const response = await ask(send, `/files${query({ name, game })}`, { method: 'POST', body: bytes });
      return ((await response.json()) as { games: FileGame[] }).games;
    },
    bouts: (search: Record<string, Asked>, signal?: AbortSignal) =>
      get<BoutPage>(`/bouts${query(search)}`, signal),
    bout: (bout: string) => get<unknown>(`/bouts/${id(bout)}`),
    solve: (
      body: { game: string; variant: string; start?: string; moves: string[] },
      ticket: string | null,
      signal: AbortSignal,
    ) => post<Solved>('/solve', body, bearing(ticket), signal),
    operator: () => get<Operator>('/operator'),
    arenas: () => get<ArenaCard[]>('/arenas'),
    arena: (arena: string, filter: Record<string, Asked | Asked[]>, since: Version | null, signal: AbortSignal) =>
      newer(`/arenas/${id(arena)}${query({ since, ...filter })}`, (body: { version: Version; view: ArenaView }) => body.view, signal),
    arenaLive: (arena: string, since: Version | null, signal: AbortSignal) =>
      newer(`/arenas/${id(arena)}/live${query({ since })}`, (body: { version: Version; games: LiveGame[] }) => body.games, signal),
    arenaGames: (arena: string, search: Record<string, Asked>, signal?: AbortSignal) =>
      get<ArenaGamePage>(`/arenas/${id(arena)}/games${query(search)}`, signal),
    arenaGame: (arena: string, game: string) => get<unknown>(`/arenas/${id(arena)}/games/${id(game)}`),
    stopArena: async (arena: string) => {
      await ask(send, `/arenas/${id(arena)}/stop`, { method: 'POST' });
    },
    contests: () => get<ContestCard[]>('/contests'),
    contest: (contest: string) => get<ContestTold>(`/contests/${id(contest)}`),
    contestOwn: (token: string, contest: string) => own<Own>(token, contest, 'own'),
    contestEntry: (token: string, contest: string, entry: number) => own<ContestEntry>(token, contest, `entries/${entry}`),
    contestGames: (token: string, contest: string, before: string | null, limit: number) =>
      own<OwnGames>(token, contest, `games${query({ before, limit })}`),
    contestGame: (token: string, contest: string, arena: string, game: string) =>
      own<unknown>(token, contest, `games/${id(arena)}/${id(game)}`),
    contestTrial: (token: string, contest: string, trial: number) => own<unknown>(token, contest, `trials/${trial}`),
    submitEntry: async (token: string, contest: string, entry: Blob): Promise<number> => {
      const response = await ask(send, `/contests/${id(contest)}/entries`, { method: 'POST', body: entry, headers: as(token) });
      return ((await response.json()) as { number: number }).number;
    },
    askTrial: async (token: string, contest: string, wish: { entry: number; house: string; side: 0 | 1 }): Promise<number> =>
      (await post<{ number: number }>(`/contests/${id(contest)}/trials`, wish, as(token))).number,
    retryEntry: async (token: string, contest: string, entry: number) => {
      await ask(send, `/contests/${id(contest)}/entries/${entry}/retry`, { method: 'POST', headers: as(token) });
    },
    letIn: (token: string, contest: string, name: string) =>
      post<{ name: string; token: string }>(`/contests/${id(contest)}/entrants`, { name }, as(token)),
    setCloses: async (token: string, contest: string, at: string | null) => {
      await ask(send, `/contests/${id(contest)}/closes`, json({ at }, as(token)));
    },
    setEntrant: async (token: string, contest: string, name: string, verdict: { status: EntrantStatus; reason: string }) => {
      await ask(send, `/contests/${id(contest)}/entrants/${id(name)}`, json(verdict, as(token)));
    },
    analyse: async (
      body: { game: string; variant: string; start?: string; moves: string[]; engine: EngineSeat; budget: string },
      each: (line: AnalysedPly) => void,
      signal: AbortSignal,
    ): Promise<void> => {
      const response = await ask(send, '/analyse', { ...json(body), signal });
      if (response.body === null) {
        return;
      }
      await eachLine(response.body, (line) => each(JSON.parse(line) as AnalysedPly));
    },
  };
}

/** Calls `each` with every line of a stream that is not blank, as soon as it is whole. */
export async function eachLine(stream: ReadableStream<Uint8Array>, each: (line: string) => void): Promise<void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    const lines = rest.split('\n');
    rest = done ? '' : (lines.pop() ?? '');
    for (const line of lines) {
      if (line.trim() !== '') {
        each(line);
      }
    }
    if (done) {
      return;
    }
  }
}

/** Where a file about an arena is had from. */
export function arenaFile(arena: string, file: string): string {
  return `${API}/arenas/${encodeURIComponent(arena)}/${file}`;
}

export const api = client();
