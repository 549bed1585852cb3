// What is said of a contest's dates, by the server's clock.
import type { ContestCard } from '../api/contest';

/** The date that counts next, or counted last; null: there is none. */
export type Moment = { what: 'opens' | 'closes'; at: string; seconds: number } | { what: 'closed' | 'over'; at: string } | null;

export function momentOf({ phase, opens, closes, over }: ContestCard, now_ms: number): Moment {
  const seconds = (at: string) => Math.max(0, (Date.parse(at) - now_ms) / 1000);
  if (over !== null) {
    return { what: 'over', at: over };
  }
  if (phase === 'announced' && opens !== null) {
    return { what: 'opens', at: opens, seconds: seconds(opens) };
  }
  if (closes === null) {
    return null;
  }
  return phase === 'closed' ? { what: 'closed', at: closes } : { what: 'closes', at: closes, seconds: seconds(closes) };
}
