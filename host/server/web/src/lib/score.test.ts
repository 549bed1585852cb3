// Scores as text and in charts.
import { expect, test } from 'vitest';
import { scoreScaleOf } from '../boards';
import { chartValue, forcedPlies, formatScore } from './score';

const hundredths = scoreScaleOf('xiangqi');
const discs = scoreScaleOf('reversi');
const tricks = scoreScaleOf('bridge');

test.each([
  [125, hundredths, '+1.25'],
  [-5, hundredths, '−0.05'],
  [0, hundredths, '0.00'],
  [29_995, hundredths, '+#5'],
  [-30_000, hundredths, '−#0'],
  [-12, discs, '−12'],
  [0, discs, '0'],
  [7, tricks, '7'],
])('%i as text', (score, scale, text) => {
  expect(formatScore(score, scale)).toBe(text);
});

test.each([
  [28_999, hundredths, null],
  [29_000, hundredths, 1000],
  [-29_999, hundredths, -1],
  [29_999, discs, null],
])('plies to the forced win of %i', (score, scale, plies) => {
  expect(forcedPlies(score, scale)).toBe(plies);
});

test.each([
  [250, 2.5],
  [-250, -2.5],
  [29_990, 10],
  [-5_000, -10],
])('%i in a chart', (score, value) => {
  expect(chartValue(score, hundredths, 10)).toBe(value);
});

test.each([
  [9, 2.5],
  [6, -0.5],
])('%i tricks in a chart', (score, value) => {
  expect(chartValue(score, tricks, 10)).toBe(value);
});
