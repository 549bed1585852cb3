// The dimensions of the drawn xiangqi board, in the units of its picture.
import { FILES, RANKS } from './notation';

/** The distance between two lines. */
export const CELL = 50;
/** The space around the points for the coordinates. */
export const MARGIN = 22;
export const WIDTH = 2 * MARGIN + CELL * FILES;
export const HEIGHT = 2 * MARGIN + CELL * RANKS;

/** The coordinate of a file or rank, counted from 0 at the left or the top. */
export function lineCentre(line: number): number {
  return MARGIN + CELL * (line + 0.5);
}
