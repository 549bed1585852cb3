// The text tables have the same keys at run time, and no text is empty.
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

test('all languages have the same keys', () => {
  expect(paths(zh).sort()).toEqual(paths(en).sort());
});

test.each([
  ['en', en],
  ['zh', zh],
])('no text is empty in %s', (_, table) => {
  expect(empty(table)).toEqual([]);
});
