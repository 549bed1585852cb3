// The dimensions of the drawn gomoku board, in the units of its picture.

/** The distance between two lines. */
export const CELL = 40;

/** The size of the letters and numbers at the edges: larger boards are shown at a smaller scale. */
export function labelSize(size: number): number {
  return Math.round(19 * Math.max(0.7, size / 15));
}

/** The space around the points: two digits beside a stone at the edge. */
export function marginOf(size: number): number {
  return Math.round(labelSize(size) * 1.45);
}

/** The coordinate of a line, counted from 0. */
export function lineCentre(size: number, line: number): number {
  return marginOf(size) + CELL * (line + 0.5);
}

/** The width and height of the picture. */
export function pictureSize(size: number): number {
  return 2 * marginOf(size) + CELL * size;
}
