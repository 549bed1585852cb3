// The numbers before moves.
import { expect, test } from 'vitest';
import { moveNumber } from './move-numbers';

test.each([
  [0, 2, 0, true, '1.'],
  [0, 2, 0, false, '1.'],
  [1, 2, 0, true, '1…'],
  [1, 2, 0, false, ''],
  [5, 2, 0, true, '3…'],
  [6, 2, 0, false, '4.'],
  [6, 4, 0, true, '2…'],
  [8, 4, 0, false, '3.'],
  // Three cards are dealt before the first move.
  [2, 2, 3, true, ''],
  [3, 2, 3, true, '1.'],
  [4, 2, 3, true, '1…'],
] as const)('after %d moves, %d to a number, %d dealt, alone: %s', (before, movesPerNumber, dealt, alone, expected) => {
  expect(moveNumber(before, { movesPerNumber, dealt }, alone)).toBe(expected);
});
