// A room's store against scripted sockets: which tickets sit, who speaks for whom, and what a gap does.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepTickets, ticketsOf } from '../lib/tickets';
import { player, position, snapshot } from './fixture';
import { RoomStore } from './store.svelte';

class FakeSocket {
  static all: FakeSocket[] = [];
  sent: Record<string, unknown>[] = [];
  closed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  constructor(readonly url: string) {
    FakeSocket.all.push(this);
  }
  send(text: string) {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close() {
    this.closed = true;
  }
  say(message: object) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

let store: RoomStore | null = null;

beforeEach(() => {
  FakeSocket.all = [];
  localStorage.clear();
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('fetch', async () => Response.json(position(0)));
});
afterEach(() => {
  store?.close();
  vi.unstubAllGlobals();
});

/** A store whose sockets are open and have been told who they are. */
function opened(tickets: [string, number | null][], fragment = '', more = {}): RoomStore {
  keepTickets(
    localStorage,
    'r',
    tickets.map(([ticket, number]) => ({ ticket, player: number, forLink: false })),
  );
  store = new RoomStore('r', fragment);
  for (const socket of FakeSocket.all) {
    socket.onopen?.();
    const ticket = socket.sent[0]!['ticket'];
    const you = tickets.find(([other]) => other === ticket)?.[1] ?? null;
    socket.say({ type: 'snapshot', ...snapshot({ you, may: { undo: true, draw: true, pause: you === 0, hint: false }, ...more }) });
  }
  return store;
}

test('a spectator has one socket without a ticket and no seat', () => {
  const room = opened([]);
  expect(FakeSocket.all.map((socket) => socket.sent[0]!['ticket'])).toEqual([null]);
  expect([[...room.mine], room.host, room.room?.snap.room]).toEqual([[], false, 'r']);
});

test('a ticket in the address is kept, with its player once that is known', () => {
  store = new RoomStore('r', '#secret');
  FakeSocket.all[0]!.onopen?.();
  FakeSocket.all[0]!.say({ type: 'snapshot', ...snapshot({ you: 1 }) });
  expect(ticketsOf(localStorage, 'r')).toEqual([{ ticket: 'secret', player: 1, forLink: false }]);
  expect([...store.mine]).toEqual([1]);
});

test('a link for somebody else is not sat on', () => {
  keepTickets(localStorage, 'r', [{ ticket: 'theirs', player: 1, forLink: true }]);
  const room = opened([['mine', 0]]);
  expect(FakeSocket.all.map((socket) => socket.sent[0]!['ticket'])).toEqual(['mine']);
  expect(room.links.map((kept) => kept.ticket)).toEqual(['theirs']);
});

test('two persons here: each moves by the own ticket, the host’s acts for the room', () => {
  const room = opened([
    ['one', 1],
    ['nil', 0],
  ]);
  void room.move('h8');
  void room.send({ type: 'resign' }, 1);
  void room.send({ type: 'pause' });
  const spoken = FakeSocket.all.map((socket) => socket.sent.slice(1).map((message) => message['type']));
  expect([spoken, room.host]).toEqual([[['resign'], ['move', 'pause']], true]);
  expect(FakeSocket.all[1]!.sent[1]).toMatchObject({ move: 'h8', ply: 0 });
});

test('an event after a gap is not believed: everything is asked for anew', () => {
  const room = opened([['mine', 0]]);
  FakeSocket.all[0]!.say({ type: 'paused', seq: 12, players: [] });
  expect([room.room?.snap.state, FakeSocket.all[0]!.closed]).toEqual(['playing', true]);
});

test('an event in order counts, once', () => {
  const room = opened([['mine', 0]]);
  FakeSocket.all[0]!.say({ type: 'paused', seq: 11, players: [] });
  FakeSocket.all[0]!.say({ type: 'resumed', seq: 11, players: [] });
  expect(room.room?.snap.state).toBe('paused');
});

test('a refusal is shown until the next wish', async () => {
  const room = opened([['mine', 0]]);
  const done = room.send({ type: 'undo' });
  FakeSocket.all[0]!.say({ type: 'error', id: FakeSocket.all[0]!.sent[1]!['id'], kind: 'forbidden', detail: 'not now' });
  await done;
  expect(room.refusal).toBe('not now');
  void room.send({ type: 'resign' });
  expect(room.refusal).toBeNull();
});

test.each([
  ['not-found', false],
  ['gone', true],
])('a room that is not there (%s) is said to be missing, and not asked for again', (kind, forgotten) => {
  store = new RoomStore('r', '');
  FakeSocket.all[0]!.onopen?.();
  FakeSocket.all[0]!.say({ type: 'error', id: '', kind, detail: 'no room `r`' });
  expect([store.fatal, store.forgotten, FakeSocket.all[0]!.closed, store.link]).toEqual(['no room `r`', forgotten, true, 'closed']);
});

test('who can only pass passes by the own ticket, once', () => {
  vi.useFakeTimers();
  try {
    const players = [player(0), player(1)];
    opened([['mine', 0]], '', { players, position: position(0, ['pass']) });
    vi.advanceTimersByTime(5000);
    const sent = FakeSocket.all[0]!.sent.filter((message) => message['type'] === 'move');
    expect(sent).toMatchObject([{ move: 'pass', ply: 0 }]);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['another’s pass', 1, ['pass']],
  ['a pass beside other moves', 0, ['pass', 'h8']],
])('not by itself: %s', (_, seat, legal) => {
  vi.useFakeTimers();
  try {
    opened([['mine', 0]], '', { position: position(seat, legal) });
    vi.advanceTimersByTime(5000);
    expect(FakeSocket.all[0]!.sent.filter((message) => message['type'] === 'move')).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});
