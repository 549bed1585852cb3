// Mistakes, from the evaluations before and after each move.
import { expect, test } from 'vitest';
import type { Side } from '../api/types';
import { scoreScaleOf } from '../boards';
import { findMistakes, type Evaluation } from './mistakes';

/** An evaluation from a score of the side to move, as engines report it. */
const evaluation = (side: Side, score: number | null, bestMove: string | null = 'x'): Evaluation => ({
  side,
  value: score === null ? null : side === 0 ? score : -score,
  bestMove,
});

const cases: [string, string[], (Evaluation | undefined)[], [number, string][]][] = [
  ['a loss of 1.3', ['a'], [evaluation(0, 30), evaluation(1, 100)], [[0, 'mistake']]],
  ['just below a limit', ['a'], [evaluation(0, 0), evaluation(1, 49)], []],
  ['just at a limit', ['a'], [evaluation(0, 0), evaluation(1, 50)], [[0, 'inaccuracy']]],
  ['the best move', ['x'], [evaluation(0, 30), evaluation(1, 500)], []],
  ['a gain', ['a'], [evaluation(0, 30), evaluation(1, -500)], []],
  ['a missed win', ['a'], [evaluation(0, 29_990), evaluation(1, 0)], [[0, 'blunder']]],
  ['one win for another', ['a'], [evaluation(0, 29_990), evaluation(1, -29_980)], []],
  ['a slower win', ['a'], [evaluation(0, 29_990), evaluation(1, -29_900)], []],
  ['the same side to move again', ['a'], [evaluation(0, 300), evaluation(0, 290)], []],
  ['the same side to move again, worse', ['a'], [evaluation(0, 300), evaluation(0, -100)], [[0, 'blunder']]],
  ['the second side, a loss of 0.6', ['a'], [evaluation(1, 40), evaluation(0, 20)], [[0, 'inaccuracy']]],
  ['no value', ['a'], [evaluation(0, null), evaluation(1, 500)], []],
  ['not evaluated yet', ['a'], [evaluation(0, 5)], []],
];

test.each(cases)('%s', (_, moves, evaluations, expected) => {
  const mistakes = findMistakes(moves, evaluations, scoreScaleOf('xiangqi'));
  expect(mistakes.map(({ ply, kind }) => [ply, kind])).toEqual(expected);
});

test('moves before the game are no mistakes', () => {
  const evaluations = [evaluation(0, 30), evaluation(1, 100), evaluation(0, 200)];
  const find = (opening: number) => findMistakes(['a', 'b'], evaluations, scoreScaleOf('xiangqi'), opening);
  expect([0, 1, 2].map((opening) => find(opening).map(({ ply }) => ply))).toEqual([[0, 1], [1], []]);
});
