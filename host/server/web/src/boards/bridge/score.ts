// The scores of bridge engines, converted to tricks above the expectation of north-south.
import type { Side } from '../../api/types';

/** The facts of a bridge position that this file reads; each may be missing. */
interface TrickFacts {
  tricks_left?: unknown;
  tricks_won?: { NS?: unknown; EW?: unknown };
  double_dummy_ns?: unknown;
}

/**
 * An engine's score is the number of tricks that the side to move will still take. The value to north-south is the
 * tricks they then have in total, minus their double-dummy result, or minus half of all tricks where that is unknown.
 * Null where the facts lack the trick counts.
 */
export function valueForNorthSouth(score: number, side: Side, facts: Record<string, unknown>): number | null {
  const { tricks_left: left, tricks_won: won, double_dummy_ns: doubleDummy } = facts as TrickFacts;
  if (typeof left !== 'number' || typeof won?.NS !== 'number' || typeof won.EW !== 'number') {
    return null;
  }
  const total = won.NS + (side === 0 ? score : left - score);
  return total - (typeof doubleDummy === 'number' ? doubleDummy : (left + won.NS + won.EW) / 2);
}
