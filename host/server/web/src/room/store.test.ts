// A room store over scripted sockets: which tickets connect, which connection sends a command, and recovery from a gap.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadTickets, storeTickets } from '../lib/tickets';
import { player, position, snapshot } from '../api/fixtures';
import type { Game, Player } from '../api/types';
import { server } from '../lib/server.svelte';
import { RoomStore } from './store.svelte';

class FakeSocket {
  static instances: FakeSocket[] = [];
  sent: Record<string, unknown>[] = [];
  closed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  constructor(readonly url: string) {
    FakeSocket.instances.push(this);
  }
  send(text: string) {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close() {
    this.closed = true;
  }
  /** Delivers a message of the server. */
  deliver(message: object) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

let currentStore: RoomStore | null = null;

beforeEach(() => {
  FakeSocket.instances = [];
  localStorage.clear();
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('fetch', async () => Response.json(position(0)));
});
afterEach(() => {
  currentStore?.close();
  server.games = [];
  vi.unstubAllGlobals();
});

/** A store whose sockets are open and have received a snapshot. */
function openStore(tickets: [string, number | null][], fragment = '', more = {}): RoomStore {
  storeTickets(
    localStorage,
    'r',
    tickets.map(([ticket, number]) => ({ ticket, player: number, forInvite: false })),
  );
  currentStore = new RoomStore('r', fragment);
  for (const socket of FakeSocket.instances) {
    socket.onopen?.();
    const ticket = socket.sent[0]!['ticket'];
    const you = tickets.find(([other]) => other === ticket)?.[1] ?? null;
    socket.deliver({
      type: 'snapshot',
      ...snapshot({
        own_player: you,
        permissions: { undo: true, draw: true, host: you === 0, pause: you === 0, close: you === 0, hint: false },
        ...more,
      }),
    });
  }
  return currentStore;
}

test('a spectator has one socket, no ticket and no player', () => {
  const store = openStore([]);
  expect(FakeSocket.instances.map((socket) => socket.sent[0]!['ticket'])).toEqual([null]);
  expect([[...store.ownPlayers], store.isHost, store.room?.snapshot.room]).toEqual([[], false, 'r']);
});

test('a ticket in the address is stored, with its player once known', async () => {
  const store = new RoomStore('r', '#secret');
  currentStore = store;
  await vi.waitUntil(() => FakeSocket.instances.length > 0);
  FakeSocket.instances[0]!.onopen?.();
  FakeSocket.instances[0]!.deliver({ type: 'snapshot', ...snapshot({ own_player: 1 }) });
  expect(loadTickets(localStorage, 'r')).toEqual([{ ticket: 'secret', player: 1, forInvite: false }]);
  expect([...store.ownPlayers]).toEqual([1]);
});

test.each<[string, Partial<Player>, boolean]>([
  ['a person who chooses a name and has not joined', { state: 'open', chooses_name: true }, true],
  ['a person who has a name', { state: 'open' }, false],
  ['a person who has joined', { state: 'absent', chooses_name: true }, false],
])('a new ticket of %s', async (_, invited, isAsked) => {
  const room = snapshot({ own_player: 1, players: [player(0), player(1, invited)] });
  vi.stubGlobal('fetch', async () => Response.json(room));
  const store = new RoomStore('r', '#secret');
  currentStore = store;
  await vi.waitUntil(() => store.invitation !== null || FakeSocket.instances.length > 0);
  expect([store.invitation !== null, FakeSocket.instances.length]).toEqual([isAsked, isAsked ? 0 : 1]);
  if (isAsked) {
    store.join('Cy');
  }
  FakeSocket.instances[0]!.onopen?.();
  const hello = FakeSocket.instances[0]!.sent[0]!;
  expect([store.invitation, hello['ticket'], hello['name']]).toEqual([null, 'secret', isAsked ? 'Cy' : undefined]);
});

test('an invite ticket is not used to connect', () => {
  storeTickets(localStorage, 'r', [{ ticket: 'theirs', player: 1, forInvite: true }]);
  const store = openStore([['mine', 0]]);
  expect(FakeSocket.instances.map((socket) => socket.sent[0]!['ticket'])).toEqual(['mine']);
  expect(store.inviteTickets.map(({ ticket }) => ticket)).toEqual(['theirs']);
});

test('two persons at one browser: each moves with their own ticket; the host’s ticket controls the room', () => {
  const store = openStore([
    ['one', 1],
    ['nil', 0],
  ]);
  void store.playMove('h8');
  void store.send({ type: 'resign' }, 1);
  void store.send({ type: 'pause' });
  const sent = FakeSocket.instances.map((socket) => socket.sent.slice(1).map((message) => message['type']));
  expect([sent, store.isHost]).toEqual([[['resign'], ['move', 'pause']], true]);
  expect(FakeSocket.instances[1]!.sent[1]).toMatchObject({ move: 'h8', ply: 0 });
});

test('an event after a gap is ignored, and a new snapshot requested', () => {
  const store = openStore([['mine', 0]]);
  FakeSocket.instances[0]!.deliver({ type: 'paused', seq: 12, players: [] });
  expect([store.room?.snapshot.state, FakeSocket.instances[0]!.closed]).toEqual(['playing', true]);
});

test('an event is applied once', () => {
  const store = openStore([['mine', 0]]);
  FakeSocket.instances[0]!.deliver({ type: 'paused', seq: 11, players: [] });
  FakeSocket.instances[0]!.deliver({ type: 'resumed', seq: 11, players: [] });
  expect(store.room?.snapshot.state).toBe('paused');
});

test('a command error is shown until the next command', async () => {
  const store = openStore([['mine', 0]]);
  const done = store.send({ type: 'undo' });
  FakeSocket.instances[0]!.deliver({
    type: 'error',
    id: FakeSocket.instances[0]!.sent[1]!['id'],
    kind: 'forbidden',
    detail: 'not now',
  });
  await done;
  expect(store.commandError).toBe('not now');
  void store.send({ type: 'resign' });
  expect(store.commandError).toBeNull();
});

test.each([
  ['not-found', false],
  ['gone', true],
])('an unavailable room (%s) shows an error and does not reconnect', (kind, isArchived) => {
  const store = new RoomStore('r', '');
  currentStore = store;
  FakeSocket.instances[0]!.onopen?.();
  FakeSocket.instances[0]!.deliver({ type: 'error', id: '', kind, detail: 'no room `r`' });
  expect([store.loadError, store.isArchived, FakeSocket.instances[0]!.closed, store.connection]).toEqual([
    'no room `r`',
    isArchived,
    true,
    'closed',
  ]);
});

test.each([
  [404, 'not-found', false, 'there is no such room'],
  [410, 'gone', true, 'the bout is over'],
  [403, 'forbidden', false, 'this is not a ticket of the room'],
])('a socket that cannot be opened (%i) shows why', async (status, kind, isArchived, detail) => {
  const body = JSON.stringify({ type: `/problems/${kind}`, title: kind, status, detail });
  vi.stubGlobal('fetch', async () => new Response(body, { status }));
  currentStore = new RoomStore('r', '#secret');
  await vi.waitUntil(() => FakeSocket.instances.length > 0);
  FakeSocket.instances[0]!.onclose?.();
  await vi.waitFor(() => expect(currentStore?.loadError).toBe(detail));
  expect([currentStore.isArchived, currentStore.connection]).toEqual([isArchived, 'closed']);
});

test('a server that does not answer is no missing room', async () => {
  let requests = 0;
  vi.stubGlobal('fetch', async () => {
    requests += 1;
    throw new TypeError('failed to fetch');
  });
  const store = new RoomStore('r', '');
  currentStore = store;
  FakeSocket.instances[0]!.onclose?.();
  await vi.waitFor(() => expect(requests).toBe(1));
  expect([store.loadError, store.connection]).toEqual([null, 'lost']);
});

test('a forced pass is sent once, with the ticket of its player', () => {
  vi.useFakeTimers();
  try {
    const players = [player(0), player(1)];
    openStore([['mine', 0]], '', { players, position: position(0, ['pass']) });
    vi.advanceTimersByTime(5000);
    const sent = FakeSocket.instances[0]!.sent.filter((message) => message['type'] === 'move');
    expect(sent).toMatchObject([{ move: 'pass', ply: 0 }]);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['pass of the opponent', 1, ['pass']],
  ['pass and another legal move', 0, ['pass', 'h8']],
])('no automatic pass: %s', (_, seat, legal) => {
  vi.useFakeTimers();
  try {
    openStore([['mine', 0]], '', { position: position(seat, legal) });
    vi.advanceTimersByTime(5000);
    expect(FakeSocket.instances[0]!.sent.filter((message) => message['type'] === 'move')).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

describe('a game that each seat sees in its own way', () => {
  const deal = (own: string) => [own, '?'].map((move, ply) => ({ ply, seat: null, player: null, move, spent_ms: 0 }));
  const poker = { game: 'kuhn-poker', seed: null };
  beforeEach(() => {
    const features = { chance: true, hidden_information: true, simultaneous: false };
    server.games = [{ id: 'kuhn-poker', seats: 2, sides: ['first', 'second'], features } as unknown as Game];
  });

  test('one ticket plays: that of the link, else the first', () => {
    expect([...openStore([['one', 1], ['nil', 0]], '', poker).ownPlayers]).toEqual([1]); // prettier-ignore
    currentStore?.close();
    FakeSocket.instances = [];
    expect([...openStore([['one', 1], ['nil', 0]], '#nil', poker).ownPlayers]).toEqual([0]); // prettier-ignore
  });

  test('two tickets play where all see the same', () => {
    expect([...openStore([['one', 1], ['nil', 0]]).ownPlayers].sort()).toEqual([0, 1]); // prettier-ignore
  });

  test('a part is hidden until the end, and then the whole game is shown', () => {
    const store = openStore([['mine', 0]], '', { ...poker, plies: deal('Q') });
    const before = store.analysis;
    expect([store.hidesInformation, store.recordIsOpen, before?.knownOnly]).toEqual([true, false, true]);
    expect(before?.gameMoves).toEqual(['Q', '?']);
    const result = { winner: 0, termination: 'rules', sentence: 'Ada wins' };
    FakeSocket.instances[0]!.deliver({
      type: 'snapshot',
      ...snapshot({
        ...poker,
        seed: 7,
        state: 'over',
        result,
        plies: [...deal('Q').slice(0, 1), ...deal('K').slice(0, 1)],
      }),
    });
    expect([store.hidesInformation, store.recordIsOpen, store.analysis?.knownOnly]).toEqual([false, true, false]);
    expect([store.analysis?.gameMoves, store.analysis === before]).toEqual([['Q', 'K'], false]);
  });

  test('nothing is hidden where all see the same', () => {
    const store = openStore([['mine', 0]]);
    expect([store.hidesInformation, store.recordIsOpen, store.analysis?.knownOnly]).toEqual([false, true, false]);
  });
});
