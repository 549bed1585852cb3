// Texts of gomoku and renju: positions, points, the words of the procedures, and how a move is said.
// Reads what the rules wrote and checks its form; which moves are legal it never asks.
import type { Position } from '../../api/types';
import type { Lang } from '../board';
import { columnName, type Color } from '../discs';
import { attempt, NotationError, wordsOf } from '../fault';
import { texts, type Decision } from './texts';

/** Where a procedure stands; `play` where there is none, or when it is through. */
export type Phase = 'opening' | 'swap' | 'announce' | 'offer' | 'pick' | 'play';

export interface Board {
  size: number;
  /** Each point's stone, row by row from the top. */
  stones: (Color | null)[];
  /** The colour of the next stone, whoever decides now. */
  next: Color;
  phase: Phase;
  /** Whether seat 1 holds black. */
  swapped: boolean;
  /** How many fifth stones are announced and not yet done with. */
  fifths: number | null;
  /** The fifth stones offered so far. */
  offers: string[];
  passes: 0 | 1 | 2;
  /** The point of black's foul, after which the game is lost. */
  foul: string | null;
}

/** A point where black may not play, and why. */
export interface Forbidden {
  point: string;
  kind: 'overline' | 'double-four' | 'double-three';
}

const SMALLEST = 5;
const LARGEST = 22;
const PHASES: readonly string[] = ['opening', 'swap', 'announce', 'offer', 'pick'];
const KINDS: readonly string[] = ['overline', 'double-four', 'double-three'];

/** The name of a point by its column from the left and row from the top, from 0. */
export function pointAt(size: number, column: number, row: number): string {
  return `${columnName(column)}${size - row}`;
}

/** The place of a point in `Board.stones`; null for what is no point of the board. */
export function indexOf(size: number, point: string): number | null {
  const found = /^([a-v])([1-9][0-9]?)$/.exec(point);
  if (!found) return null;
  const column = found[1]!.charCodeAt(0) - 97;
  const row = size - Number(found[2]);
  return column < size && row >= 0 && row < size ? row * size + column : null;
}

/** Reads a position text. Throws a `NotationError` where it is none. */
export function parse(text: string): Board {
  const words = wordsOf(text);
  const [rows, side, ...rest] = words;
  if (!rows || !side) throw new NotationError(text, text.length, 'rows and a side are wanted');
  const { size, stones } = readRows(text, rows.text, rows.at);
  if (side.text !== 'b' && side.text !== 'w') throw new NotationError(text, side.at, 'the side is `b` or `w`');
  const board: Board = {
    size,
    stones,
    next: side.text === 'b' ? 'black' : 'white',
    phase: 'play',
    swapped: false,
    fifths: null,
    offers: [],
    passes: 0,
    foul: null,
  };
  for (const word of rest) {
    if (!readWord(board, word.text)) throw new NotationError(text, word.at, `\`${word.text}\` is no word of a position`);
  }
  return board;
}

function readRows(text: string, rows: string, at: number): Pick<Board, 'size' | 'stones'> {
  const lines = rows.split('/');
  const size = lines.length;
  if (size < SMALLEST || size > LARGEST) {
    throw new NotationError(text, at, `${size} rows; boards have ${SMALLEST} to ${LARGEST}`);
  }
  const stones: (Color | null)[] = [];
  let begin = at;
  lines.forEach((line, row) => {
    const before = stones.length;
    for (const part of line.matchAll(/[0-9]+|./g)) {
      const place = begin + part.index;
      if (part[0] === 'x') stones.push('black');
      else if (part[0] === 'o') stones.push('white');
      else if (/^[1-9]/.test(part[0]) && Number(part[0]) <= size) {
        for (let run = Number(part[0]); run > 0; run--) stones.push(null);
      } else throw new NotationError(text, place, `\`${part[0]}\` is no stone and no run of empty points`);
    }
    const points = stones.length - before;
    if (points !== size) throw new NotationError(text, begin, `row ${size - row} has ${points} points, not ${size}`);
    begin += line.length + 1;
  });
  return { size, stones };
}

