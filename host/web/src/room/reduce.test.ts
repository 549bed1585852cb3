// The state of a room after each event of the contract, and what must not change it.
import { describe, expect, test } from 'vitest';
import type { Line, Ply, RoomEvent, Snapshot } from '../api/types';
import { player, position, snapshot } from './fixture';
import { reduce, toMove, untimed, type Room } from './reduce';

const ply = (n: number, move: string): Ply => ({ ply: n, seat: n % 2, player: n % 2, move, spent_ms: 10 });
const moved = (seq: number, n: number, move: string): RoomEvent => ({
  type: 'moved',
  seq,
  ply: ply(n, move),
  position: position((n + 1) % 2),
  players: [{ player: n % 2, clock: null }],
  thinking: (n + 1) % 2,
});
const line = (rank: number, depth: number): Line => ({ rank, depth, nodes: 1, pv: ['h8'] });

function run(events: RoomEvent[], first: Partial<Snapshot> = {}): Room {
  let room = reduce(null, { type: 'snapshot', ...snapshot(first) }, 100).room;
  events.forEach((event, i) => {
    const step = reduce(room, event, 200 + i);
    expect(step.gap).toBe(false);
    room = step.room;
  });
  return room!;
}

describe('order', () => {
  test('nothing is known before a snapshot', () => {
    expect(reduce(null, moved(1, 0, 'h8'), 0)).toEqual({ room: null, gap: false });
  });

  test.each([
    [9, false, 0],
    [10, false, 0],
    [11, false, 1],
    [12, true, 0],
  ])('event %i after number 10', (seq, gap, plies) => {
    const room = run([]);
    const step = reduce(room, moved(seq, 0, 'h8'), 1);
    expect([step.gap, step.room!.snap.plies.length]).toEqual([gap, plies]);
  });
});

describe('moves', () => {
  test('a move brings ply, position, clocks and forgets lines, hint and requests', () => {
    const room = run(
      [
        { type: 'line', player: 0, ply: 0, line: line(1, 3) },
        { type: 'hint', move: 'i9' },
        moved(11, 0, 'h8'),
      ],
      { undo_asked: { player: 1, plies: 1 } },
    );
    expect(room.snap.plies.map((p) => p.move)).toEqual(['h8']);
    expect(room.snap.position.to_move).toBe(1);
    expect([room.lines, room.hint, room.snap.undo_asked, room.clocksAt]).toEqual([{}, null, null, 202]);
    expect(room.snap.players[0]!.clock).toBeNull();
    expect(room.snap.players[1]!.clock).not.toBeNull();
    expect(Object.keys(room.positions)).toEqual(['0', '1']);
  });

  test('moves taken back leave the rest', () => {
    const room = run([
      moved(11, 0, 'h8'),
      moved(12, 1, 'i9'),
      moved(13, 2, 'a1'),
      { type: 'undone', seq: 14, plies: 2, position: position(1), players: [] },
    ]);
    expect(room.snap.plies.map((p) => p.move)).toEqual(['h8']);
    expect(Object.keys(room.positions)).toEqual(['0', '1']);
    expect(room.snap.seq).toBe(14);
  });

  test.each([
    [0, 0, 0],
    [1, 0, null],
  ])('an offer of player %i after a move of player 0', (offers, _, left) => {
    const room = run([moved(11, 0, 'h8')], { draw_offered_by: offers });
    expect(room.snap.draw_offered_by).toBe(left);
  });
});

