// Statistics and their text form.
import { expect, test } from 'vitest';
import {
  completedShare,
  splitDuration,
  formatBounds,
  formatFixed,
  formatLikelihood,
  formatPercent,
  formatPoints,
  pointShare,
  formatSigned,
  addTallies,
  formatTally,
  formatMicroseconds,
  reverseTally,
} from './statistics';

const tally = (wins: number, draws: number, losses: number) => ({ wins, draws, losses });

test.each([
  [12.34, 1, '+12.3'],
  [-4, 1, '−4.0'],
  [0, 1, '0.0'],
  [0.04, 1, '0.0'],
  [-0.04, 1, '0.0'],
  [0.06, 1, '+0.1'],
  [-1234.5, 0, '−1235'],
])('%d with sign and %d decimals', (value, digits, expected) => {
  expect(formatSigned(value, digits)).toBe(expected);
});

test('fixed decimals', () => {
  expect([formatFixed(-2.944, 2), formatFixed(2.944, 2), formatFixed(-0.001, 2)]).toEqual(['−2.94', '2.94', '0.00']);
});

test.each([
  [0, '0'],
  [1, '0.5'],
  [2, '1'],
  [25, '12.5'],
])('%d half points', (half, expected) => {
  expect(formatPoints(half)).toBe(expected);
});

test.each([
  [0.5, '50.0 %'],
  [0.987, '98.7 %'],
  [0.9951, '99.51 %'],
  [0.99999, '> 99.99 %'],
  [1, '100.00 %'],
  [0.00001, '< 0.01 %'],
  [0, '0.00 %'],
])('likelihood %d', (value, expected) => {
  expect(formatLikelihood(value)).toBe(expected);
});

test('shares and tallies', () => {
  expect(pointShare(tally(1, 1, 0))).toBe(0.75);
  expect(pointShare(tally(0, 0, 0))).toBeNull();
  expect(pointShare(reverseTally(tally(1, 1, 0)))).toBe(0.25);
  expect(addTallies(tally(1, 2, 3), tally(10, 20, 30))).toEqual(tally(11, 22, 33));
  expect(formatPercent(0.5625)).toBe('56.3 %');
  expect(formatTally(tally(5, 2, 1))).toBe('+5 =2 −1');
});

test.each([
  [{ value: 1, low: -5.4, high: 7.6 }, true, ['−5', '+8']],
  [{ value: 1, low: null, high: 7 }, true, ['−∞', '+7']],
  [{ value: 1, low: 0, high: null }, true, ['0', '+∞']],
  [{ value: 1500, low: 1403, high: 1597 }, false, ['1403', '1597']],
  [{ value: 1500, low: null, high: null }, false, ['−∞', '∞']],
])('bounds of %j, relative: %s', (interval, isRelative, expected) => {
  expect(formatBounds(interval, 0, isRelative)).toEqual(expected);
});

test.each([
  [0, '0 µs'],
  [850.4, '850 µs'],
  [999.6, '1.00 ms'],
  [12_340, '12.3 ms'],
  [123_400, '123 ms'],
  [999_499, '999 ms'],
  [999_600, '1.00 s'],
  [1_204_000, '1.20 s'],
  [9_999_000, '10.0 s'],
  [125_000_000, '125 s'],
])('%d microseconds', (us, expected) => {
  expect(formatMicroseconds(us)).toBe(expected);
});

test.each([
  [0, [0, 0, 0, 0]],
  [-3, [0, 0, 0, 0]],
  [39.2, [0, 0, 0, 40]],
  [60, [0, 0, 1, 0]],
  [3599.5, [0, 1, 0, 0]],
  [3601, [0, 1, 1, 0]],
  [86_399, [1, 0, 0, 0]],
  [90_001, [1, 2, 0, 0]],
])('%d seconds', (seconds, expected) => {
  expect(Object.values(splitDuration(seconds))).toEqual(expected);
});

test.each([
  [0, 0, null],
  [0, 4, 0],
  [1, 3, 0.25],
  [4, 0, 1],
])('%d completed and %d left', (counted, left, expected) => {
  expect(completedShare(counted, left)).toBe(expected);
});
