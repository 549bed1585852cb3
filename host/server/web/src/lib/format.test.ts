// File names from any player names; texts that are not dates.
import { expect, test } from 'vitest';
import { fileName, formatDate, formatMebibytes } from './format';

test.each([
  [['gomoku', 'a1'], 'gomoku-a1'],
  [['../..', 'x/y'], 'x-y'],
  [['五子棋', 'game'], 'game'],
  [['a b', '.c'], 'a-b-c'],
])('%o', (parts, name) => {
  expect(fileName(...parts)).toBe(name);
});

test('a text that is not a date stays as it is', () => {
  expect(formatDate('soon', 'en')).toBe('soon');
  expect(formatDate('2026-03-04T05:06:07Z', 'en')).toContain('2026');
});

test('mebibytes', () => {
  expect(formatMebibytes(64 * 1024 * 1024)).toBe('64');
});
