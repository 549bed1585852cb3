// Who sits where, and scores seen from one side.
import { expect, test } from 'vitest';
import type { Ply } from '../api/types';
import { player, position, snapshot } from './fixture';
import { scoresFound, scoresOf, seated, seenBy, sidesToMove } from './view';

const ply = (n: number, seat: number, score?: number): Ply => ({
  ply: n,
  seat,
  player: seat % 2,
  move: `m${n}`,
  spent_ms: 0,
  ...(score === undefined ? {} : { line: { score, depth: 1, nodes: 1, pv: [], rank: 1 } }),
});

test.each([
  [[], false, ['Bo', 'Ada']],
  [[], true, ['Ada', 'Bo']],
  [[1], false, ['Ada', 'Bo']],
  [[1], true, ['Bo', 'Ada']],
  [[0, 1], false, ['Bo', 'Ada']],
])('mine %o, turned %s', (mine, flipped, names) => {
  const [above, below] = seated(snapshot(), new Set(mine), flipped);
  expect([above[0]!.name, below[0]!.name]).toEqual(names);
});

test('after a rematch the second player may have the first seat', () => {
  const players = [player(0, { seats: [1] }), player(1, { seats: [0] })];
  const [above, below] = seated(snapshot({ players }), new Set(), false);
  expect([above[0]!.name, below[0]!.name]).toEqual(['Ada', 'Bo']);
});

test('scores of moves are the mover’s, the chart is the first side’s', () => {
  expect(scoresOf({ plies: [ply(0, 0, 50), ply(1, 1, 70), ply(2, 0)] })).toEqual([null, 50, -70, null]);
});

test('who moves twice is the same side', () => {
  const snap = { plies: [ply(0, 3), ply(1, 2), ply(2, 2)], position: position(1) };
  expect(sidesToMove(snap)).toEqual([1, 0, 0, 1]);
});

test('an analysis, where it has come and where it has failed', () => {
  const found = [
    { ply: 0, score: 10, move: 'a' },
    { ply: 1, score: 20, pv: ['b', 'c'] },
    { ply: 2, error: 'crashed' },
    { ply: 9, score: 1 },
  ];
  expect(scoresFound(found, [0, 1, 0])).toEqual([10, -20, null]);
  expect(seenBy(found, [0, 1, 0])).toEqual([
    { side: 0, score: 10, best: 'a' },
    { side: 1, score: 20, best: 'b' },
    { side: 0, score: null, best: null },
  ]);
});
