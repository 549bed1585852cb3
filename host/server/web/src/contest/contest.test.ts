// Dates and tokens of contests.
import { expect, test } from 'vitest';
import type { ContestSummary } from '../api/contest';
import { relevantDate } from './dates';
import { loadToken, removeToken, storeToken } from './token';

const contest = (more: Partial<ContestSummary>): ContestSummary => ({
  id: 'a',
  name: 'A',
  game: 'gomoku',
  variant: 'freestyle-15',
  phase: 'open',
  opens_at: null,
  closes_at: null,
  ended_at: null,
  running: true,
  entrants: 0,
  ...more,
});
const opens = '2026-12-01T00:00:00Z';
const closes = '2026-12-02T00:00:00Z';

test.each([
  [contest({}), null],
  [contest({ closes_at: closes }), { kind: 'closes', at: closes, seconds: 90 }],
  [contest({ opens_at: opens, closes_at: closes }), { kind: 'closes', at: closes, seconds: 90 }],
  [contest({ closes_at: closes, phase: 'closed' }), { kind: 'closed', at: closes }],
  [contest({ closes_at: closes, phase: 'closed', ended_at: closes }), { kind: 'over', at: closes }],
  [contest({ opens_at: opens, phase: 'announced' }), { kind: 'opens', at: opens, seconds: 0 }],
])('the relevant date of %o', (summary, expected) => {
  expect(relevantDate(summary, Date.parse(closes) - 90_000)).toEqual(expected);
});

test('a token is stored for its contest alone, and removed', () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  };
  storeToken(storage, 'a', ' sbt-1\n');
  expect([loadToken(storage, 'a'), loadToken(storage, 'b')]).toEqual(['sbt-1', null]);
  removeToken(storage, 'a');
  expect(loadToken(storage, 'a')).toBeNull();
});
