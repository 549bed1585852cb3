// The calls of the HTTP API, with typed results and errors. Keeps no state and shows nothing.
import { problemText } from '../text/i18n.svelte';
import type { ServerMessage } from '../text/messages';
import type {
  ArenaGamePage,
  ArenaRuns,
  ArenaSummary,
  ArenaView,
  LiveGame,
  NewArena,
  Version,
  Versioned,
} from './arena';
import type {
  ContestEntry,
  ContestSummary,
  ContestView,
  EntrantStatus,
  Invitation,
  OwnGames,
  OwnLiveGames,
  TokenView,
} from './contest';
import type {
  AnalysedPosition,
  BoutPage,
  BoutUsage,
  EngineFileList,
  EngineRating,
  Engines,
  EngineSeat,
  FileGame,
  Game,
  NewRoom,
  OpenedRoom,
  OperatorStatus,
  Position,
  PositionRequest,
  Problem,
  QuickGameSeat,
  RoomBoard,
  RoomSummary,
  ServerInfo,
  Snapshot,
  SolvedPosition,
  UploadResult,
} from './types';

export const API = '/api/v1';

/** An error response, or no response at all (`status` 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    /** The last segment of the problem's type, such as `not-found`; `network` if the server did not answer. */
    readonly kind: string,
    detail: string,
    readonly location: string | null = null,
    readonly serverMessage: ServerMessage | null = null,
  ) {
    super(detail);
    this.name = 'ApiError';
  }
}

/** Makes an error from the body of an error response, whatever the body is. */
export function parseProblem(status: number, body: string): ApiError {
  try {
    const problem = JSON.parse(body) as Partial<Problem>;
    if (typeof problem === 'object' && problem !== null) {
      const kind = typeof problem.type === 'string' ? (problem.type.split('/').pop() ?? '') : '';
      const detail = problem.detail ?? problem.title ?? `status ${status}`;
      return new ApiError(
        status,
        kind === '' ? 'internal' : kind,
        String(detail),
        problem.location ?? null,
        problem.message ?? null,
      );
    }
  } catch {
    // Not JSON, perhaps a proxy's page: only the status is known.
  }
  return new ApiError(status, 'status', `the server answered with status ${status}`);
}

/** The message of a thrown value, for users. `game` is the game whose rules may have refused something. */
export function errorMessage(error: unknown, game?: string): string {
  return error instanceof ApiError
    ? problemText(error.kind, error.message, error.serverMessage, game)
    : error instanceof Error
      ? error.message
      : String(error);
}

type Fetch = typeof fetch;

async function request(fetch: Fetch, path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(API + path, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') {
      throw error;
    }
    throw new ApiError(0, 'network', 'the server does not answer');
  }
  if (!response.ok) {
    throw parseProblem(response.status, await response.text().catch(() => ''));
  }
  return response;
}

