// Texts of xiangqi: positions, squares, and the names that people give moves, `C2=5` and 炮二平五.
// Reads what the rules wrote; which moves are legal it never asks.
import type { Position } from '../../api/types';
import type { Lang } from '../board';
import { attempt, NotationError, wordsOf } from '../fault';
import { texts } from './texts';

export type Color = 'red' | 'black';
export const KINDS = ['king', 'advisor', 'elephant', 'horse', 'rook', 'cannon', 'pawn'] as const;
export type Kind = (typeof KINDS)[number];

export interface Piece {
  color: Color;
  kind: Kind;
}

export interface Board {
  /** Each point's piece, a9, b9, …, rank by rank from black's edge. */
  pieces: (Piece | null)[];
  next: Color;
}

export const FILES = 9;
export const RANKS = 10;

const LETTERS: Record<string, Kind | undefined> = {
  k: 'king', a: 'advisor', b: 'elephant', e: 'elephant', n: 'horse', h: 'horse', r: 'rook', c: 'cannon', p: 'pawn',
};
const WXF: Record<Kind, string> = { king: 'K', advisor: 'A', elephant: 'E', horse: 'H', rook: 'R', cannon: 'C', pawn: 'P' };
/** The signs in which moves are written, which are the simplified ones. */
const SIGNS: Record<Color, Record<Kind, string>> = {
  red: { king: '帅', advisor: '仕', elephant: '相', horse: '马', rook: '车', cannon: '炮', pawn: '兵' },
  black: { king: '将', advisor: '士', elephant: '象', horse: '马', rook: '车', cannon: '炮', pawn: '卒' },
};
const NUMBERS: Record<Color, string> = { red: '一二三四五六七八九', black: '１２３４５６７８９' };

/** The name of a point by its file from red's left and its line from the top of red's view, from 0. */
export function squareAt(file: number, line: number): string {
  return `${String.fromCharCode(97 + file)}${RANKS - 1 - line}`;
}

/** The place of a point in `Board.pieces`; null for what is none. */
export function indexOf(square: string): number | null {
  const found = /^([a-i])([0-9])$/.exec(square);
  return found ? (RANKS - 1 - Number(found[2])) * FILES + found[1]!.charCodeAt(0) - 97 : null;
}

/** From and to of a move text; null where it is none. */
export function splitMove(move: string): { from: string; to: string } | null {
  const found = /^([a-i][0-9])([a-i][0-9])$/.exec(move);
  return found ? { from: found[1]!, to: found[2]! } : null;
}

/** Reads placement and side of a FEN, and plays the moves behind it. Throws a `NotationError` where it is none. */
export function parse(text: string): Board {
  const words = wordsOf(text);
  const [rows, side] = words;
  if (!rows) throw new NotationError(text, text.length, 'ranks are wanted');
  const lines = rows.text.split('/');
  if (lines.length !== RANKS) throw new NotationError(text, rows.at, `${lines.length} ranks, not ${RANKS}`);
  const pieces: (Piece | null)[] = [];
  let begin = rows.at;
  lines.forEach((line, row) => {
    const before = pieces.length;
    for (const [at, letter] of [...line].entries()) {
      const kind = LETTERS[letter.toLowerCase()];
      if (kind) pieces.push({ color: letter === letter.toLowerCase() ? 'black' : 'red', kind });
      else if (/[1-9]/.test(letter)) pieces.push(...Array<null>(Number(letter)).fill(null));
      else throw new NotationError(text, begin + at, `\`${letter}\` is no piece and no run of empty points`);
    }
    const points = pieces.length - before;
    if (points !== FILES) throw new NotationError(text, begin, `rank ${RANKS - 1 - row} has ${points} points, not ${FILES}`);
    begin += line.length + 1;
  });
  if (side && !['w', 'r', 'b'].includes(side.text)) throw new NotationError(text, side.at, 'the side is `w` or `b`');
  const board: Board = { pieces, next: side?.text === 'b' ? 'black' : 'red' };
  const begins = words.findIndex((word) => word.text === 'moves');
  for (const word of begins < 0 ? [] : words.slice(begins + 1)) {
    if (!play(board, word.text)) throw new NotationError(text, word.at, `\`${word.text}\` moves no piece of ${board.next}`);
  }
  return board;
}

/** Moves a piece of the side to move, by any way; false where there is none. */
function play(board: Board, move: string): boolean {
  const squares = splitMove(move);
  const [from, to] = squares ? [indexOf(squares.from), indexOf(squares.to)] : [null, null];
  const piece = from === null ? null : board.pieces[from];
  if (from === null || to === null || piece?.color !== board.next) return false;
  board.pieces[to] = piece;
  board.pieces[from] = null;
  board.next = piece.color === 'red' ? 'black' : 'red';
  return true;
}

