// The notation of xiangqi: position texts, points, and moves in WXF notation (`C2=5`) and in Chinese (炮二平五).
// Knows no rules: any piece of the side to move can be moved anywhere.
import type { Position } from '../../api/types';
import type { Language } from '../../text/language';
import { NotationError, splitWords, tryParse } from '../shared/parsing';
import { textsOf } from '../../text';
import type { Appearance, MoveNames } from '../types';
import { texts } from './texts';

export type Color = 'red' | 'black';
export const PIECE_KINDS = ['king', 'advisor', 'elephant', 'horse', 'rook', 'cannon', 'pawn'] as const;
export type PieceKind = (typeof PIECE_KINDS)[number];

export interface Piece {
  color: Color;
  kind: PieceKind;
}

export interface XiangqiPosition {
  /** The piece on each point, rank by rank from black's edge: a9, b9, … */
  pieces: (Piece | null)[];
  /** The side to move. */
  next: Color;
}

export const FILES = 9;
export const RANKS = 10;

const KINDS_BY_LETTER: Record<string, PieceKind | undefined> = {
  k: 'king',
  a: 'advisor',
  b: 'elephant',
  e: 'elephant',
  n: 'horse',
  h: 'horse',
  r: 'rook',
  c: 'cannon',
  p: 'pawn',
};
const WXF_LETTERS: Record<PieceKind, string> = {
  king: 'K',
  advisor: 'A',
  elephant: 'E',
  horse: 'H',
  rook: 'R',
  cannon: 'C',
  pawn: 'P',
};
/** The simplified characters that move notation uses. */
const CHARACTERS: Record<Color, Record<PieceKind, string>> = {
  red: { king: '帅', advisor: '仕', elephant: '相', horse: '马', rook: '车', cannon: '炮', pawn: '兵' },
  black: { king: '将', advisor: '士', elephant: '象', horse: '马', rook: '车', cannon: '炮', pawn: '卒' },
};
const NUMERALS: Record<Color, string> = { red: '一二三四五六七八九', black: '１２３４５６７８９' };

/** The name of a point, by its file from red's left and its line from black's edge, both from 0. */
export function pointName(file: number, line: number): string {
  return `${String.fromCharCode(97 + file)}${RANKS - 1 - line}`;
}

/** The index of a point in `XiangqiPosition.pieces`; null for a name that is not a point of the board. */
export function pointIndex(point: string): number | null {
  const match = /^([a-i])([0-9])$/.exec(point);
  return match ? (RANKS - 1 - Number(match[2])) * FILES + match[1]!.charCodeAt(0) - 97 : null;
}

/** The two points of a move text; null for another text. */
export function splitMove(move: string): { from: string; to: string } | null {
  const match = /^([a-i][0-9])([a-i][0-9])$/.exec(move);
  return match ? { from: match[1]!, to: match[2]! } : null;
}

/** The pieces on the board, as colour and kind; none if the position cannot be read. */
export function pieceKeys({ position }: Position): string[] {
  const { value } = tryParse(() => parsePosition(position));
  return (value?.pieces ?? []).flatMap((piece) => (piece === null ? [] : [`${piece.color} ${piece.kind}`]));
}

/** The piece of a key. */
export function pieceOfKey(key: string): Piece {
  const [color, kind] = key.split(' ');
  return { color: color as Color, kind: kind as PieceKind };
}

/** Reads placement and side of a FEN and plays the moves after the word `moves`. Throws a `NotationError`. */
export function parsePosition(text: string): XiangqiPosition {
  const words = splitWords(text);
  const [placement, side] = words;
  if (!placement) {
    throw new NotationError(text, text.length, 'expected ranks');
  }
  const pieces = parsePlacement(text, placement.text, placement.index);
  if (side && !['w', 'r', 'b'].includes(side.text)) {
    throw new NotationError(text, side.index, 'the side to move must be `w` or `b`');
  }
  const position: XiangqiPosition = { pieces, next: side?.text === 'b' ? 'black' : 'red' };
  const movesWord = words.findIndex((word) => word.text === 'moves');
  for (const word of movesWord < 0 ? [] : words.slice(movesWord + 1)) {
    if (!playMove(position, word.text)) {
      throw new NotationError(text, word.index, `\`${word.text}\` does not move a piece of ${position.next}`);
    }
  }
  return position;
}

