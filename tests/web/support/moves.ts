// Moves of whole games for tests.

/**
 * The moves of a game of gomoku that fills a board of this size, in turn. Pairs of stones in shifted rows: no colour has five
 * in a row.
 */
export function fullBoard(size: number): string[] {
  const points = Array.from({ length: size * size }, (_, at) => ({ column: at % size, row: Math.floor(at / size) }));
  const isBlack = ({ column, row }: { column: number; row: number }) => (column + 2 * row) % 4 < 2;
  const name = ({ column, row }: { column: number; row: number }) => String.fromCharCode(97 + column) + (row + 1);
  const [black, white] = [points.filter(isBlack).map(name), points.filter((point) => !isBlack(point)).map(name)];
  return black.flatMap((move, at) => [move, white[at]!]).filter(Boolean);
}