function jsonRequest(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

type QueryValue = string | number | null | undefined;

/** The query string of all non-empty values; a list repeats its name for each value. */
function queryString(values: Record<string, QueryValue | QueryValue[]>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null && item !== undefined && item !== '') {
        query.append(name, String(item));
      }
    }
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** The API calls, over any implementation of `fetch`. */
export function createClient(fetch: Fetch = (...args) => globalThis.fetch(...args)) {
  const encode = encodeURIComponent;
  const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
    (await request(fetch, path, signal ? { signal } : {})).json() as Promise<T>;
  const post = async <T>(
    path: string,
    body: unknown,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<T> =>
    (await request(fetch, path, { ...jsonRequest(body, headers), ...(signal ? { signal } : {}) })).json() as Promise<T>;
  /** Waits for a state newer than `since` in the path; null: there was none while the server waited. */
  const getNewer = async <B extends { version: Version }, T>(
    path: string,
    valueOf: (body: B) => T,
    signal: AbortSignal,
    headers: Record<string, string> = {},
  ): Promise<Versioned<T> | null> => {
    const response = await request(fetch, path, { signal, headers });
    if (response.status === 204) {
      return null;
    }
    const body = (await response.json()) as B;
    return { version: body.version, value: valueOf(body) };
  };
  /** A contest token is sent as a header, never in the address. */
  const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const getFromContest = async <T>(token: string, contest: string, rest: string): Promise<T> =>
    (await request(fetch, `/contests/${encode(contest)}/${rest}`, { headers: bearer(token) })).json() as Promise<T>;
  const getBlob = async (path: string, headers: Record<string, string> = {}): Promise<Blob> =>
    (await request(fetch, path, { headers })).blob();
  const ticketHeader = (ticket: string | null): Record<string, string> =>
    ticket === null ? {} : { 'x-ticket': ticket };
  return {
    info: () => get<ServerInfo>('/info'),
    games: () => get<Game[]>('/games'),
    engines: () => get<Engines>('/engines'),
    login: async (token: string) => {
      await request(fetch, '/login', jsonRequest({ token }));
    },
    uploadEngine: async (name: string, bytes: Blob): Promise<UploadResult> =>
      (
        await request(fetch, `/engines${queryString({ name })}`, { method: 'POST', body: bytes })
      ).json() as Promise<UploadResult>,
    removeEngineFile: async (file: string) => {
      await request(fetch, `/engines/files/${encode(file)}`, { method: 'DELETE' });
    },
    trustEngine: async (engine: string) => {
      await request(fetch, `/engines/${encode(engine)}/trust`, { method: 'POST' });
    },
    engineUsage: async (engine: string): Promise<BoutUsage[]> =>
      (await get<{ usage: BoutUsage[] }>(`/engines/${encode(engine)}/usage`)).usage,
    engineRatings: async (engine: string): Promise<EngineRating[]> =>
      (await get<{ ratings: EngineRating[] }>(`/engines/${encode(engine)}/ratings`)).ratings,
    /** Without a login a room ticket suffices, here, for a room's files and for the solver. */
    position: (body: PositionRequest, ticket: string | null = null) =>
      post<Position>('/position', body, ticketHeader(ticket)),
    rooms: () => get<RoomSummary[]>('/rooms'),
    openRoom: (room: NewRoom) => post<OpenedRoom>('/rooms', room),
    joinQuickGame: (body: { game: string; variant: string; budget: string; name: string }) =>
      post<QuickGameSeat>('/quick-games', body),
    room: async (room: string, ticket: string | null = null): Promise<Snapshot> =>
      (await request(fetch, `/rooms/${encode(room)}`, { headers: ticketHeader(ticket) })).json() as Promise<Snapshot>,
    /** The room's current board, as spectators see it. */
    roomBoard: (room: string) => get<RoomBoard>(`/rooms/${encode(room)}/board`),
    record: (room: string, ticket: string | null = null): Promise<Blob> =>
      getBlob(`/rooms/${encode(room)}/record`, ticketHeader(ticket)),
    exportGame: (room: string, format: string, ticket: string | null = null): Promise<Blob> =>
      getBlob(`/rooms/${encode(room)}/export/${encode(format)}`, ticketHeader(ticket)),
    rematch: (room: string, ticket: string) =>
      post<OpenedRoom>(`/rooms/${encode(room)}/rematch`, {}, ticketHeader(ticket)),
    readGameFile: async (name: string, bytes: Blob, game?: string): Promise<FileGame[]> => {
      const path = `/files${queryString({ name, game })}`;
      const response = await request(fetch, path, { method: 'POST', body: bytes });
      return ((await response.json()) as { games: FileGame[] }).games;
    },
    /** Converts a game of a file, counted from 0, to another format of its game. */
    convertGameFile: async (file: File, game: string, number: number, format: string): Promise<Blob> => {
      const path = `/files/export/${encode(format)}${queryString({ name: file.name, game, number })}`;
      return (await request(fetch, path, { method: 'POST', body: file })).blob();
    },
    bouts: (search: Record<string, QueryValue>, signal?: AbortSignal) =>
      get<BoutPage>(`/bouts${queryString(search)}`, signal),
    bout: (bout: string) => get<unknown>(`/bouts/${encode(bout)}`),
    exportBout: (bout: string, format: string) => getBlob(`/bouts/${encode(bout)}/export/${encode(format)}`),
    solve: (
      body: { game: string; variant: string; start?: string; moves: string[] },
      ticket: string | null,
      signal: AbortSignal,
    ) => post<SolvedPosition>('/solve', body, ticketHeader(ticket), signal),
    operatorStatus: () => get<OperatorStatus>('/operator'),
    arenas: () => get<ArenaSummary[]>('/arenas'),
    arena: (
      arena: string,
      filter: Record<string, QueryValue | QueryValue[]>,
      since: Version | null,
      signal: AbortSignal,
    ) =>
      getNewer(
        `/arenas/${encode(arena)}${queryString({ since, ...filter })}`,
        (body: { version: Version; view: ArenaView }) => body.view,
        signal,
      ),
    liveGames: (arena: string, since: Version | null, signal: AbortSignal) =>
      getNewer(
        `/arenas/${encode(arena)}/live${queryString({ since })}`,
        (body: { version: Version; games: LiveGame[] }) => body.games,
        signal,
      ),
    arenaGames: (arena: string, search: Record<string, QueryValue>, signal?: AbortSignal) =>
      get<ArenaGamePage>(`/arenas/${encode(arena)}/games${queryString(search)}`, signal),
    arenaGame: (arena: string, game: string) => get<unknown>(`/arenas/${encode(arena)}/games/${encode(game)}`),
    exportArenaGame: (arena: string, game: string, format: string) =>
      getBlob(`/arenas/${encode(arena)}/games/${encode(game)}/export/${encode(format)}`),
    stopArena: async (arena: string) => {
      await request(fetch, `/arenas/${encode(arena)}/stop`, { method: 'POST' });
    },
    /** Creates an arena and starts it. Returns its id. */
    createArena: async (arena: NewArena): Promise<string> => (await post<{ id: string }>('/arenas', arena)).id,
    resumeArena: async (arena: string) => {
      await request(fetch, `/arenas/${encode(arena)}/resume`, jsonRequest({}));
    },
    arenaRuns: () => get<ArenaRuns>('/arena-runs'),
    contests: () => get<ContestSummary[]>('/contests'),
    contest: (contest: string) => get<ContestView>(`/contests/${encode(contest)}`),
    /** What the bearer of a token may see. */
    contestTokenView: (token: string, contest: string) => getFromContest<TokenView>(token, contest, 'account'),
    contestEntry: (token: string, contest: string, entry: number) =>
      getFromContest<ContestEntry>(token, contest, `entries/${entry}`),
    /** The games of an arena of the contest; null: of the deciding one. */
    contestGames: (token: string, contest: string, arena: string | null, before: string | null, limit: number) =>
      getFromContest<OwnGames>(token, contest, `games${queryString({ arena, before, limit })}`),
    contestLiveGames: (token: string, contest: string, arena: string, since: Version | null, signal: AbortSignal) =>
      getNewer(
        `/contests/${encode(contest)}/live/${encode(arena)}${queryString({ since })}`,
        (body: OwnLiveGames & { version: Version }): OwnLiveGames => body,
        signal,
        bearer(token),
      ),
    contestPosition: (token: string, contest: string, body: PositionRequest) =>
      post<Position>(`/contests/${encode(contest)}/position`, body, bearer(token)),
    contestGame: (token: string, contest: string, arena: string, game: string) =>
      getFromContest<unknown>(token, contest, `games/${encode(arena)}/${encode(game)}`),
    contestTrial: (token: string, contest: string, trial: string) =>
      getFromContest<unknown>(token, contest, `trials/${encode(trial)}`),
    exportContestGame: (token: string, contest: string, arena: string, game: string, format: string) =>
      getBlob(
        `/contests/${encode(contest)}/games/${encode(arena)}/${encode(game)}/export/${encode(format)}`,
        bearer(token),
      ),
    exportContestTrial: (token: string, contest: string, trial: string, format: string) =>
      getBlob(`/contests/${encode(contest)}/trials/${encode(trial)}/export/${encode(format)}`, bearer(token)),
    submitEntry: async (token: string, contest: string, entry: Blob): Promise<number> => {
      const response = await request(fetch, `/contests/${encode(contest)}/entries`, {
        method: 'POST',
        body: entry,
        headers: bearer(token),
      });
      return ((await response.json()) as { number: number }).number;
    },
    requestTrial: async (
      token: string,
      contest: string,
      trial: { entry: number; house: string; side: 0 | 1 },
    ): Promise<number> => {
      const path = `/contests/${encode(contest)}/trials`;
      return (await post<{ number: number }>(path, trial, bearer(token))).number;
    },
    retestEntry: async (token: string, contest: string, entry: number) => {
      const path = `/contests/${encode(contest)}/entries/${entry}/retest`;
      await request(fetch, path, { method: 'POST', headers: bearer(token) });
    },
    /** Adds an entrant; with `new_token`, replaces the token of an existing one. */
    addEntrant: (token: string, contest: string, entrant: { name: string; new_token: boolean }) =>
      post<{ name: string; token: string }>(`/contests/${encode(contest)}/entrants`, entrant, bearer(token)),
    /** Makes an invitation, and returns its secret, which is shown only once. */
    invite: async (
      token: string,
      contest: string,
      invitation: { places: number; ends_at: string },
    ): Promise<string> => {
      const path = `/contests/${encode(contest)}/invitations`;
      return (await post<{ invitation: string }>(path, invitation, bearer(token))).invitation;
    },
    revokeInvitation: async (token: string, contest: string, invitation: number) => {
      const path = `/contests/${encode(contest)}/invitations/${invitation}/revoke`;
      await request(fetch, path, { method: 'POST', headers: bearer(token) });
    },
    /** The invitation with this secret; an error says why it admits no entrant. */
    invitation: (secret: string, contest: string) => getFromContest<Invitation>(secret, contest, 'invitation'),
    /** Registers an entrant, and returns the entrant's token, which is shown only once. */
    register: async (secret: string, contest: string, name: string): Promise<string> => {
      const path = `/contests/${encode(contest)}/registrations`;
      return (await post<{ token: string }>(path, { name }, bearer(secret))).token;
    },
    /** Sets when the contest stops accepting entries; null: now. */
    setClosingTime: async (token: string, contest: string, at: string | null) => {
      await request(fetch, `/contests/${encode(contest)}/closing-time`, jsonRequest({ closes_at: at }, bearer(token)));
    },
    setEntrantStatus: async (
      token: string,
      contest: string,
      name: string,
      change: { status: EntrantStatus; reason: string },
    ) => {
      const path = `/contests/${encode(contest)}/entrants/${encode(name)}`;
      await request(fetch, path, jsonRequest(change, bearer(token)));
    },
    /** The files with which a browser runs a sandboxed engine. */
    engineFiles: (engine: string, game: string): Promise<EngineFileList> =>
      get<EngineFileList>(`/engines/${encode(engine)}/files?game=${encode(game)}`),
    analyse: async (
      body: {
        game: string;
        variant: string;
        start?: string;
        moves: string[];
        first: number;
        engine: EngineSeat;
        budget: string;
        lines?: number;
        updates?: boolean;
        threat?: boolean;
      },
      onPosition: (position: AnalysedPosition) => void,
      signal: AbortSignal,
    ): Promise<void> => {
      const response = await request(fetch, '/analyse', { ...jsonRequest(body), signal });
      if (response.body === null) {
        return;
      }
      await forEachLine(response.body, (line) => onPosition(JSON.parse(line) as AnalysedPosition));
    },
  };
}

/** Calls `onLine` with every non-blank line of a stream, as soon as the line is complete. */
export async function forEachLine(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
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
        onLine(line);
      }
    }
    if (done) {
      return;
    }
  }
}

/** The address of a file about an arena, such as its report. */
export function arenaFileUrl(arena: string, file: string): string {
  return `${API}/arenas/${encodeURIComponent(arena)}/${file}`;
}

export const api = createClient();
