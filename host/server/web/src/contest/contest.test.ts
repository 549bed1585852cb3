// Dates and tokens of contests.
import { expect, test } from 'vitest';
import type { ContestSummary } from '../api/contest';
import { relevantDate, splitCountdown } from './dates';
import { invitationLink, invitationOfFragment, loadToken, removeToken, storeToken } from './token';

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
  server_time: '2026-12-01T00:00:00Z',
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
  // The date has passed since the response.
  [contest({ opens_at: opens, phase: 'announced' }), null],
  [contest({ opens_at: closes, phase: 'announced' }), { kind: 'opens', at: closes, seconds: 90 }],
  [contest({ closes_at: opens }), { kind: 'closed', at: opens }],
])('the relevant date of %o', (summary, expected) => {
  expect(relevantDate(summary, Date.parse(closes) - 90_000)).toEqual(expected);
});

test.each([
  [0, { days: 0, clock: '00:00:00' }],
  [-5, { days: 0, clock: '00:00:00' }],
  [0.2, { days: 0, clock: '00:00:01' }],
  [59, { days: 0, clock: '00:00:59' }],
  [3600, { days: 0, clock: '01:00:00' }],
  [86_399, { days: 0, clock: '23:59:59' }],
  [86_400, { days: 1, clock: '00:00:00' }],
  [10 * 86_400 + 7384, { days: 10, clock: '02:03:04' }],
])('the countdown of %d s', (seconds, expected) => {
  expect(splitCountdown(seconds)).toEqual(expected);
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

test.each([
  ['', null],
  ['#invitation=', null],
  [`#invitation=sbi-${'0a'.repeat(20)}`, `sbi-${'0a'.repeat(20)}`],
  [`#invitation=sbi-${'0a'.repeat(20)}0`, null],
  [`#invitation=sbt-${'0a'.repeat(20)}`, null],
  ['#invitation=sbi-<script>', null],
])('the invitation of %s', (fragment, expected) => {
  expect(invitationOfFragment(fragment)).toBe(expected);
});

test('a link has its invitation in the fragment', () => {
  const secret = `sbi-${'0a'.repeat(20)}`;
  const link = new URL(invitationLink('https://host', 'Herbst 2026', secret));
  expect([link.pathname, link.search]).toEqual(['/contests/Herbst%202026/register', '']);
  expect(invitationOfFragment(link.hash)).toBe(secret);
});
