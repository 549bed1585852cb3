// The cells of a board that a move is made on, in the order of the clicks. Pure; knows no rule of a game.
import type { Position } from '../api/types';
import { games } from '.';

/** A legal move and its cells; none: the move is a button. */
export interface CellMove {
  move: string;
  cells: readonly string[];
}

/** The legal moves of a position that are made on cells: those of the board as data, or of the game's notation. */
export function cellMoves(game: string, position: Position): CellMove[] {
  if (games[game] === undefined) {
    const legal = new Set(position.legal);
    return (position.board?.moves ?? []).flatMap(({ move, places = [] }) =>
      legal.has(move) && places.length > 0 ? [{ move, cells: places }] : [],
    );
  }
  return position.legal.map((move) => ({ move, cells: cellsOf(game, move, null) }));
}

/** The cells of a move; `before` is the position before it, which the moves of some games need. */
export function cellsOf(game: string, move: string, before: Position | null): readonly string[] {
  const definition = games[game];
  if (definition === undefined) {
    return before?.board?.moves?.find((other) => other.move === move)?.places ?? [];
  }
  return definition.moveCells?.(move) ?? [move];
}

/** The legal moves that are made on exactly these cells. */
export function movesOn(moves: readonly CellMove[], cells: readonly string[]): string[] {
  const found = moves.filter(
    (move) => move.cells.length === cells.length && move.cells.every((c, n) => c === cells[n]),
  );
  return [...new Set(found.map(({ move }) => move))];
}
