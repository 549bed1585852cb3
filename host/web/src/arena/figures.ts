// The figures of an arena as people read them: points, Elo with its interval, shares, times. Pure.
import type { Interval, Tally } from '../api/arena';

const MINUS = '−';

/** A number with so many digits after the point and a real minus. */
export function fixed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

/** `+12.3`, `−4.0`, `0.0`. */
export function signed(value: number, digits: number): string {
  const text = fixed(value, digits);
  return value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** `12.5`, `3`: points from half points. */
export function points(half_points: number): string {
  return half_points % 2 === 0 ? String(half_points / 2) : (half_points / 2).toFixed(1);
}

/** `56.3 %` of a share from 0 to 1. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** A likelihood from 0 to 1: never written as certain where it is not. */
export function likelihood(share: number): string {
  if (share > 0.9999 && share < 1) {
    return '> 99.99 %';
  }
  if (share > 0 && share < 0.0001) {
    return '< 0.01 %';
  }
  return `${(100 * share).toFixed(share > 0.99 || share < 0.01 ? 2 : 1)} %`;
}

export const games = ({ wins, draws, losses }: Tally): number => wins + draws + losses;
export const halfPoints = ({ wins, draws }: Tally): number => 2 * wins + draws;
export const turned = ({ wins, draws, losses }: Tally): Tally => ({ wins: losses, draws, losses: wins });
export const sum = (a: Tally, b: Tally): Tally => ({
  wins: a.wins + b.wins,
  draws: a.draws + b.draws,
  losses: a.losses + b.losses,
});

/** The share of the points; null where no game was played. */
export function share(tally: Tally): number | null {
  const all = games(tally);
  return all === 0 ? null : halfPoints(tally) / (2 * all);
}

/** `+5 =2 −1`. */
export const tallyText = ({ wins, draws, losses }: Tally): string => `+${wins} =${draws} ${MINUS}${losses}`;

/** The ends of an interval; what is not bounded is infinity. */
export function ends(interval: Interval, digits: number): [string, string] {
  return [
    interval.low === null ? `${MINUS}∞` : signed(interval.low, digits),
    interval.high === null ? '+∞' : signed(interval.high, digits),
  ];
}

/** `850 µs`, `12.3 ms`, `1.20 s`, of microseconds. */
export function timeText(us: number): string {
  if (us < 999.5) {
    return `${Math.round(us)} µs`;
  }
  if (us < 999_500) {
    return `${three(us / 1000)} ms`;
  }
  return `${three(us / 1_000_000)} s`;
}

/** Three digits that count; whole numbers whole. */
function three(value: number): string {
  return value >= 99.95 ? String(Math.round(value)) : value.toFixed(value >= 9.995 ? 1 : 2);
}

/** A duration in its two largest units. */
export interface Duration {
  days: number;
  hours: number;
  minutes: number;
  seconds: number;
}

/** What a number of seconds is, rounded up; below its two largest units nothing is told. */
export function duration(seconds: number): Duration {
  let left = Math.max(0, Math.ceil(seconds));
  const step = left >= 86_400 ? 3600 : left >= 3600 ? 60 : 1;
  left = Math.ceil(left / step) * step;
  const days = Math.floor(left / 86_400);
  const hours = Math.floor(left / 3600) % 24;
  const minutes = Math.floor(left / 60) % 60;
  return { days, hours, minutes, seconds: left % 60 };
}

/** How much of it is done, from 0 to 1; null: nobody can say. */
export function done(counted: number, left: number): number | null {
  return counted + left === 0 ? null : counted / (counted + left);
}