describe('lines', () => {
  test('one for each rank, the newest, in order', () => {
    const room = run([
      { type: 'line', player: 1, ply: 0, line: line(2, 3) },
      { type: 'line', player: 1, ply: 0, line: line(1, 3) },
      { type: 'line', player: 1, ply: 0, line: line(2, 4) },
    ]);
    expect(room.lines[1]!.map((l) => [l.rank, l.depth])).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  test('of another position: not shown', () => {
    expect(run([{ type: 'line', player: 1, ply: 3, line: line(1, 3) }]).lines).toEqual({});
  });
});

describe('states', () => {
  const cases: [string, RoomEvent, Partial<Snapshot>][] = [
    ['paused', { type: 'paused', seq: 11, players: [] }, { state: 'paused', thinking: null }],
    ['resumed', { type: 'resumed', seq: 11, players: [] }, { state: 'playing' }],
    ['undo asked', { type: 'undo-asked', seq: 11, player: 1, plies: 2 }, { undo_asked: { player: 1, plies: 2 } }],
    ['undo declined', { type: 'undo-declined', seq: 11, player: 0 }, { undo_asked: null }],
    ['draw offered', { type: 'draw-offered', seq: 11, player: 1 }, { draw_offered_by: 1 }],
    ['draw declined', { type: 'draw-declined', seq: 11, player: 1 }, { draw_offered_by: null }],
    ['rematch', { type: 'rematch', seq: 11, room: 'next' }, { rematch: 'next' }],
    [
      'ended',
      { type: 'ended', seq: 11, result: { winner: 0, termination: 'rules', sentence: 'Ada wins' }, players: [], bout: 'b' },
      { state: 'over', bout: 'b', thinking: null, result: { winner: 0, termination: 'rules', sentence: 'Ada wins' } },
    ],
    ['refused', { type: 'refused', seq: 11, player: 0, move: 'z9', reason: 'no point' }, { log: [{ at_ply: 0, kind: 'refused', text: 'z9: no point' }] }],
    ['faulted', { type: 'faulted', seq: 11, player: 1, sentence: 'it crashed', code: 'crash' }, { log: [{ at_ply: 0, kind: 'fault', text: 'it crashed' }] }],
    ['logged', { type: 'log', at_ply: 3, kind: 'engine', text: '<b>' }, { log: [{ at_ply: 3, kind: 'engine', text: '<b>' }] }],
    ['thinking', { type: 'thinking', player: 1, players: [] }, { thinking: 1 }],
  ];
  test.each(cases)('%s', (_, event, expected) => {
    expect(run([event]).snap).toMatchObject(expected);
  });

  test('the beginning tells clocks and sides, not who is here', () => {
    const players = [player(0, { state: 'open', side_name: 'white' }), player(1, { state: 'open', clock: null })];
    const { snap } = run([{ type: 'began', seq: 11, position: position(0), players, state: 'playing' }]);
    expect(snap.players.map((p) => [p.state, p.side_name, p.clock === null])).toEqual([
      ['present', 'white', false],
      ['present', 'white', true],
    ]);
  });

  test('presence of some leaves others', () => {
    const { snap } = run([{ type: 'presence', players: [{ player: 1, state: 'absent' }], spectators: 4 }]);
    expect([snap.players.map((p) => p.state), snap.spectators]).toEqual([['present', 'absent'], 4]);
  });

  test('colours are swapped by name, players stay', () => {
    const event: RoomEvent = {
      type: 'swapped',
      seq: 11,
      players: [
        { player: 0, side_name: 'white' },
        { player: 1, side_name: 'black' },
      ],
    };
    const { snap } = run([event]);
    expect(snap.players.map((p) => [p.name, p.side_name])).toEqual([
      ['Ada', 'white'],
      ['Bo', 'black'],
    ]);
  });

  test('an engine takes a seat and leaves it to a person again', () => {
    const engine = { id: 'e', version: '1', options: {} };
    const room = run([{ type: 'seated', seq: 11, player: 1, name: 'E', kind: 'engine', engine }]);
    expect(room.snap.players[1]).toMatchObject({ name: 'E', kind: 'engine', state: 'present', engine });
    const after = reduce(room, { type: 'seated', seq: 12, player: 1, name: 'Bo', kind: 'person' }, 1).room!;
    expect(after.snap.players[1]).toMatchObject({ name: 'Bo', kind: 'person' });
    expect(after.snap.players[1]!.engine).toBeUndefined();
  });
});

test('a snapshot keeps the positions that it shares with what was known', () => {
  const room = run([moved(11, 0, 'h8'), moved(12, 1, 'i9')]);
  const again = { ...snapshot({ seq: 20 }), plies: [ply(0, 'h8'), ply(1, 'a1'), ply(2, 'b2')] };
  const next = reduce(room, { type: 'snapshot', ...again }, 1).room!;
  expect(Object.keys(next.positions)).toEqual(['0', '1', '3']);
  const other = reduce(room, { type: 'snapshot', ...again, variant: 'renju' }, 1).room!;
  expect(Object.keys(other.positions)).toEqual(['3']);
});

describe('questions', () => {
  test.each([
    ['playing', snapshot(), 0],
    ['over', snapshot({ state: 'over' }), null],
    ['decided', snapshot({ position: { ...position(1), outcome: { winner: 0, reason: 'five' } } }), null],
    ['bridge', snapshot({ players: [player(0, { seats: [0, 2] }), player(1, { seats: [1, 3] })], position: position(3) }), 1],
  ])('who is to move: %s', (_, snap, expected) => {
    expect(toMove(snap)?.player ?? null).toBe(expected);
  });

  test.each([
    [player(0), false],
    [player(0, { clock: null }), true],
    [player(0, { clock: { move_ms_left: null, game_ms_left: null, unit: 'none', running: false } }), true],
    [player(0, { clock: { move_ms_left: null, game_ms_left: 0, unit: 'cpu', running: false } }), false],
  ])('untimed', (player, expected) => {
    expect(untimed(player)).toBe(expected);
  });
});
