// Names of files, whatever stands in the names of players; moments that are none.
import { expect, test } from 'vitest';
import { fileName, mebibytes, when } from './format';

test.each([
  [['gomoku', 'a1'], 'gomoku-a1'],
  [['../..', 'x/y'], 'x-y'],
  [['五子棋', 'game'], 'game'],
  [['a b', '.c'], 'a-b-c'],
])('%o', (parts, name) => {
  expect(fileName(...parts)).toBe(name);
});

test('a text that is no moment stays', () => {
  expect(when('soon', 'en')).toBe('soon');
  expect(when('2026-03-04T05:06:07Z', 'en')).toContain('2026');
});

test('mebibytes', () => {
  expect(mebibytes(64 * 1024 * 1024)).toBe('64');
});
