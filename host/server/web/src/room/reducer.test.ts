// The state of a room after each event of the server, and events that must not change it.
import { describe, expect, test } from 'vitest';
import type { EngineLine, Ply, RoomEvent, Snapshot } from '../api/types';
import { player, position, snapshot } from '../api/fixtures';
import { hasNoClock, playerToMove, reduce, type RoomState } from './reducer';

const ply = (n: number, move: string): Ply => ({ ply: n, seat: n % 2, player: n % 2, move, spent_ms: 10 });
const moved = (seq: number, n: number, move: string): RoomEvent => ({
  type: 'moved',
  seq,
  ply: ply(n, move),
  position: position((n + 1) % 2),
  players: [{ player: n % 2, clock: null }],
  thinking: (n + 1) % 2,
});
const line = (rank: number, depth: number): EngineLine => ({ rank, depth, nodes: 1, pv: ['h8'] });

function run(events: RoomEvent[], first: Partial<Snapshot> = {}): RoomState {
  let room = reduce(null, { type: 'snapshot', ...snapshot(first) }, 100).room;
  events.forEach((event, i) => {
    const result = reduce(room, event, 200 + i);
    expect(result.hasGap).toBe(false);
    room = result.room;
  });
  return room!;
}

describe('order', () => {
  test('there is no state before a snapshot', () => {
    expect(reduce(null, moved(1, 0, 'h8'), 0)).toEqual({ room: null, hasGap: false });
  });

  test.each([
    [9, false, 0],
    [10, false, 0],
    [11, false, 1],
    [12, true, 0],
  ])('event %i after number 10', (seq, gap, plies) => {
    const room = run([]);
    const result = reduce(room, moved(seq, 0, 'h8'), 1);
    expect([result.hasGap, result.room!.snapshot.plies.length]).toEqual([gap, plies]);
  });
});

describe('moves', () => {
  test('a move sets ply, position and clocks, and clears lines, hint and requests', () => {
    const room = run(
      [{ type: 'line', player: 0, ply: 0, line: line(1, 3) }, { type: 'hint', move: 'i9' }, moved(11, 0, 'h8')],
      { undo_request: { player: 1, plies: 1 } },
    );
    expect(room.snapshot.plies.map((p) => p.move)).toEqual(['h8']);
    expect(room.snapshot.position.to_move).toBe(1);
    expect([room.lines, room.hint, room.snapshot.undo_request, room.clocksReceivedAt]).toEqual([{}, null, null, 202]);
    expect(room.snapshot.players[0]!.clock).toBeNull();
    expect(room.snapshot.players[1]!.clock).not.toBeNull();
    expect(Object.keys(room.positions)).toEqual(['0', '1']);
  });

  const drawDeclined: RoomEvent = { type: 'draw-declined', seq: 11, player: 0 };
  const undoDeclined: RoomEvent = { type: 'undo-declined', seq: 11, player: 1 };
  test.each<[string, RoomEvent[], RoomState['declined']]>([
    ['a draw', [drawDeclined], { kind: 'draw', player: 0 }],
    ['a takeback', [undoDeclined], { kind: 'undo', player: 1 }],
    ['until the player who asked moves', [drawDeclined, moved(12, 0, 'h8')], null],
    ['also while the other player moves', [undoDeclined, moved(12, 0, 'h8')], { kind: 'undo', player: 1 }],
    ['until the player asks again', [drawDeclined, { type: 'draw-offered', seq: 12, player: 0 }], null],
    [
      'also when the other one asks',
      [undoDeclined, { type: 'draw-offered', seq: 12, player: 0 }],
      { kind: 'undo', player: 1 },
    ],
    [
      'by a move',
      [{ type: 'undo-requested', seq: 11, player: 1, plies: 1 }, moved(12, 0, 'h8')],
      { kind: 'undo', player: 1 },
    ],
    ['not by an own move', [{ type: 'undo-requested', seq: 11, player: 0, plies: 1 }, moved(12, 0, 'h8')], null],
  ])('a declined offer: %s', (_, events, expected) => {
    expect(run(events).declined).toEqual(expected);
  });

  test('a takeback keeps the earlier moves', () => {
    const room = run([
      moved(11, 0, 'h8'),
      moved(12, 1, 'i9'),
      moved(13, 2, 'a1'),
      { type: 'undone', seq: 14, plies: 2, position: position(1), players: [] },
    ]);
    expect(room.snapshot.plies.map((p) => p.move)).toEqual(['h8']);
    expect(Object.keys(room.positions)).toEqual(['0', '1']);
    expect(room.snapshot.seq).toBe(14);
  });

  test.each([0, 1])('a draw offer of player %i is open until the server ends it', (offerer) => {
    // An engine that was thinking has not seen the offer, and may still accept it.
    const room = run([moved(11, 0, 'h8')], { draw_offered_by: offerer });
    expect(room.snapshot.draw_offered_by).toBe(offerer);
    const declined = run([moved(11, 0, 'h8'), { type: 'draw-declined', seq: 12, player: offerer }], {
      draw_offered_by: offerer,
    });
    expect(declined.snapshot.draw_offered_by).toBeNull();
  });

  test('a bout that is resumed has no open offer or request', () => {
    const { snapshot } = run([{ type: 'began', seq: 11, position: position(0), players: [], state: 'playing' }], {
      draw_offered_by: 1,
      undo_request: { player: 0, plies: 1 },
    });
    expect([snapshot.draw_offered_by, snapshot.undo_request]).toEqual([null, null]);
  });
});

