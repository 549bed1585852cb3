// Scores as texts, and moves that gave something away.
import { describe, expect, test } from 'vitest';
import { scaleOf } from '../boards/scores';
import { charted, forced, scoreText, verdicts, type Seen } from './score';

const hundredths = scaleOf('xiangqi');
const discs = scaleOf('reversi');

test.each([
  [125, hundredths, '+1.25'],
  [-5, hundredths, '−0.05'],
  [0, hundredths, '0.00'],
  [29_995, hundredths, '+#5'],
  [-30_000, hundredths, '−#0'],
  [-12, discs, '−12'],
  [0, discs, '0'],
])('%i', (score, scale, text) => {
  expect(scoreText(score, scale)).toBe(text);
});

test.each([
  [28_999, hundredths, null],
  [29_000, hundredths, 1000],
  [-29_999, hundredths, -1],
  [29_999, discs, null],
])('forced %i', (score, scale, plies) => {
  expect(forced(score, scale)).toBe(plies);
});

test.each([
  [250, 2.5],
  [-250, -2.5],
  [29_990, 10],
  [-5_000, -10],
])('charted %i', (score, value) => {
  expect(charted(score, hundredths, 10)).toBe(value);
});

test.each([
  [6, 0, { tricks_left: 13, tricks_won: { NS: 0, EW: 0 }, double_dummy_ns: 6 }, 0],
  [7, 1, { tricks_left: 13, tricks_won: { NS: 0, EW: 0 }, double_dummy_ns: 6 }, 0],
  [2, 1, { tricks_left: 5, tricks_won: { NS: 4, EW: 4 }, double_dummy_ns: 6 }, 1],
  [6, 0, { tricks_left: 13, tricks_won: { NS: 0, EW: 0 } }, -0.5],
  [6, 0, { tricks_left: 13 }, null],
] as const)('tricks %i of side %i', (score, side, facts, value) => {
  expect(scaleOf('bridge').value?.(score, side, facts)).toBe(value);
});

describe('verdicts', () => {
  // A score of the side to move, as engines say it.
  const see = (side: 0 | 1, score: number | null, best: string | null = 'x'): Seen => ({
    side,
    value: score === null ? null : side === 0 ? score : -score,
    best,
  });
  const cases: [string, string[], (Seen | undefined)[], [number, string][]][] = [
    ['a loss of 1.3', ['a'], [see(0, 30), see(1, 100)], [[0, 'mistake']]],
    ['just below', ['a'], [see(0, 0), see(1, 49)], []],
    ['just at it', ['a'], [see(0, 0), see(1, 50)], [[0, 'inaccuracy']]],
    ['the best move', ['x'], [see(0, 30), see(1, 500)], []],
    ['a gain', ['a'], [see(0, 30), see(1, -500)], []],
    ['a win let go', ['a'], [see(0, 29_990), see(1, 0)], [[0, 'blunder']]],
    ['one win for another', ['a'], [see(0, 29_990), see(1, -29_980)], []],
    ['a win that takes longer', ['a'], [see(0, 29_990), see(1, -29_900)], []],
    ['the same side again', ['a'], [see(0, 300), see(0, 290)], []],
    ['the same side again, worse', ['a'], [see(0, 300), see(0, -100)], [[0, 'blunder']]],
    ['the second side, a loss of 0.6', ['a'], [see(1, 40), see(0, 20)], [[0, 'inaccuracy']]],
    ['nothing seen', ['a'], [see(0, null), see(1, 500)], []],
    ['not yet seen', ['a'], [see(0, 5)], []],
  ];
  test.each(cases)('%s', (_, moves, seen, expected) => {
    expect(verdicts(moves, seen, hundredths).map((v) => [v.ply, v.mark])).toEqual(expected);
  });
});
