// The relevant date of a contest, by the server's clock.
import type { ContestSummary } from '../api/contest';

/** The next date of a contest with the time until then, or the last date that has passed; null: there is none. */
export type RelevantDate =
  { kind: 'opens' | 'closes'; at: string; seconds: number } | { kind: 'closed' | 'over'; at: string } | null;

export function relevantDate(
  { phase, opens_at: opens, closes_at: closes, ended_at: over }: ContestSummary,
  nowMs: number,
): RelevantDate {
  const secondsUntil = (at: string) => Math.max(0, (Date.parse(at) - nowMs) / 1000);
  if (over !== null) {
    return { kind: 'over', at: over };
  }
  if (phase === 'announced' && opens !== null) {
    return { kind: 'opens', at: opens, seconds: secondsUntil(opens) };
  }
  if (closes === null) {
    return null;
  }
  return phase === 'closed'
    ? { kind: 'closed', at: closes }
    : { kind: 'closes', at: closes, seconds: secondsUntil(closes) };
}
