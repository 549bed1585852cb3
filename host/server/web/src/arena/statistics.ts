// Statistics of an arena and their text form: points, Elo with its interval, shares, times. Pure.
import type { ArenaView, Interval, Tally } from '../api/arena';
import { sideName } from '../text/i18n.svelte';

const MINUS = '−';

/** A number with a fixed number of decimals and a typographic minus. */
export function formatFixed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

/** `+12.3`, `−4.0`, `0.0`. */
export function formatSigned(value: number, digits: number): string {
  const text = formatFixed(value, digits);
  return value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** `12.5`, `3`: points from half points. */
export function formatPoints(half_points: number): string {
  return half_points % 2 === 0 ? String(half_points / 2) : (half_points / 2).toFixed(1);
}

/** `1–0`, `½–½`, `3–1½–1½–0`: the points of a game, from the half points of its players. */
export function formatResult(half_points: number[]): string {
  return half_points.map((points) => (points === 1 ? '½' : formatPoints(points))).join('–');
}

/** `56.3 %` of a share from 0 to 1. */
export function formatPercent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** A likelihood from 0 to 1. An uncertain one is never rounded to 0 % or 100 %. */
export function formatLikelihood(share: number): string {
  if (share > 0.9999 && share < 1) {
    return '> 99.99 %';
  }
  if (share > 0 && share < 0.0001) {
    return '< 0.01 %';
  }
  return `${(100 * share).toFixed(share > 0.99 || share < 0.01 ? 2 : 1)} %`;
}

export const gameCount = ({ wins, draws, losses }: Tally): number => wins + draws + losses;
export const halfPoints = ({ wins, draws }: Tally): number => 2 * wins + draws;
/** The results from the opponent's view. */
export const reverseTally = ({ wins, draws, losses }: Tally): Tally => ({ wins: losses, draws, losses: wins });
export const addTallies = (...tallies: Tally[]): Tally =>
  tallies.reduce((a, b) => ({ wins: a.wins + b.wins, draws: a.draws + b.draws, losses: a.losses + b.losses }), {
    wins: 0,
    draws: 0,
    losses: 0,
  });

/** The name of a place at the board, from 0: that of the side, if each side has one player; else `seat` and a number. */
export function placeName(
  { game, sides, seats }: Pick<ArenaView, 'game' | 'sides' | 'seats'>,
  place: number,
  seat: (n: number) => string,
) {
  const side = sides.length === seats ? sides[place] : undefined;
  return side === undefined ? seat(place + 1) : sideName(side, game);
}

/** The share of the points; null without games. */
export function pointShare(tally: Tally): number | null {
  const count = gameCount(tally);
  return count === 0 ? null : halfPoints(tally) / (2 * count);
}

/** `+5 =2 −1`. */
export const formatTally = ({ wins, draws, losses }: Tally): string => `+${wins} =${draws} ${MINUS}${losses}`;

/** The ends of an interval; an unbounded end is infinite. */
export function formatBounds({ low, high }: Interval, digits: number, isRelative = true): [string, string] {
  const format = isRelative ? formatSigned : formatFixed;
  return [
    low === null ? `${MINUS}∞` : format(low, digits),
    high === null ? (isRelative ? '+∞' : '∞') : format(high, digits),
  ];
}

/** Microseconds as `850 µs`, `12.3 ms`, `1.20 s`. */
export function formatMicroseconds(us: number): string {
  if (us < 999.5) {
    return `${Math.round(us)} µs`;
  }
  if (us < 999_500) {
    return `${threeDigits(us / 1000)} ms`;
  }
  return `${threeDigits(us / 1_000_000)} s`;
}

/** Three significant digits; larger numbers rounded to integers. */
function threeDigits(value: number): string {
  return value >= 99.95 ? String(Math.round(value)) : value.toFixed(value >= 9.995 ? 1 : 2);
}

/** A duration in its two largest units. */
export interface Duration {
  days: number;
  hours: number;
  minutes: number;
  seconds: number;
}

/** A number of seconds, rounded up to its two largest units. */
export function splitDuration(seconds: number): Duration {
  let left = Math.max(0, Math.ceil(seconds));
  const step = left >= 86_400 ? 3600 : left >= 3600 ? 60 : 1;
  left = Math.ceil(left / step) * step;
  const days = Math.floor(left / 86_400);
  const hours = Math.floor(left / 3600) % 24;
  const minutes = Math.floor(left / 60) % 60;
  return { days, hours, minutes, seconds: left % 60 };
}

/** The completed share, from 0 to 1; null: there is nothing to do. */
export function completedShare(counted: number, left: number): number | null {
  return counted + left === 0 ? null : counted / (counted + left);
}
