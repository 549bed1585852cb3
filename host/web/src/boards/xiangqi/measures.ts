// The measures of the drawn board of xiangqi, in the picture's own units.
import { FILES, RANKS } from './notation';

/** From one line to the next. */
export const CELL = 50;
/** Around the points, for the coordinates. */
export const MARGIN = 22;
export const WIDTH = 2 * MARGIN + CELL * FILES;
export const HEIGHT = 2 * MARGIN + CELL * RANKS;

/** Where a file or rank runs, by its number from 0 at the left or the top. */
export function centre(line: number): number {
  return MARGIN + CELL * (line + 0.5);
}
