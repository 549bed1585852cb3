// Which pieces have gone from the board since the start. Pure; a piece is known by a key that its game defines: its colour,
// a space, and more.

const colorOf = (key: string): string => key.split(' ', 1)[0]!;

/**
 * How many pieces of each key are missing, in the order of the start. A side may have a new piece, such as a queen for a pawn.
 * Then the piece of which that side had most at the start has become it, and is not missing.
 */
export function missingPieces(start: readonly string[], now: readonly string[]): { key: string; count: number }[] {
  const missing = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const key of start) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    missing.set(key, (missing.get(key) ?? 0) + 1);
  }
  for (const key of now) {
    missing.set(key, (missing.get(key) ?? 0) - 1);
  }
  for (const [added, count] of missing) {
    for (let surplus = -count; surplus > 0; surplus -= 1) {
      const ofSide = [...missing].filter(([key, left]) => left > 0 && colorOf(key) === colorOf(added));
      const [from] = ofSide.sort(([a], [b]) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
      if (from === undefined) {
        break;
      }
      missing.set(from[0], from[1] - 1);
    }
  }
  return [...missing].flatMap(([key, count]) => (count > 0 ? [{ key, count }] : []));
}
