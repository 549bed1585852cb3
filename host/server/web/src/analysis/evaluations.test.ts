// Evaluations of positions from the first side's view.
import { expect, test } from 'vitest';
import { position } from '../api/fixtures';
import type { Ply } from '../api/types';
import { scoreScaleOf } from '../boards';
import { evaluationsOfAnalysis, scoreConverter, sidesToMove, valuesOfEvaluations, valuesOfGame } from './evaluations';

const ply = (n: number, seat: number, score?: number): Ply => ({
  ply: n,
  seat,
  player: seat % 2,
  move: `m${n}`,
  spent_ms: 0,
  ...(score === undefined ? {} : { line: { score, depth: 1, nodes: 1, pv: [], rank: 1 } }),
});

const negating = scoreConverter(scoreScaleOf('gomoku'), () => null);

test('scores are from the view of the side to move, values from that of the first side', () => {
  const plies = [ply(0, 0, 50), ply(1, 1, 70), ply(2, 0)];
  expect(valuesOfGame({ opening: [], plies }, negating)).toEqual([null, 50, -70, null]);
});

test('moves before the game have a side to move, but no value', () => {
  const opening = [
    { seat: 0, move: 'a' },
    { seat: 0, move: 'b' },
  ];
  const plies = [ply(0, 1, 50), ply(1, 0, 70)];
  const numbers: number[] = [];
  const noting = (score: number, number: number) => (numbers.push(number), score);
  expect(valuesOfGame({ opening, plies }, noting)).toEqual([null, null, null, 50, 70]);
  expect(numbers).toEqual([2, 3]);
  expect(sidesToMove({ opening, plies, position: position(1) })).toEqual([0, 0, 1, 0, 1]);
});

test('a side may move twice in a row', () => {
  const game = { opening: [], plies: [ply(0, 3), ply(1, 2), ply(2, 2)], position: position(1) };
  expect(sidesToMove(game)).toEqual([1, 0, 0, 1]);
});

test('an unfinished analysis with a failed position', () => {
  const results = [
    { ply: 0, score: 10, move: 'a' },
    { ply: 1, score: 20, pv: ['b', 'c'] },
    { ply: 2, error: 'crashed' },
    { ply: 9, score: 1 },
  ];
  const evaluations = evaluationsOfAnalysis(results, [0, 1, 0], negating);
  expect(evaluations).toEqual([
    { side: 0, value: 10, bestMove: 'a' },
    { side: 1, value: -20, bestMove: 'b' },
    { side: 0, value: null, bestMove: null },
  ]);
  expect(valuesOfEvaluations(evaluations, 3)).toEqual([10, -20, null]);
});

test('a value that depends on the position is unknown until the position is known', () => {
  const facts = { tricks_left: 5, tricks_won: { NS: 6, EW: 2 } };
  const convert = scoreConverter(scoreScaleOf('bridge'), (n) => (n === 0 ? { ...position(0), facts } : null));
  expect([convert(3, 0, 0), convert(3, 1, 0)]).toEqual([9, null]);
});
