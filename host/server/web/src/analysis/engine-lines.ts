// The lines that an engine reports for one position. Pure.
import type { EngineLine } from '../api/types';

/**
 * The lines with a newer one in place of that of its rank, the best for the side to move first. A line that is less deep than
 * the engine's first one is an estimate: its value does not compare, and it comes after the deeper ones.
 */
export function withLine(lines: readonly EngineLine[], line: EngineLine): EngineLine[] {
  const rankOf = ({ rank = 1 }: { rank?: number }) => rank;
  const others = lines.filter((other) => rankOf(other) !== rankOf(line));
  const all = [...others, line].sort((a, b) => rankOf(a) - rankOf(b));
  const depth = all[0]?.depth ?? 0;
  const isEstimate = (other: EngineLine) => other.depth < depth;
  // `|| 0`: the difference of two missing scores is not a number.
  return all.sort(
    (a, b) => Number(isEstimate(a)) - Number(isEstimate(b)) || (b.score ?? -Infinity) - (a.score ?? -Infinity) || 0,
  );
}