function parsePlacement(text: string, placement: string, start: number): (Piece | null)[] {
  const lines = placement.split('/');
  if (lines.length !== RANKS) {
    throw new NotationError(text, start, `${lines.length} ranks, not ${RANKS}`);
  }
  const pieces: (Piece | null)[] = [];
  let lineStart = start;
  lines.forEach((line, row) => {
    const countBefore = pieces.length;
    for (const [offset, letter] of [...line].entries()) {
      const kind = KINDS_BY_LETTER[letter.toLowerCase()];
      if (kind) {
        pieces.push({ color: letter === letter.toLowerCase() ? 'black' : 'red', kind });
      } else if (/[1-9]/.test(letter)) {
        pieces.push(...Array<null>(Number(letter)).fill(null));
      } else {
        const reason = `expected a piece or a number of empty points, not \`${letter}\``;
        throw new NotationError(text, lineStart + offset, reason);
      }
    }
    const points = pieces.length - countBefore;
    if (points !== FILES) {
      throw new NotationError(text, lineStart, `rank ${RANKS - 1 - row} has ${points} points, not ${FILES}`);
    }
    lineStart += line.length + 1;
  });
  return pieces;
}

/** Moves a piece of the side to move without checking the rules; false if there is no such piece. */
function playMove(position: XiangqiPosition, move: string): boolean {
  const points = splitMove(move);
  const [from, to] = points ? [pointIndex(points.from), pointIndex(points.to)] : [null, null];
  const piece = from === null ? null : position.pieces[from];
  if (from === null || to === null || piece?.color !== position.next) {
    return false;
  }
  position.pieces[to] = piece;
  position.pieces[from] = null;
  position.next = piece.color === 'red' ? 'black' : 'red';
  return true;
}

/** The index of a side's king; null: it has none. */
export function findKing(position: XiangqiPosition, color: Color): number | null {
  const index = position.pieces.findIndex((piece) => piece?.kind === 'king' && piece.color === color);
  return index < 0 ? null : index;
}

/** The parts of a move's name, which WXF and Chinese notation write differently. */
interface MoveName {
  piece: Piece;
  /** The file, counted from the mover's right, or the rank among pieces of the same kind on one file. */
  identifier: number | 'front' | 'middle' | 'rear' | { index: number };
  direction: 'forward' | 'back' | 'level';
  /** The number of steps along a file, or the file of arrival. */
  number: number;
}

const fileOf = (color: Color, index: number) => (color === 'red' ? FILES - (index % FILES) : (index % FILES) + 1);
const rankOf = (color: Color, index: number) => {
  const line = Math.floor(index / FILES);
  return color === 'red' ? RANKS - 1 - line : line;
};

/** The parts of a move's name; null if its first point is empty. */
function moveName(position: XiangqiPosition, move: string): MoveName | null {
  const points = splitMove(move);
  const [from, to] = points ? [pointIndex(points.from), pointIndex(points.to)] : [null, null];
  const piece = from === null ? null : position.pieces[from];
  if (from === null || to === null || !piece) {
    return null;
  }
  const advance = rankOf(piece.color, to) - rankOf(piece.color, from);
  const direction = advance === 0 ? 'level' : advance > 0 ? 'forward' : 'back';
  const countsSteps = ['king', 'rook', 'cannon', 'pawn'].includes(piece.kind) && direction !== 'level';
  return {
    piece,
    identifier: identifierOf(position, piece, from),
    direction,
    number: countsSteps ? Math.abs(advance) : fileOf(piece.color, to),
  };
}

/**
 * What distinguishes a piece from others of its kind: its file, or its rank among several on one file. For advisors
 * and elephants the file is always enough.
 */
function identifierOf(position: XiangqiPosition, piece: Piece, index: number): MoveName['identifier'] {
  const file = fileOf(piece.color, index);
  if (piece.kind === 'advisor' || piece.kind === 'elephant') {
    return file;
  }
  const sameKind = position.pieces.flatMap((other, at) =>
    other?.kind === piece.kind && other.color === piece.color ? [at] : [],
  );
  const sharesFile = (at: number) => sameKind.filter((other) => other % FILES === at % FILES).length > 1;
  // By file from the mover's right; on one file the front piece first.
  const order = (at: number) => fileOf(piece.color, at) * RANKS - rankOf(piece.color, at);
  const sharing = sameKind.filter(sharesFile).sort((a, b) => order(a) - order(b));
  if (!sharing.includes(index)) {
    return file;
  }
  const onFile = sharing.filter((at) => at % FILES === index % FILES);
  if (onFile.length > 3 || sharing.length > onFile.length) {
    return { index: sharing.indexOf(index) };
  }
  const rank = onFile.indexOf(index);
  if (rank === 0) {
    return 'front';
  }
  return rank + 1 === onFile.length ? 'rear' : 'middle';
}

/** A move in WXF notation, `C2=5`; null if its first point is empty. */
export function wxfNotation(position: XiangqiPosition, move: string): string | null {
  const name = moveName(position, move);
  if (!name) {
    return null;
  }
  const { piece, identifier, direction, number } = name;
  const place =
    typeof identifier === 'number'
      ? identifier
      : typeof identifier === 'object'
        ? 'abcde'[identifier.index]
        : { front: '+', middle: '.', rear: '-' }[identifier];
  return `${WXF_LETTERS[piece.kind]}${place}${{ forward: '+', back: '-', level: '=' }[direction]}${number}`;
}

