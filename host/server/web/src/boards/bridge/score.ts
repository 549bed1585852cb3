// The scores of bridge engines, converted to the tricks of north-south.
import type { Side } from '../../api/types';

/** The facts of a bridge position that this file reads; each may be missing. */
interface TrickFacts {
  tricks_left?: unknown;
  tricks_won?: { NS?: unknown; EW?: unknown };
}

/**
 * An engine's score is the number of tricks that the side to move will still take. The value is the number of tricks that
 * north-south then have at the end of the deal. Null where the facts lack the trick counts.
 */
export function tricksOfNorthSouth(score: number, side: Side, facts: Record<string, unknown>): number | null {
  const { tricks_left: left, tricks_won: won } = facts as TrickFacts;
  if (typeof left !== 'number' || typeof won?.NS !== 'number' || typeof won.EW !== 'number') {
    return null;
  }
  return won.NS + (side === 0 ? score : left - score);
}
