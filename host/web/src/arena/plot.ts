// Where things stand in the pictures of ratings and of the test, in percent of their width. Pure.
import type { Interval } from '../api/arena';

/** From where to where a picture goes, and where it has lines. */
export interface Axis {
  low: number;
  high: number;
  ticks: number[];
}

/** The next larger of 1, 2, 5, 10, 20, … */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((nice) => nice * power >= least * (1 - 1e-9)) ?? 10;
  return step * power;
}

/** An axis over all values and ends, with four to nine lines; ends that are not bounded do not stretch it. */
export function axisOver(intervals: Interval[]): Axis {
  const all = intervals.flatMap(({ value, low, high }) => [value, low, high]).filter((end) => end !== null);
  if (all.length === 0) {
    return { low: -100, high: 100, ticks: [-100, -50, 0, 50, 100] };
  }
  let [least, most] = [Math.min(...all), Math.max(...all)];
  if (most - least < 10) {
    const middle = (most + least) / 2;
    [least, most] = [middle - 5, middle + 5];
  }
  const step = niceStep((most - least) / 6);
  const [low, high] = [Math.floor(least / step) * step, Math.ceil(most / step) * step];
  const ticks = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, nth) => Math.round(low / step + nth) * step);
  return { low, high, ticks };
}

/** Where a value stands, in percent of the width. */
export function percentAt(value: number, { low, high }: Pick<Axis, 'low' | 'high'>): number {
  return Math.max(0, Math.min(100, (100 * (value - low)) / (high - low)));
}

export interface Bar {
  from: number;
  to: number;
  at: number;
  /** Whether it goes on beyond that end. */
  openLow: boolean;
  openHigh: boolean;
}

export function barOf(interval: Interval, axis: Axis): Bar {
  return {
    from: interval.low === null ? 0 : percentAt(interval.low, axis),
    to: interval.high === null ? 100 : percentAt(interval.high, axis),
    at: percentAt(interval.value, axis),
    openLow: interval.low === null,
    openHigh: interval.high === null,
  };
}

/** The likelihood ratio of a test between its bounds: where it stands, and where nothing is said yet. */
export function testBar({ llr, lower, upper }: { llr: number; lower: number; upper: number }): { at: number; zero: number } {
  const axis = { low: lower, high: upper };
  return { at: percentAt(llr, axis), zero: percentAt(0, axis) };
}

/** The lines that a picture of the course has room for: the best of those that have ever had a rating. */
export function shownLines(ranking: number[], history: { ratings: (Interval | null)[] }[], most: number): number[] {
  return ranking.filter((player) => history.some(({ ratings }) => ratings[player] != null)).slice(0, most);
}
