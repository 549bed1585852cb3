// Clocks between two messages of the server: the remaining time now, and how to show it. Pure; callers pass the time.
import type { Clock } from '../api/types';

/** Null: no limit of this kind. */
export interface RemainingTime {
  moveMs: number | null;
  gameMs: number | null;
  /** How long until the clock begins to count; 0: it counts, or is not running. */
  startsInMs: number;
}

/** The time left at `now` on a clock received at `receivedAt`, both in local milliseconds. Only wall clocks run locally. */
export function remainingTime(clock: Clock, receivedAt: number, now: number): RemainingTime {
  const runs = clock.running && clock.unit === 'wall';
  const elapsed = runs ? Math.max(0, now - receivedAt) : 0;
  const startsInMs = runs ? Math.max(0, clock.starts_in_ms - elapsed) : 0;
  const counted = Math.max(0, elapsed - clock.starts_in_ms);
  const remaining = (left: number | null) => (left === null ? null : Math.max(0, left - counted));
  return { moveMs: remaining(clock.move_ms_left), gameMs: remaining(clock.game_ms_left), startsInMs };
}

/** `1:05`, `12:00`, `1:00:00`; below ten seconds with tenths: `0:09.5`. Rounded up, so that 0:00 means that none is left. */
export function formatClock(ms: number): string {
  if (ms < 10_000) {
    const tenths = Math.ceil(ms / 100);
    return tenths >= 100 ? '0:10' : `0:0${Math.floor(tenths / 10)}.${tenths % 10}`;
  }
  const seconds = Math.ceil(ms / 1000);
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0
    ? `${hours}:${twoDigits(minutes)}:${twoDigits(seconds % 60)}`
    : `${minutes}:${twoDigits(seconds % 60)}`;
}

/** The remaining seconds at which a running clock is announced. */
const ANNOUNCED_SECONDS = [60, 30, 10, 5];

/** The announced second that was passed between two readings; null: none. */
export function passedAnnouncement(beforeMs: number, afterMs: number): number | null {
  return ANNOUNCED_SECONDS.find((second) => beforeMs > second * 1000 && afterMs <= second * 1000) ?? null;
}

/** The time that a move took: `0.4s`, `12s`, `1:05`. */
export function formatSpent(ms: number): string {
  if (ms < 9_950) {
    return `${(ms / 1000).toFixed(1)}s`;
  }
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
