// Texts of reversi: positions, squares, and what a disc would flip, for show.
// Which moves are legal it leaves to the rules.
import type { Position } from '../../api/types';
import type { Lang } from '../board';
import { columnName, type Color } from '../discs';
import { attempt, NotationError, wordsOf } from '../fault';
import { texts } from './texts';

export interface Board {
  size: number;
  /** Each square's disc, a1, b1, …, row by row from the top. */
  discs: (Color | null)[];
  next: Color;
}

/** The move of who can put no disc. */
export const PASS = 'pass';

const SIZES = [4, 6, 8, 10, 12, 14, 16];
const COLORS: Record<string, Color | null | undefined> = { X: 'black', O: 'white', '-': null };

/** The name of a square by its column from the left and row from the top, from 0. */
export function squareAt(column: number, row: number): string {
  return `${columnName(column)}${row + 1}`;
}

/** The place of a square in `Board.discs`; null for what is no square of the board. */
export function indexOf(size: number, square: string): number | null {
  const found = /^([a-p])([1-9][0-9]?)$/.exec(square);
  if (!found) return null;
  const column = found[1]!.charCodeAt(0) - 97;
  const row = Number(found[2]) - 1;
  return column < size && row < size ? row * size + column : null;
}

/** Reads a position text. Throws a `NotationError` where it is none. */
export function parse(text: string): Board {
  const [squares, side, extra] = wordsOf(text);
  if (!squares || !side) throw new NotationError(text, text.length, 'squares and a side are wanted');
  const size = Math.sqrt(squares.text.length);
  if (!SIZES.includes(size)) {
    throw new NotationError(text, squares.at, `${squares.text.length} squares; boards have 16, 36, 64, … 256`);
  }
  const discs = Array.from(squares.text, (letter, at) => {
    const color = COLORS[letter];
    if (color === undefined) throw new NotationError(text, squares.at + at, `\`${letter}\` is no disc and no empty square`);
    return color;
  });
  const next = COLORS[side.text];
  if (!next) throw new NotationError(text, side.at, 'the side is `X` or `O`');
  if (extra) throw new NotationError(text, extra.at, `nothing is wanted behind the side, not \`${extra.text}\``);
  return { size, discs, next };
}

/** The places of the discs that flip when the side to move puts one on this square; none where it cannot. */
export function flips(board: Board, index: number): number[] {
  const { size, discs, next } = board;
  if (discs[index] !== null) return [];
  const [row, column] = [Math.floor(index / size), index % size];
  const directions = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [down, right] as const));
  return directions.flatMap(([down, right]) => {
    const line: number[] = [];
    for (let steps = 1; ; steps++) {
      const [r, c] = [row + down * steps, column + right * steps];
      const disc = r < 0 || c < 0 || r >= size || c >= size || (down === 0 && right === 0) ? null : discs[r * size + c];
      if (!disc) return [];
      if (disc === next) return line;
      line.push(r * size + c);
    }
  });
}

/** How many discs either side has. */
export function counts(board: Board): Record<Color, number> {
  const of = (color: Color) => board.discs.filter((disc) => disc === color).length;
  return { black: of('black'), white: of('white') };
}

/** How a move is said: "f5, black, flips 1". */
export function describe(move: string, position: Position | null, lang: Lang): string {
  const words = texts[lang];
  const board = position ? attempt(() => parse(position.position)).ok : undefined;
  if (move === PASS) return board ? words.passes(words.colors[board.next]) : words.pass;
  const index = board ? indexOf(board.size, move) : null;
  if (!board || index === null) return move;
  return words.cell(move, words.colors[board.next], words.flips(flips(board, index).length));
}