describe('lines', () => {
  test('the latest of each rank, in order', () => {
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

  test('lines for another position are ignored', () => {
    expect(run([{ type: 'line', player: 1, ply: 3, line: line(1, 3) }]).lines).toEqual({});
  });
});

describe('states', () => {
  const cases: [string, RoomEvent, Partial<Snapshot>][] = [
    ['paused', { type: 'paused', seq: 11, players: [] }, { state: 'paused', thinking: null }],
    ['resumed', { type: 'resumed', seq: 11, players: [] }, { state: 'playing' }],
    ['undo asked', { type: 'undo-requested', seq: 11, player: 1, plies: 2 }, { undo_request: { player: 1, plies: 2 } }],
    ['undo declined', { type: 'undo-declined', seq: 11, player: 0 }, { undo_request: null }],
    ['draw offered', { type: 'draw-offered', seq: 11, player: 1 }, { draw_offered_by: 1 }],
    ['draw declined', { type: 'draw-declined', seq: 11, player: 1 }, { draw_offered_by: null }],
    ['rematch', { type: 'rematch', seq: 11, room: 'next' }, { rematch: 'next' }],
    [
      'ended',
      {
        type: 'ended',
        seq: 11,
        result: { winner: 0, termination: 'rules', sentence: 'Ada wins' },
        players: [],
        bout: 'b',
      },
      { state: 'over', bout: 'b', thinking: null, result: { winner: 0, termination: 'rules', sentence: 'Ada wins' } },
    ],
    [
      'refused',
      { type: 'refused', seq: 11, player: 0, move: 'z9', reason: 'no point' },
      { log: [{ at_ply: 0, kind: 'refused', text: 'z9: no point' }] },
    ],
    [
      'faulted',
      { type: 'faulted', seq: 11, player: 1, sentence: 'it crashed', code: 'crash' },
      { log: [{ at_ply: 0, kind: 'fault', text: 'it crashed' }] },
    ],
    [
      'logged',
      { type: 'log', at_ply: 3, kind: 'engine', text: '<b>' },
      { log: [{ at_ply: 3, kind: 'engine', text: '<b>' }] },
    ],
    ['thinking', { type: 'thinking', player: 1, players: [] }, { thinking: 1 }],
  ];
  test.each(cases)('%s', (_, event, expected) => {
    expect(run([event]).snapshot).toMatchObject(expected);
  });

  test('the start of the game sets clocks and sides, but not presence', () => {
    const players = [player(0, { state: 'open', side_name: 'white' }), player(1, { state: 'open', clock: null })];
    const { snapshot: after } = run([{ type: 'began', seq: 11, position: position(0), players, state: 'playing' }]);
    expect(after.players.map((p) => [p.state, p.side_name, p.clock === null])).toEqual([
      ['present', 'white', false],
      ['present', 'white', true],
    ]);
  });

  test('presence of one player does not change the others', () => {
    const { snapshot: after } = run([{ type: 'presence', players: [{ player: 1, state: 'absent' }], spectators: 4 }]);
    expect([after.players.map((p) => p.state), after.spectators]).toEqual([['present', 'absent'], 4]);
  });

  test('a swap changes the side names, not the players', () => {
    const event: RoomEvent = {
      type: 'swapped',
      seq: 11,
      players: [
        { player: 0, side_name: 'white' },
        { player: 1, side_name: 'black' },
      ],
    };
    const { snapshot: after } = run([event]);
    expect(after.players.map((p) => [p.name, p.side_name])).toEqual([
      ['Ada', 'white'],
      ['Bo', 'black'],
    ]);
  });

  test('an engine takes a seat, and a person takes it back', () => {
    const engine = { id: 'e', version: '1', options: {} };
    const room = run([{ type: 'seated', seq: 11, player: 1, name: 'E', kind: 'engine', engine }]);
    expect(room.snapshot.players[1]).toMatchObject({ name: 'E', kind: 'engine', state: 'present', engine });
    const after = reduce(room, { type: 'seated', seq: 12, player: 1, name: 'Bo', kind: 'person' }, 1).room!;
    expect(after.snapshot.players[1]).toMatchObject({ name: 'Bo', kind: 'person' });
    expect(after.snapshot.players[1]!.engine).toBeUndefined();
  });
});

test('a new snapshot keeps the known positions of the moves that it shares', () => {
  const room = run([moved(11, 0, 'h8'), moved(12, 1, 'i9')]);
  const again = { ...snapshot({ seq: 20 }), plies: [ply(0, 'h8'), ply(1, 'a1'), ply(2, 'b2')] };
  const next = reduce(room, { type: 'snapshot', ...again }, 1).room!;
  expect(Object.keys(next.positions)).toEqual(['0', '1', '3']);
  const other = reduce(room, { type: 'snapshot', ...again, variant: 'renju' }, 1).room!;
  expect(Object.keys(other.positions)).toEqual(['3']);
  const later = reduce(room, { type: 'snapshot', ...again, opening: [{ seat: 0, move: 'c3' }] }, 1).room!;
  expect(Object.keys(later.positions)).toEqual(['3']);
});

describe('queries', () => {
  test.each([
    ['playing', snapshot(), 0],
    ['over', snapshot({ state: 'over' }), null],
    ['decided', snapshot({ position: { ...position(1), outcome: { winner: 0, reason: 'five' } } }), null],
    [
      'bridge',
      snapshot({ players: [player(0, { seats: [0, 2] }), player(1, { seats: [1, 3] })], position: position(3) }),
      1,
    ],
  ])('player to move: %s', (_, snapshot, expected) => {
    expect(playerToMove(snapshot)?.player ?? null).toBe(expected);
  });

  test.each([
    [player(0), false],
    [player(0, { clock: null }), true],
    [
      player(0, { clock: { move_ms_left: null, game_ms_left: null, unit: 'none', running: false, starts_in_ms: 0 } }),
      true,
    ],
    [
      player(0, { clock: { move_ms_left: null, game_ms_left: 0, unit: 'cpu', running: false, starts_in_ms: 0 } }),
      false,
    ],
  ])('no clock', (player, expected) => {
    expect(hasNoClock(player)).toBe(expected);
  });
});
