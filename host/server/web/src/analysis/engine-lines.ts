// The lines that an engine reports for one position. Pure.
import type { EngineLine } from '../api/types';

/**
 * The lines with a newer one in place of that of its rank, the best for the side to move first. Lines are not all as deep, so
 * that their ranks, which are those in which they were searched, need not be in the order of their scores.
 */
export function withLine(lines: readonly EngineLine[], line: EngineLine): EngineLine[] {
  const rankOf = ({ rank = 1 }: { rank?: number }) => rank;
  const others = lines.filter((other) => rankOf(other) !== rankOf(line));
  return [...others, line].sort((a, b) => (b.score ?? 0) - (a.score ?? 0) || rankOf(a) - rankOf(b));
}
