// Clocks count down between two messages of the server.
import { describe, expect, test } from 'vitest';
import type { Clock } from '../api/types';
import { formatClock, formatSpent, passedAnnouncement, remainingTime } from './clock';

const clock = (more: Partial<Clock>): Clock => ({
  move_ms_left: 5000,
  game_ms_left: 60000,
  unit: 'wall',
  running: true,
  starts_in_ms: 0,
  ...more,
});

describe('remaining time', () => {
  test.each([
    [clock({}), 1000, { moveMs: 4000, gameMs: 59000, startsInMs: 0 }],
    [clock({ running: false }), 1000, { moveMs: 5000, gameMs: 60000, startsInMs: 0 }],
    [clock({ unit: 'cpu' }), 1000, { moveMs: 5000, gameMs: 60000, startsInMs: 0 }],
    [clock({ move_ms_left: null }), 1000, { moveMs: null, gameMs: 59000, startsInMs: 0 }],
    [clock({}), 9000, { moveMs: 0, gameMs: 51000, startsInMs: 0 }],
    [clock({}), -500, { moveMs: 5000, gameMs: 60000, startsInMs: 0 }],
    [clock({ starts_in_ms: 3000 }), 1000, { moveMs: 5000, gameMs: 60000, startsInMs: 2000 }],
    [clock({ starts_in_ms: 3000 }), 3500, { moveMs: 4500, gameMs: 59500, startsInMs: 0 }],
    [clock({ starts_in_ms: 3000, running: false }), 1000, { moveMs: 5000, gameMs: 60000, startsInMs: 0 }],
  ])('%o after %i ms', (given, elapsed, expected) => {
    expect(remainingTime(given, 100, 100 + elapsed)).toEqual(expected);
  });
});

test.each([
  [0, '0:00.0'],
  [1, '0:00.1'],
  [9500, '0:09.5'],
  [9999, '0:10'],
  [10_000, '0:10'],
  [59_001, '1:00'],
  [65_000, '1:05'],
  [3_600_000, '1:00:00'],
  [3_661_000, '1:01:01'],
])('%i ms', (ms, text) => {
  expect(formatClock(ms)).toBe(text);
});

test.each([
  [61_000, 60_000, 60],
  [61_000, 60_500, null],
  [60_000, 59_000, null],
  [10_100, 9_900, 10],
])('announced between %i and %i', (before, after, second) => {
  expect(passedAnnouncement(before, after)).toBe(second);
});

describe('time of a move', () => {
  test.each([
    [40, '0.0s'],
    [1234, '1.2s'],
    [9949, '9.9s'],
    [9999, '10s'],
    [59_400, '59s'],
    [65_000, '1:05'],
  ])('%i ms', (ms, expected) => expect(formatSpent(ms)).toBe(expected));
});