/** The point where the king of a side stands. */
export function kingOf(board: Board, color: Color): number | null {
  const found = board.pieces.findIndex((piece) => piece?.kind === 'king' && piece.color === color);
  return found < 0 ? null : found;
}

interface Words {
  piece: Piece;
  /** The file from the mover's right, or which of several on it. */
  which: number | 'front' | 'middle' | 'rear' | { nth: number };
  way: 'forward' | 'back' | 'level';
  /** Steps, or the file where it arrives. */
  number: number;
}

const fileFor = (color: Color, index: number) => (color === 'red' ? FILES - (index % FILES) : (index % FILES) + 1);
const rankFor = (color: Color, index: number) => {
  const line = Math.floor(index / FILES);
  return color === 'red' ? RANKS - 1 - line : line;
};

function wordsFor(board: Board, move: string): Words | null {
  const squares = splitMove(move);
  const [from, to] = squares ? [indexOf(squares.from), indexOf(squares.to)] : [null, null];
  const piece = from === null ? null : board.pieces[from];
  if (from === null || to === null || !piece) return null;
  const climbed = rankFor(piece.color, to) - rankFor(piece.color, from);
  const way = climbed === 0 ? 'level' : climbed > 0 ? 'forward' : 'back';
  const steps = ['king', 'rook', 'cannon', 'pawn'].includes(piece.kind) && way !== 'level';
  return { piece, which: whichOf(board, piece, from), way, number: steps ? Math.abs(climbed) : fileFor(piece.color, to) };
}

/** What tells a piece from its like: its file, or its place among several on it. Advisors and elephants need no more than the file. */
function whichOf(board: Board, piece: Piece, at: number): Words['which'] {
  const file = fileFor(piece.color, at);
  if (piece.kind === 'advisor' || piece.kind === 'elephant') return file;
  const like = board.pieces.flatMap((it, index) => (it?.kind === piece.kind && it.color === piece.color ? [index] : []));
  const onFile = (index: number) => like.filter((it) => it % FILES === index % FILES);
  // From the mover's right, and on a file from the front.
  const order = (index: number) => fileFor(piece.color, index) * RANKS - rankFor(piece.color, index);
  const several = like.filter((index) => onFile(index).length > 1).sort((one, other) => order(one) - order(other));
  if (!several.includes(at)) return file;
  const beside = several.filter((index) => index % FILES === at % FILES);
  const place = beside.indexOf(at);
  if (beside.length > 3 || several.length > beside.length) return { nth: several.indexOf(at) };
  if (place === 0) return 'front';
  return place + 1 === beside.length ? 'rear' : 'middle';
}

/** A move as WXF has it, `C2=5`; null where nothing stands on its first point. */
export function wxf(board: Board, move: string): string | null {
  const words = wordsFor(board, move);
  if (!words) return null;
  const { which } = words;
  const place = typeof which === 'number' ? which : typeof which === 'object' ? 'abcde'[which.nth] : { front: '+', middle: '.', rear: '-' }[which];
  return `${WXF[words.piece.kind]}${place}${{ forward: '+', back: '-', level: '=' }[words.way]}${words.number}`;
}

/** A move in Chinese, 炮二平五; null where nothing stands on its first point. */
export function chinese(board: Board, move: string): string | null {
  const words = wordsFor(board, move);
  if (!words) return null;
  const { piece, which } = words;
  const sign = SIGNS[piece.color][piece.kind];
  const number = (value: number) => NUMBERS[piece.color][value - 1] ?? '';
  const name =
    typeof which === 'number'
      ? sign + number(which)
      : (typeof which === 'object' ? NUMBERS.red[which.nth] : { front: '前', middle: '中', rear: '后' }[which]) + sign;
  return name + { forward: '进', back: '退', level: '平' }[words.way] + number(words.number);
}

/** How a move is said: "red cannon h2 to e2", 炮二平五. */
export function describe(move: string, position: Position | null, lang: Lang): string {
  const board = position ? attempt(() => parse(position.position)).ok : undefined;
  const squares = splitMove(move);
  const piece = board && squares ? board.pieces[indexOf(squares.from) ?? -1] : null;
  if (!board || !squares || !piece) return move;
  const words = texts[lang];
  const taken = board.pieces[indexOf(squares.to) ?? -1];
  const name = lang === 'zh' ? (chinese(board, move) ?? move) : words.move(words.piece(piece), squares.from, squares.to);
  return taken ? words.takes(name, words.piece(taken)) : name;
}
