// The relevant date of a contest, by the server's clock.
import type { ContestSummary } from '../api/contest';

/** The next date of a contest with the time until then, or the last date that has passed; null: there is none. */
export type RelevantDate =
  { kind: 'opens' | 'closes'; at: string; seconds: number } | { kind: 'closed' | 'over'; at: string } | null;

export function relevantDate(
  { phase, opens_at: opens, closes_at: closes, ended_at: over }: ContestSummary,
  nowMs: number,
): RelevantDate {
  const secondsUntil = (at: string) => (Date.parse(at) - nowMs) / 1000;
  if (over !== null) {
    return { kind: 'over', at: over };
  }
  // The phase is that of the last response; a date may have passed since.
  if (phase === 'announced' && opens !== null && secondsUntil(opens) > 0) {
    return { kind: 'opens', at: opens, seconds: secondsUntil(opens) };
  }
  if (closes === null) {
    return null;
  }
  return phase === 'closed' || secondsUntil(closes) <= 0
    ? { kind: 'closed', at: closes }
    : { kind: 'closes', at: closes, seconds: secondsUntil(closes) };
}

/** A number of seconds as days and a clock, `06:05:04`, which keeps its width from one second to the next. */
export function splitCountdown(seconds: number): { days: number; clock: string } {
  const left = Math.max(0, Math.ceil(seconds));
  const parts = [Math.floor(left / 3600) % 24, Math.floor(left / 60) % 60, left % 60];
  return { days: Math.floor(left / 86_400), clock: parts.map((part) => String(part).padStart(2, '0')).join(':') };
}
