// What a clock shows now: what the server said, less the time since then if it runs. Pure; the moment is given.
import type { Clock } from '../api/types';

export interface Shown {
  moveMs: number | null;
  gameMs: number | null;
}

/** What is left of a clock at `now`, which was told at `at`, both in local milliseconds. */
export function shown(clock: Clock, at: number, now: number): Shown {
  const gone = clock.running && clock.unit === 'wall' ? Math.max(0, now - at) : 0;
  const less = (left: number | null) => (left === null ? null : Math.max(0, left - gone));
  return { moveMs: less(clock.move_ms_left), gameMs: less(clock.game_ms_left) };
}

/** `1:05`, `12:00`, `1:00:00`; below ten seconds with a tenth: `0:09.5`. Rounded up, so that 0:00 means none left. */
export function clockText(ms: number): string {
  if (ms < 10_000) {
    const tenths = Math.ceil(ms / 100);
    return tenths >= 100 ? '0:10' : `0:0${Math.floor(tenths / 10)}.${tenths % 10}`;
  }
  const seconds = Math.ceil(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** The moments at which a running clock is said aloud, in seconds. */
const SAID = [60, 30, 10, 5];

/** Which of those moments lies between two readings; null: none. */
export function crossed(beforeMs: number, afterMs: number): number | null {
  return SAID.find((second) => beforeMs > second * 1000 && afterMs <= second * 1000) ?? null;
}
