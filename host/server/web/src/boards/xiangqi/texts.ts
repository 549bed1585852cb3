// The texts of the xiangqi board by language; the texts themselves are in src/text.
import { textsOf } from '../../text';
import type { Language } from '../../text/language';
import type { Color, Piece, PieceKind } from './notation';

export interface XiangqiTexts {
  board: string;
  empty: string;
  piece: (piece: Piece) => string;
  cell: (...parts: string[]) => string;
  move: (piece: string, from: string, to: string) => string;
  takes: (move: string, taken: string) => string;
  target: string;
  lastMove: string;
  check: string;
  inCheck: Record<Color, string>;
  hint: string;
  unreadable: string;
}

/** The traditional characters on the pieces. */
export const PIECE_CHARACTERS: Record<Color, Record<PieceKind, string>> = {
  red: { king: '帥', advisor: '仕', elephant: '相', horse: '傌', rook: '俥', cannon: '炮', pawn: '兵' },
  black: { king: '將', advisor: '士', elephant: '象', horse: '馬', rook: '車', cannon: '砲', pawn: '卒' },
};

/** The Latin letters on lettered pieces. */
export const PIECE_LETTERS: Record<PieceKind, string> = {
  king: 'K',
  advisor: 'A',
  elephant: 'E',
  horse: 'H',
  rook: 'R',
  cannon: 'C',
  pawn: 'P',
};

export const texts = (language: Language): XiangqiTexts => textsOf(language).boards.xiangqi;
