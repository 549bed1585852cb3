// Records: what is shown of them, and what is refused.
import { expect, test } from 'vitest';
import { bySide, readRecord } from './record';

const sides = (_: string, side: 0 | 1) => ['black', 'white'][side]!;
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
    { seat: 1, move: 'i9', spent: {}, line: { score: 5, depth: 3, nodes: 9, pv: 'i9 h7' }, mark: 'reported-on-timeout' },
  ],
  events: [
    { at_ply: 1, event: 'fault', sentence: 'it crashed' },
    { at_ply: 0, event: 'refused', move: 'z', reason: 'no point' },
    { at_ply: 0, event: 'paused' },
  ],
  logs: [{ player: 1, at_ply: 1, level: 'info', text: 'hello' }],
  result: { winner: 0, termination: 'fault', sentence: 'Ada wins' },
};

test('a record', () => {
  expect(readRecord(record, sides)).toEqual({
    game: 'gomoku',
    variant: 'freestyle',
    start: null,
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
        mark: 'reported-on-timeout',
      },
    ],
    log: [
      { at_ply: 0, kind: 'refused', text: 'z: no point' },
      { at_ply: 1, kind: 'fault', text: 'it crashed' },
      { at_ply: 1, kind: 'engine', text: 'hello' },
    ],
    result: { winner: 0, sentence: 'Ada wins' },
    comments: new Map(),
  });
});

test('partners of four seats', () => {
  const players = [
    { name: 'NS', seats: [0, 2] },
    { name: 'EW', seats: [1, 3] },
  ];
  const plies = [3, 2].map((seat) => ({ seat, move: 'SA' }));
  expect(readRecord({ ...record, players, plies }, sides).plies.map((ply) => ply.player)).toEqual([1, 0]);
});

test.each([
  [null, 'this is no record'],
  [[], 'this is no record'],
  [{ format: 'other' }, 'this is no record'],
  [{ ...record, version: 2 }, 'records of version 2 are not known'],
  [{ ...record, game: 7 }, 'the record has no text in `game`'],
  [{ ...record, plies: [{ seat: 0 }] }, 'the record has no text in `move`'],
])('refused: %o', (value, message) => {
  expect(() => readRecord(value, sides)).toThrow(message);
});

test.each([
  [[[0], [1]], [[0], [1]]],
  [[[1], [0]], [[0], [1]]],
  [[[1, 3], [2, 0]], [[2, 0], [1, 3]]],
  // Who has no seat stands last.
  [[[], [0]], [[0], []]],
  [[[], []], [[], []]],
])('seats %j by side', (given, expected) => {
  expect(bySide(given.map((seats) => ({ seats }))).map(({ seats }) => seats)).toEqual(expected);
});
