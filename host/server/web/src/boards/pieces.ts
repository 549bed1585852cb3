// Which pieces have gone from the board since the start. Pure; a piece is known by a key that its game defines.

/** How many pieces of each key are missing, in the order of the start. */
export function missingPieces(start: readonly string[], now: readonly string[]): { key: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const key of start) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const key of now) {
    counts.set(key, (counts.get(key) ?? 0) - 1);
  }
  return [...counts].flatMap(([key, count]) => (count > 0 ? [{ key, count }] : []));
}
