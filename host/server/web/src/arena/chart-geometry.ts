// The geometry of the rating charts and of the sequential test's bar, in percent of their width. Pure.
import type { Interval } from '../api/arena';

/** The range of a chart and its grid lines. */
export interface Axis {
  low: number;
  high: number;
  ticks: number[];
}

/** The smallest of 1, 2, 5, 10, 20, … that is at least `min`. */
export function roundStep(min: number): number {
  const power = 10 ** Math.floor(Math.log10(min));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= min * (1 - 1e-9)) ?? 10;
  return step * power;
}

/** An axis over all values and bounds, with four to nine grid lines. Unbounded ends do not extend it. */
export function createAxis(intervals: Interval[]): Axis {
  const all = intervals.flatMap(({ value, low, high }) => [value, low, high]).filter((end) => end !== null);
  if (all.length === 0) {
    return { low: -100, high: 100, ticks: [-100, -50, 0, 50, 100] };
  }
  let [min, max] = [Math.min(...all), Math.max(...all)];
  if (max - min < 10) {
    const middle = (max + min) / 2;
    [min, max] = [middle - 5, middle + 5];
  }
  const step = roundStep((max - min) / 6);
  const [low, high] = [Math.floor(min / step) * step, Math.ceil(max / step) * step];
  const ticks = Array.from(
    { length: Math.round((high - low) / step) + 1 },
    (_, index) => Math.round(low / step + index) * step,
  );
  return { low, high, ticks };
}

/** The position of a value, in percent of the width; values outside the axis are clipped. */
export function percentAt(value: number, { low, high }: Pick<Axis, 'low' | 'high'>): number {
  return Math.max(0, Math.min(100, (100 * (value - low)) / (high - low)));
}

/** The bar of an interval, in percent of the width. */
export interface IntervalBar {
  from: number;
  to: number;
  value: number;
  /** Whether the interval is unbounded at that end. */
  isOpenLow: boolean;
  isOpenHigh: boolean;
}

export function createBar(interval: Interval, axis: Axis): IntervalBar {
  return {
    from: interval.low === null ? 0 : percentAt(interval.low, axis),
    to: interval.high === null ? 100 : percentAt(interval.high, axis),
    value: percentAt(interval.value, axis),
    isOpenLow: interval.low === null,
    isOpenHigh: interval.high === null,
  };
}

/** The log-likelihood ratio of a sequential test and zero, between the bounds of the test. */
export function createTestBar({ llr, lower, upper }: { llr: number; lower: number; upper: number }): {
  ratio: number;
  zero: number;
} {
  const axis = { low: lower, high: upper };
  return { ratio: percentAt(llr, axis), zero: percentAt(0, axis) };
}

/** The players in the chart of the rating history: the best of those that ever had a rating. */
export function chartedPlayers(ranking: number[], history: { ratings: (Interval | null)[] }[], max: number): number[] {
  return ranking.filter((player) => history.some(({ ratings }) => ratings[player] != null)).slice(0, max);
}
