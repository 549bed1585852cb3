// Both tables have the same shape at run time, too, and say something everywhere.
import { expect, test } from 'vitest';
import { en } from './en';
import { zh } from './zh';

function paths(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null) {
    return [prefix];
  }
  return Object.entries(value).flatMap(([key, inner]) => paths(inner, `${prefix}/${key}`));
}

function empty(value: unknown, prefix = ''): string[] {
  if (typeof value === 'string') {
    return value.trim() === '' ? [prefix] : [];
  }
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => empty(inner, `${prefix}/${key}`))
    : [];
}

test('the same keys', () => {
  expect(paths(zh).sort()).toEqual(paths(en).sort());
});

test.each([
  ['en', en],
  ['zh', zh],
])('nothing is empty in %s', (_, table) => {
  expect(empty(table)).toEqual([]);
});
