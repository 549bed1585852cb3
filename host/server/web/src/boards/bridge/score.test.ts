// Scores of bridge engines as tricks above expectation.
import { expect, test } from 'vitest';
import { valueForNorthSouth } from './score';

test.each([
  [6, 0, { tricks_left: 13, tricks_won: { NS: 0, EW: 0 }, double_dummy_ns: 6 }, 0],
  [7, 1, { tricks_left: 13, tricks_won: { NS: 0, EW: 0 }, double_dummy_ns: 6 }, 0],
  [2, 1, { tricks_left: 5, tricks_won: { NS: 4, EW: 4 }, double_dummy_ns: 6 }, 1],
  [6, 0, { tricks_left: 13, tricks_won: { NS: 0, EW: 0 } }, -0.5],
  [6, 0, { tricks_left: 13 }, null],
] as const)('%i tricks of side %i', (score, side, facts, value) => {
  expect(valueForNorthSouth(score, side, facts)).toBe(value);
});
