// The geometry of the pictures.
import { expect, test } from 'vitest';
import { axisOver, barOf, niceStep, percentAt, shownLines, testBar } from './plot';

const interval = (value: number, low: number | null, high: number | null) => ({ value, low, high });

test.each([
  [1, 1],
  [1.1, 2],
  [2, 2],
  [2.1, 5],
  [5.1, 10],
  [51, 100],
  [0.3, 0.5],
])('the step of at least %d', (least, expected) => {
  expect(niceStep(least)).toBeCloseTo(expected, 9);
});

test.each([
  ['nothing known', [], -100, 100, 5],
  ['one without bounds', [interval(0, null, null)], -6, 6, 7],
  ['a narrow one', [interval(1, 0, 2)], -4, 6, 6],
  ['some', [interval(-100, -150, -50), interval(120, 30, 210)], -200, 300, 6],
  ['an open end stretches nothing', [interval(0, -50, null)], -50, 0, 6],
])('an axis over %s', (_, intervals, low, high, ticks) => {
  const axis = axisOver(intervals);
  expect([axis.low, axis.high, axis.ticks.length]).toEqual([low, high, ticks]);
  expect([axis.ticks[0], axis.ticks.at(-1)]).toEqual([low, high]);
});

test.each([
  [0, 50],
  [-10, 0],
  [10, 100],
  [-11, 0],
  [1e9, 100],
  [5, 75],
])('%d between −10 and 10', (value, expected) => {
  expect(percentAt(value, { low: -10, high: 10 })).toBe(expected);
});

test.each([
  [interval(0, -5, 5), { from: 25, to: 75, at: 50, openLow: false, openHigh: false }],
  [interval(0, null, 5), { from: 0, to: 75, at: 50, openLow: true, openHigh: false }],
  [interval(0, -5, null), { from: 25, to: 100, at: 50, openLow: false, openHigh: true }],
])('the bar of %j', (given, expected) => {
  expect(barOf(given, { low: -10, high: 10, ticks: [] })).toEqual(expected);
});

test.each([
  [{ llr: 0, lower: -2, upper: 2 }, { at: 50, zero: 50 }],
  [{ llr: 3, lower: -2, upper: 2 }, { at: 100, zero: 50 }],
  [{ llr: 1, lower: -1, upper: 3 }, { at: 50, zero: 25 }],
])('the test %j', (given, expected) => {
  expect(testBar(given)).toEqual(expected);
});

test('lines of those who have a rating, the best first', () => {
  const rated = interval(0, null, null);
  const history = [{ ratings: [rated, null, null] }, { ratings: [rated, null, rated] }];
  expect(shownLines([2, 1, 0], history, 8)).toEqual([2, 0]);
  expect(shownLines([2, 1, 0], history, 1)).toEqual([2]);
  expect(shownLines([7], history, 8)).toEqual([]);
});
