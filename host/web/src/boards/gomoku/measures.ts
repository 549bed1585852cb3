// The measures of the drawn board of gomoku, in the picture's own units.

/** From one line to the next. */
export const CELL = 40;
/** Around the points, for the coordinates. */
export const MARGIN = 20;

/** Where a line runs, by its number from 0. */
export function centre(line: number): number {
  return MARGIN + CELL * (line + 0.5);
}

/** How wide and high the picture is. */
export function extent(size: number): number {
  return 2 * MARGIN + CELL * size;
}
