// The texts of the xiangqi board in every language.
import type { Language } from '../../text/language';
import type { Color, Piece, PieceKind } from './notation';

interface XiangqiTexts {
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

/** The names of pieces in simplified Chinese. */
const NAMES_ZH: Record<Color, Record<PieceKind, string>> = {
  red: { king: '红帅', advisor: '红仕', elephant: '红相', horse: '红马', rook: '红车', cannon: '红炮', pawn: '红兵' },
  black: { king: '黑将', advisor: '黑士', elephant: '黑象', horse: '黑马', rook: '黑车', cannon: '黑炮', pawn: '黑卒' },
};

const en: XiangqiTexts = {
  board: 'Xiangqi board',
  empty: 'empty',
  piece: ({ color, kind }) => `${color} ${kind}`,
  cell: (...parts) => parts.join(', '),
  move: (piece, from, to) => `${piece} ${from} to ${to}`,
  takes: (move, taken) => `${move}, takes ${taken}`,
  target: 'legal move',
  lastMove: 'last move',
  check: 'in check',
  inCheck: { red: 'Red is in check.', black: 'Black is in check.' },
  hint: 'hint',
  unreadable: 'This position cannot be shown.',
};

const zh: XiangqiTexts = {
  board: '象棋棋盘',
  empty: '空',
  piece: ({ color, kind }) => NAMES_ZH[color][kind],
  cell: (...parts) => parts.join('，'),
  move: (piece, from, to) => `${piece} ${from} 到 ${to}`,
  takes: (move, taken) => `${move}，吃${taken}`,
  target: '可走',
  lastMove: '最后一手',
  check: '被将军',
  inCheck: { red: '红方被将军。', black: '黑方被将军。' },
  hint: '提示',
  unreadable: '无法显示此局面。',
};

export const texts: Record<Language, XiangqiTexts> = { en, zh };
