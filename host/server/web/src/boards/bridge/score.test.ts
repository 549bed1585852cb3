// Scores of bridge engines as tricks of north-south.
import { expect, test } from 'vitest';
import { tricksOfNorthSouth } from './score';

test.each([
  [6, 0, { tricks_left: 13, tricks_won: { NS: 0, EW: 0 } }, 6],
  [7, 1, { tricks_left: 13, tricks_won: { NS: 0, EW: 0 } }, 6],
  [2, 1, { tricks_left: 5, tricks_won: { NS: 4, EW: 4 }, double_dummy_ns: 6 }, 7],
  [0, 1, { tricks_left: 3, tricks_won: { NS: 10, EW: 0 } }, 13],
  [6, 0, { tricks_left: 13 }, null],
] as const)('%i tricks of side %i', (score, side, facts, value) => {
  expect(tricksOfNorthSouth(score, side, facts)).toBe(value);
});
