// The geometry of charts.
import { expect, test } from 'vitest';
import { chartedPlayers, createAxis, createBar, createTestBar, percentAt, roundStep } from './chart-geometry';

const interval = (value: number, low: number | null, high: number | null) => ({ value, low, high });

test.each([
  [1, 1],
  [1.1, 2],
  [2, 2],
  [2.1, 5],
  [5.1, 10],
  [51, 100],
  [0.3, 0.5],
])('a step of at least %d', (min, expected) => {
  expect(roundStep(min)).toBeCloseTo(expected, 9);
});

test.each([
  ['no values', [], -100, 100, 5],
  ['an unbounded interval', [interval(0, null, null)], -6, 6, 7],
  ['a narrow interval', [interval(1, 0, 2)], -4, 6, 6],
  ['several', [interval(-100, -150, -50), interval(120, 30, 210)], -200, 300, 6],
  ['an open end does not extend the axis', [interval(0, -50, null)], -50, 0, 6],
])('an axis over %s', (_, intervals, low, high, ticks) => {
  const axis = createAxis(intervals);
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
  [interval(0, -5, 5), { from: 25, to: 75, value: 50, isOpenLow: false, isOpenHigh: false }],
  [interval(0, null, 5), { from: 0, to: 75, value: 50, isOpenLow: true, isOpenHigh: false }],
  [interval(0, -5, null), { from: 25, to: 100, value: 50, isOpenLow: false, isOpenHigh: true }],
])('bar of %j', (given, expected) => {
  expect(createBar(given, { low: -10, high: 10, ticks: [] })).toEqual(expected);
});

test.each([
  [
    { llr: 0, lower: -2, upper: 2 },
    { ratio: 50, zero: 50 },
  ],
  [
    { llr: 3, lower: -2, upper: 2 },
    { ratio: 100, zero: 50 },
  ],
  [
    { llr: 1, lower: -1, upper: 3 },
    { ratio: 50, zero: 25 },
  ],
])('test bar of %j', (given, expected) => {
  expect(createTestBar(given)).toEqual(expected);
});

test('players with a rating, the best first', () => {
  const rated = interval(0, null, null);
  const history = [{ ratings: [rated, null, null] }, { ratings: [rated, null, rated] }];
  expect(chartedPlayers([2, 1, 0], history, 8)).toEqual([2, 0]);
  expect(chartedPlayers([2, 1, 0], history, 1)).toEqual([2]);
  expect(chartedPlayers([7], history, 8)).toEqual([]);
});