/** Whether the word has a meaning; writes it into the board. */
function readWord(board: Board, word: string): boolean {
  const fifths = /^fifths-([1-9][0-9]?)$/.exec(word);
  if (fifths) board.fifths = Number(fifths[1]);
  else if (word === 'swapped') board.swapped = true;
  else if (PHASES.includes(word)) board.phase = word as Phase;
  else if (word === 'passed') board.passes = 1;
  else if (word === 'passed-twice') board.passes = 2;
  else if (word.startsWith('foul-') && indexOf(board.size, word.slice(5)) !== null) board.foul = word.slice(5);
  else if (board.phase === 'offer' || board.phase === 'pick') {
    board.offers = word.split(',');
    return board.offers.every((point) => indexOf(board.size, point) !== null);
  } else return false;
  return true;
}

/** The points forbidden to black, from what the rules tell; what is not of that form is left out. */
export function forbiddenOf(facts: Record<string, unknown>): Forbidden[] {
  const list: unknown = facts.forbidden;
  if (!Array.isArray(list)) return [];
  return list.filter(
    (it: unknown): it is Forbidden =>
      typeof it === 'object' && it !== null && 'point' in it && typeof it.point === 'string' && 'kind' in it && KINDS.includes(String(it.kind)),
  );
}

/** The opening of renju on the board by its Chinese or Japanese name, where the rules tell one. */
export function openingOf(facts: Record<string, unknown>, lang: Lang): string | null {
  const opening: unknown = facts.opening;
  if (typeof opening !== 'object' || opening === null) return null;
  const name: unknown = (opening as Record<string, unknown>)[lang === 'zh' ? 'chinese' : 'romaji'];
  return typeof name === 'string' ? name : null;
}

/** The points that a board of this size marks, as columns and rows from 0. */
export function starPoints(size: number): [number, number][] {
  const edge = size >= 13 ? 3 : 2;
  const odd = size % 2 === 1;
  const middle = (size - 1) / 2;
  const lines = size < 9 ? [] : size >= 19 && odd ? [edge, middle, size - 1 - edge] : [edge, size - 1 - edge];
  const stars = lines.flatMap((column) => lines.map((row): [number, number] => [column, row]));
  if (odd && !lines.includes(middle)) stars.push([middle, middle]);
  return stars;
}

/** The number of each stone that one of these moves laid, by its place; a fifth stone counts when it was picked. */
export function numbersOf(board: Board, moves: readonly string[]): Map<number, number> {
  const last = new Map<number, number>();
  moves.forEach((move, at) => {
    const index = indexOf(board.size, move);
    if (index !== null && board.stones[index]) last.set(index, at);
  });
  const inOrder = [...last].sort((one, other) => one[1] - other[1]);
  return new Map(inOrder.map(([index], nth) => [index, nth + 1]));
}

/** The letter of an offered point: A, B, … */
export function offerLetter(nth: number): string {
  return String.fromCharCode(65 + nth);
}

/** How a move is said: "h8, black", or the meaning of a procedure's word. */
export function describe(move: string, position: Position | null, lang: Lang): string {
  const words = texts[lang];
  const fifths = /^fifths-([0-9]+)$/.exec(move);
  if (fifths) return words.announced(Number(fifths[1]));
  if (isDecision(move)) return words.decided[move];
  const board = position && attempt(() => parse(position.position)).ok;
  if (!board || indexOf(board.size, move) === null) return move;
  const color = words.colors[board.next];
  return board.phase === 'offer' ? words.offered(move, color) : words.stone(move, color);
}

/** Whether a move is one of the words that decide something. */
export function isDecision(move: string): move is Decision {
  return Object.hasOwn(texts.en.decided, move);
}

/** The stones in one line with the last one that decided the game: five or more from end to end, else nothing. */
export function winningLine(board: Board, last: number): [number, number] | null {
  const { size, stones } = board;
  const [row, column] = [Math.floor(last / size), last % size];
  const color = stones[last];
  if (!color) return null;
  const run = (down: number, right: number): number => {
    for (let steps = 1; ; steps++) {
      const [r, c] = [row + down * steps, column + right * steps];
      if (r < 0 || c < 0 || r >= size || c >= size || stones[r * size + c] !== color) return steps - 1;
    }
  };
  for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]] as const) {
    const [back, on] = [run(-down, -right), run(down, right)];
    const step = down * size + right;
    if (back + on >= 4) return [last - back * step, last + on * step];
  }
  return null;
}
