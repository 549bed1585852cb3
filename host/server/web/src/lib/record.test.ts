// Records: what is read, and what is refused.
import { expect, test } from 'vitest';
import { countDealt, parseRecord, sortBySide } from './record';

const sideNameOf = (_: string, seat: number) => ['black', 'white'][seat % 2]!;
const record = {
  format: 'sandboard-record',
  version: 1,
  game: 'gomoku',
  variant: 'freestyle',
  start: null,
  players: [
    { name: 'Ada', seats: [0] },
    { name: '<b>', seats: [1] },
  ],
  plies: [
    { seat: 0, move: 'h8', spent: { wall_us: 1_500_400 } },
    {
      seat: 1,
      move: 'i9',
      spent: {},
      line: { score: 5, depth: 3, nodes: 9, pv: 'i9 h7' },
      origin: 'reported-on-timeout',
    },
  ],
  events: [
    { at_ply: 1, event: 'fault', sentence: 'it crashed' },
    { at_ply: 0, event: 'refused', move: 'z', reason: 'no point' },
    { at_ply: 0, event: 'paused' },
  ],
  logs: [{ player: 1, at_ply: 1, level: 'info', text: 'hello' }],
  result: { winner: 0, termination: 'fault', scores: [1, -1], sentence: 'Ada wins' },
};

test('a record', () => {
  expect(parseRecord(record, sideNameOf)).toEqual({
    game: 'gomoku',
    variant: 'freestyle',
    start: null,
    opening: [],
    players: [
      { name: 'Ada', seats: [0], side_name: 'black' },
      { name: '<b>', seats: [1], side_name: 'white' },
    ],
    plies: [
      { ply: 0, seat: 0, player: 0, move: 'h8', spent_ms: 1500 },
      {
        ply: 1,
        seat: 1,
        player: 1,
        move: 'i9',
        spent_ms: 0,
        line: { score: 5, depth: 3, nodes: 9, pv: ['i9', 'h7'], rank: 1 },
        origin: 'reported-on-timeout',
      },
    ],
    log: [
      expect.objectContaining({ at_ply: 0, kind: 'refused', text: 'z: no point' }),
      { at_ply: 1, kind: 'fault', text: 'it crashed' },
      { at_ply: 1, kind: 'engine', text: 'hello' },
    ],
    result: { winner: 0, scores: [1, -1], sentence: 'Ada wins' },
    comments: new Map(),
  });
});

test('partners of four seats', () => {
  const players = [
    { name: 'NS', seats: [0, 2] },
    { name: 'EW', seats: [1, 3] },
  ];
  const plies = [3, 2].map((seat) => ({ seat, move: 'SA' }));
  expect(parseRecord({ ...record, players, plies }, sideNameOf).plies.map((ply) => ply.player)).toEqual([1, 0]);
});

test('four players, with a winner beyond the second side', () => {
  const players = ['a', 'b', 'c', 'd'].map((name, seat) => ({ name, seats: [seat] }));
  const result = { winner: 2, scores: [-9, -17, 0, 'x'], sentence: 'c wins' };
  const plies = [{ seat: null, move: 'SA' }, { seat: 3, move: 'SK' }]; // prettier-ignore
  const parsed = parseRecord({ ...record, players, plies, result }, (_, seat) => `side ${seat}`);
  expect(parsed.players.map(({ side_name }) => side_name)).toEqual(['side 0', 'side 1', 'side 2', 'side 3']);
  expect(parsed.plies.map(({ player }) => player)).toEqual([null, 3]);
  expect(parsed.result).toEqual({ winner: 2, scores: [-9, -17, 0], sentence: 'c wins' });
});

test.each([
  [null, 'this is not a record'],
  [[], 'this is not a record'],
  [{ format: 'other' }, 'this is not a record'],
  [{ ...record, version: 2 }, 'unknown record version 2'],
  [{ ...record, game: 7 }, 'the field `game` of the record is not a text'],
  [{ ...record, plies: [{ seat: 0 }] }, 'the field `move` of the record is not a text'],
])('refused: %o', (value, message) => {
  expect(() => parseRecord(value, sideNameOf)).toThrow(message);
});

test.each([
  [
    [[0], [1]],
    [[0], [1]],
  ],
  [
    [[1], [0]],
    [[0], [1]],
  ],
  [
    [
      [1, 3],
      [2, 0],
    ],
    [
      [2, 0],
      [1, 3],
    ],
  ],
  // A player without a seat comes last.
  [
    [[], [0]],
    [[0], []],
  ],
  [
    [[], []],
    [[], []],
  ],
])('seats %j sorted by side', (given, expected) => {
  expect(sortBySide(given.map((seats) => ({ seats }))).map(({ seats }) => seats)).toEqual(expected);
});

test('the moves before the game', () => {
  const opening = [
    { seat: 0, move: 'a1' },
    { seat: null, move: '6' },
  ];
  expect(parseRecord({ ...record, opening }, sideNameOf).opening).toEqual(opening);
  expect(() => parseRecord({ ...record, opening: [{ seat: 0 }] }, sideNameOf)).toThrow('the field `move`');
});

test.each<[(number | null)[], number]>([
  [[], 0],
  [[0, 1], 0],
  [[null, null, 0, null, 1], 2],
  [[null, null], 2],
])('a game with moves of the seats %j begins with %i outcomes of chance', (seats, expected) => {
  expect(countDealt(seats.map((seat) => ({ seat })))).toBe(expected);
});