/** A move in Chinese notation, 炮二平五; null if its first point is empty. */
export function chineseNotation(position: XiangqiPosition, move: string): string | null {
  const name = moveName(position, move);
  if (!name) {
    return null;
  }
  const { piece, identifier, direction, number } = name;
  const character = CHARACTERS[piece.color][piece.kind];
  const numeral = (value: number) => NUMERALS[piece.color][value - 1] ?? '';
  const subject =
    typeof identifier === 'number'
      ? character + numeral(identifier)
      : (typeof identifier === 'object'
          ? NUMERALS.red[identifier.index]
          : { front: '前', middle: '中', rear: '后' }[identifier]) + character;
  return subject + { forward: '进', back: '退', level: '平' }[direction] + numeral(number);
}

/** How moves are written. */
export type MoveStyle = 'coordinates' | 'wxf' | 'chinese';

/** The style that was chosen; else Chinese for those who read it, and coordinates, which the board shows, for others. */
export function moveStyle(appearance: Appearance, language: Language): MoveStyle {
  const { moves } = appearance;
  return moves === 'coordinates' || moves === 'wxf' || moves === 'chinese'
    ? moves
    : textsOf(language).hasHan
      ? 'chinese'
      : 'coordinates';
}

function styledMove(position: XiangqiPosition, move: string, style: MoveStyle): string {
  const name =
    style === 'wxf' ? wxfNotation(position, move) : style === 'chinese' ? chineseNotation(position, move) : null;
  return name ?? move;
}

/** Traditional characters and old type, as simplified characters; signs that mean the same. */
const SAME_SIGNS: Readonly<Record<string, string>> = {
  帥: '帅',
  將: '将',
  馬: '马',
  傌: '马',
  車: '车',
  俥: '车',
  砲: '炮',
  包: '炮',
  進: '进',
  後: '后',
};

/** A text in which all spellings of a name are the same: both sides have the same signs, and numbers are Arabic. */
const normalized = (text: string) =>
  [...text.normalize('NFKC').replace(/\s/g, '')]
    .map((sign) => SAME_SIGNS[sign] ?? sign)
    .map((sign) => (NUMERALS.red.includes(sign) ? String(NUMERALS.red.indexOf(sign) + 1) : sign))
    .join('')
    .replace(/[仕士]/g, '士')
    .replace(/[相象]/g, '象')
    .replace(/[兵卒]/g, '兵')
    .replace(/[帅将]/g, '将')
    .toUpperCase()
    // `C2.5` is `C2=5`; a point before the direction is the middle of three pawns.
    .replace(/^(..)\./, '$1=');

export const moveNames: MoveNames = {
  nameMoves: (moves, position, language, appearance) => {
    const style = moveStyle(appearance, language);
    const played =
      style === 'coordinates' || !position ? undefined : tryParse(() => parsePosition(position.position)).value;
    if (played === undefined) {
      return [...moves];
    }
    let isKnown = true;
    return moves.map((move) => {
      const name = isKnown ? styledMove(played, move, style) : move;
      isKnown &&= playMove(played, move);
      return name;
    });
  },
  readMove: (text, legal, position) => {
    const board = tryParse(() => parsePosition(position.position)).value;
    const typed = normalized(text).replace(/^([A-I]\d)-([A-I]\d)$/, '$1$2');
    const found = legal.filter(
      (move) =>
        move.toUpperCase() === typed ||
        (board !== undefined &&
          [wxfNotation(board, move), chineseNotation(board, move)].some(
            (name) => name !== null && normalized(name) === typed,
          )),
    );
    return found.length === 1 ? found[0]! : null;
  },
};

/** Describes a move: "red cannon h2 to e2", 炮二平五. */
export function describeMove(
  move: string,
  position: Position | null,
  language: Language,
  appearance: Appearance = {},
): string {
  const parsed = position ? tryParse(() => parsePosition(position.position)).value : undefined;
  const points = splitMove(move);
  const piece = parsed && points ? parsed.pieces[pointIndex(points.from) ?? -1] : null;
  if (!parsed || !points || !piece) {
    return move;
  }
  const t = texts(language);
  const captured = parsed.pieces[pointIndex(points.to) ?? -1];
  const style = moveStyle(appearance, language);
  const name =
    style === 'coordinates' ? t.move(t.piece(piece), points.from, points.to) : styledMove(parsed, move, style);
  return captured ? t.takes(name, t.piece(captured)) : name;
}
