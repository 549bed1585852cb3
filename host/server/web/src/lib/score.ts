// Scores of engines as text and in charts. Pure.
import type { ScoreScale } from '../boards/types';
import { formatPoints } from './standings';

/** A forced win in n plies has the score ±(30000 − n); every score beyond this bound is one. */
const FORCED_WIN_BOUND = 29_000;
const WIN_SCORE = 30_000;

/** The plies to a forced win (positive) or loss (negative); null if the score is neither. */
export function forcedPlies(score: number, scale: ScoreScale): number | null {
  if (scale.unit === 1 || Math.abs(score) < FORCED_WIN_BOUND) {
    return null;
  }
  const plies = Math.max(0, WIN_SCORE - Math.abs(score));
  return score > 0 ? plies : -plies;
}

/** `+1.25`, `−3`, `0`; `+#5` is a forced win in five plies. Where values are no differences they have no plus: `7`. */
export function formatScore(score: number, scale: ScoreScale): string {
  if (scale.even !== undefined) {
    return formatPoints(score);
  }
  const sign = score > 0 ? '+' : score < 0 ? '−' : '';
  const plies = forcedPlies(score, scale);
  if (plies !== null) {
    return `${sign}#${Math.abs(plies)}`;
  }
  const value = Math.abs(score) / scale.unit;
  return sign + (scale.unit === 1 ? String(value) : value.toFixed(2));
}

/** How much better a value is than that of an equal position, in displayed units. */
export const differenceFromEven = (value: number, { unit, even = 0 }: ScoreScale): number => value / unit - even;

/** The difference from an equal position for a chart, clipped to ±`limit`. */
export function chartValue(score: number, scale: ScoreScale, limit: number): number {
  const value = differenceFromEven(score, scale);
  return Math.max(-limit, Math.min(limit, value));
}
