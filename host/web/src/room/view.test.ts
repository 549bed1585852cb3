// Who sits where, and scores seen from one side.
import { expect, test } from 'vitest';
import type { Ply } from '../api/types';
import { scaleOf } from '../boards/scores';
import { player, position, snapshot } from './fixture';
import { scoresOf, scoresSeen, seated, seenBy, sidesToMove, valueBy } from './view';

const ply = (n: number, seat: number, score?: number): Ply => ({
  ply: n,
  seat,
  player: seat % 2,
  move: `m${n}`,
  spent_ms: 0,
  ...(score === undefined ? {} : { line: { score, depth: 1, nodes: 1, pv: [], rank: 1 } }),
});

const plain = valueBy(scaleOf('gomoku'), () => null);

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
  expect(scoresOf({ plies: [ply(0, 0, 50), ply(1, 1, 70), ply(2, 0)] }, plain)).toEqual([null, 50, -70, null]);
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
  const seen = seenBy(found, [0, 1, 0], plain);
  expect(seen).toEqual([
    { side: 0, value: 10, best: 'a' },
    { side: 1, value: -20, best: 'b' },
    { side: 0, value: null, best: null },
  ]);
  expect(scoresSeen(seen, 3)).toEqual([10, -20, null]);
});

test('where a score is worth what the position says, it is worth nothing before that is known', () => {
  const facts = { tricks_left: 13, tricks_won: { NS: 0, EW: 0 }, double_dummy_ns: 6 };
  const value = valueBy(scaleOf('bridge'), (n) => (n === 0 ? { ...position(0), facts } : null));
  expect([value(7, 0, 0), value(7, 1, 0)]).toEqual([1, null]);
});
