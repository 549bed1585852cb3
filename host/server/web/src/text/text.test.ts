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

test.each([
  [2, 'match of 12 pairs', '3 of 12 pairs', 'pair 1, round 2', '1 void pair'],
  [4, 'match of 12 tables', '3 of 12 tables', 'table 1, round 2', '1 void table'],
])('an arena of %i players in each game', (players, format, progress, place, voided) => {
  const t = en.arenas;
  expect(t.format({ format: 'match', pairs: 12 }, players)).toBe(format);
  expect([t.pairs('3', '12', players), t.pairAndRound(1, 2, players)]).toEqual([progress, place]);
  expect(t.voidPairs(1, players)).toMatch(voided);
  expect(zh.arenas.pairAndRound(1, 2, players)).toContain(players > 2 ? '桌' : '对');
});
