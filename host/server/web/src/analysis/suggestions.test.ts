// What lines mean on the board: arrows and circles, and the value of the best line to the first side.
import { expect, test } from 'vitest';
import { position } from '../api/fixtures';
import type { EngineLine } from '../api/types';
import { scoreScaleOf } from '../boards';
import { suggestionsOf, valueOfLine } from './suggestions';

const line = (pv: string, rank = 1, score?: number): EngineLine => ({
  ...(score === undefined ? {} : { score }),
  depth: 1,
  nodes: 1,
  pv: pv.split(' '),
  rank,
});

test.each([
  ['gomoku', 'h8', ['h8-h8 1']],
  ['xiangqi', 'h2e2', ['h2-e2 1']],
  ['gomoku', 'a1', []],
])('%s: %s as a suggestion', (game, move, expected) => {
  const at = { ...position(0), legal: ['h8', 'h2e2'] };
  const found = suggestionsOf(game, at, [line(`${move} x`)], false);
  expect(found.map(({ from, to, rank }) => `${from}-${to} ${rank}`)).toEqual(expected);
});

test('a threat is no legal move', () => {
  const found = suggestionsOf('gomoku', { ...position(0), legal: [] }, [line('h8'), line('i9', 2)], true);
  expect(found).toEqual([
    { from: 'h8', to: 'h8', rank: 1, isThreat: true },
    { from: 'i9', to: 'i9', rank: 2, isThreat: true },
  ]);
});

test.each([
  [0, 120, false, 120],
  [1, 120, false, -120],
  [0, 120, true, -120],
  [1, 120, true, 120],
] as const)('side %i, score %i, threat %s', (side, score, isThreat, expected) => {
  const value = valueOfLine(line('h8', 1, score), { ...position(side), side }, scoreScaleOf('gomoku'), isThreat);
  expect(value).toBe(expected);
});

test('without a score the value is not known', () => {
  expect(valueOfLine(line('h8'), position(0), scoreScaleOf('gomoku'), false)).toBeNull();
  expect(valueOfLine(undefined, position(0), scoreScaleOf('gomoku'), false)).toBeNull();
});
