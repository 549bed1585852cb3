// The numbers before moves, as lists of moves have them. Pure.
import { countDealt } from '../lib/record';

/** How the moves of a game are numbered. */
export interface MoveNumbering {
  /** The number of moves that share a number. */
  movesPerNumber: number;
  /** The number of outcomes of chance with which the game begins: they have no number. */
  dealt: number;
}

/** The numbering of a game: each round of all seats has a number. */
export function numberingOf(game: {
  players: readonly { seats: readonly number[] }[];
  plies: readonly { seat: number | null }[];
}): MoveNumbering {
  const seats = game.players.flatMap(({ seats }) => seats).length;
  return { movesPerNumber: Math.max(2, seats), dealt: countDealt(game.plies) };
}

/**
 * The number before the move with this many moves before it: `3.` for the first of those that share it. For another one
 * `3…` if it stands alone, as at the start of a line, else an empty text.
 */
export function moveNumber(before: number, { movesPerNumber, dealt }: MoveNumbering, standsAlone: boolean): string {
  const index = before - dealt;
  if (index < 0) {
    return '';
  }
  const number = Math.floor(index / movesPerNumber) + 1;
  return index % movesPerNumber === 0 ? `${number}.` : standsAlone ? `${number}…` : '';
}
