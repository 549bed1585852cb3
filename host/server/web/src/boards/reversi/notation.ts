// The notation of reversi: position texts, squares, and descriptions of moves. Computes which discs a move flips, only to
// show them; legal moves come from the server.
import type { Position } from '../../api/types';
import type { Language } from '../../text/language';
import { NotationError, splitWords, tryParse } from '../shared/parsing';
import { columnName, type StoneColor } from '../shared/stones';
import { texts } from './texts';

export interface ReversiPosition {
  size: number;
  /** The disc on each square, row by row from the top: a1, b1, … */
  discs: (StoneColor | null)[];
  /** The side to move. */
  next: StoneColor;
}

/** The move of a side without another legal move. */
export const PASS = 'pass';

const SIZES = [4, 6, 8, 10, 12, 14, 16];
const COLORS: Record<string, StoneColor | null | undefined> = { X: 'black', O: 'white', '-': null };

/** The name of a square, by its column from the left and its row from the top, both from 0. */
export function squareName(column: number, row: number): string {
  return `${columnName(column)}${row + 1}`;
}

/** The index of a square in `ReversiPosition.discs`; null for a name that is not a square of the board. */
export function squareIndex(size: number, square: string): number | null {
  const match = /^([a-p])([1-9][0-9]?)$/.exec(square);
  if (!match) {
    return null;
  }
  const column = match[1]!.charCodeAt(0) - 97;
  const row = Number(match[2]) - 1;
  return column < size && row < size ? row * size + column : null;
}

/** Reads a position text. Throws a `NotationError`. */
export function parsePosition(text: string): ReversiPosition {
  const [squares, side, extra] = splitWords(text);
  if (!squares || !side) {
    throw new NotationError(text, text.length, 'expected squares and the side to move');
  }
  const size = Math.sqrt(squares.text.length);
  if (!SIZES.includes(size)) {
    throw new NotationError(text, squares.index, `${squares.text.length} squares; a board has 16, 36, 64, … 256`);
  }
  const discs = Array.from(squares.text, (letter, offset) => {
    const color = COLORS[letter];
    if (color === undefined) {
      throw new NotationError(text, squares.index + offset, `expected \`X\`, \`O\` or \`-\`, not \`${letter}\``);
    }
    return color;
  });
  const next = COLORS[side.text];
  if (!next) {
    throw new NotationError(text, side.index, 'the side to move must be `X` or `O`');
  }
  if (extra) {
    throw new NotationError(text, extra.index, `unexpected word \`${extra.text}\` after the side to move`);
  }
  return { size, discs, next };
}

/** The indices of the discs that a move to this square flips; empty if it flips none. */
export function flippedDiscs(position: ReversiPosition, index: number): number[] {
  const { size, discs, next } = position;
  if (discs[index] !== null) {
    return [];
  }
  const [row, column] = [Math.floor(index / size), index % size];
  const directions = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [down, right] as const));
  return directions.flatMap(([down, right]) => {
    const line: number[] = [];
    for (let steps = 1; ; steps++) {
      const [r, c] = [row + down * steps, column + right * steps];
      const disc = r < 0 || c < 0 || r >= size || c >= size || (down === 0 && right === 0) ? null : discs[r * size + c];
      if (!disc) {
        return [];
      }
      if (disc === next) {
        return line;
      }
      line.push(r * size + c);
    }
  });
}

/** The number of discs of each side. */
export function countDiscs(position: ReversiPosition): Record<StoneColor, number> {
  const count = (color: StoneColor) => position.discs.filter((disc) => disc === color).length;
  return { black: count('black'), white: count('white') };
}

/** Describes a move: "f5, black, flips 1". */
export function describeMove(move: string, position: Position | null, language: Language): string {
  const t = texts(language);
  const parsed = position ? tryParse(() => parsePosition(position.position)).value : undefined;
  if (move === PASS) {
    return parsed ? t.passes(t.colors[parsed.next]) : t.pass;
  }
  const index = parsed ? squareIndex(parsed.size, move) : null;
  if (!parsed || index === null) {
    return move;
  }
  return t.cell(move, t.colors[parsed.next], t.flips(flippedDiscs(parsed, index).length));
}
