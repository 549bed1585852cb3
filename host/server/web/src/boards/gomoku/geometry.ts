// The dimensions of the drawn gomoku board, in the units of its picture.

/** The distance between two lines. */
export const CELL = 40;
/** The space around the points for the coordinates. */
export const MARGIN = 20;

/** The coordinate of a line, counted from 0. */
export function lineCentre(line: number): number {
  return MARGIN + CELL * (line + 0.5);
}

/** The width and height of the picture. */
export function pictureSize(size: number): number {
  return 2 * MARGIN + CELL * size;
}
