// Dates and tokens of contests, each case beside a near miss.
import { expect, test } from 'vitest';
import type { ContestCard } from '../api/contest';
import { dropPass, keepPass, passOf } from './pass';
import { momentOf } from './phase';

const card = (more: Partial<ContestCard>): ContestCard => ({
  id: 'a', name: 'A', game: 'gomoku', variant: 'freestyle-15', phase: 'open', opens: null, closes: null, over: null, running: true, entrants: 0, ...more,
});
const opens = '2026-12-01T00:00:00Z';
const closes = '2026-12-02T00:00:00Z';

test.each([
  [card({}), null],
  [card({ closes }), { what: 'closes', at: closes, seconds: 90 }],
  [card({ opens, closes }), { what: 'closes', at: closes, seconds: 90 }],
  [card({ closes, phase: 'closed' }), { what: 'closed', at: closes }],
  [card({ closes, phase: 'closed', over: closes }), { what: 'over', at: closes }],
  [card({ opens, phase: 'announced' }), { what: 'opens', at: opens, seconds: 0 }],
])('what counts of %o', (of, expected) => {
  expect(momentOf(of, Date.parse(closes) - 90_000)).toEqual(expected);
});

test('a token is kept for its contest alone, and dropped', () => {
  const kept = new Map<string, string>();
  const store = { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) };
  keepPass(store, 'a', ' sbt-1\n');
  expect([passOf(store, 'a'), passOf(store, 'b')]).toEqual(['sbt-1', null]);
  dropPass(store, 'a');
  expect(passOf(store, 'a')).toBeNull();
});
