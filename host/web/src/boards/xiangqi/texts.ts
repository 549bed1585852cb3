// What the board of xiangqi says, in both languages. Words only.
import type { Lang } from '../board';
import type { Color, Kind, Piece } from './notation';

interface Texts {
  board: string;
  empty: string;
  piece: (piece: Piece) => string;
  cell: (...parts: string[]) => string;
  move: (piece: string, from: string, to: string) => string;
  takes: (move: string, taken: string) => string;
  target: string;
  last: string;
  check: string;
  inCheck: Record<Color, string>;
  hint: string;
  unreadable: string;
}

/** What is written on the pieces of a set, in traditional signs. */
export const FACES: Record<Color, Record<Kind, string>> = {
  red: { king: '帥', advisor: '仕', elephant: '相', horse: '傌', rook: '俥', cannon: '炮', pawn: '兵' },
  black: { king: '將', advisor: '士', elephant: '象', horse: '馬', rook: '車', cannon: '砲', pawn: '卒' },
};

/** What is written on them for readers of Latin letters. */
export const LETTERED: Record<Kind, string> = {
  king: 'K', advisor: 'A', elephant: 'E', horse: 'H', rook: 'R', cannon: 'C', pawn: 'P',
};

/** What pieces are called in Chinese, in simplified signs. */
const SAID: Record<Color, Record<Kind, string>> = {
  red: { king: '红帅', advisor: '红仕', elephant: '红相', horse: '红马', rook: '红车', cannon: '红炮', pawn: '红兵' },
  black: { king: '黑将', advisor: '黑士', elephant: '黑象', horse: '黑马', rook: '黑车', cannon: '黑炮', pawn: '黑卒' },
};

const en: Texts = {
  board: 'Xiangqi board',
  empty: 'empty',
  piece: ({ color, kind }) => `${color} ${kind}`,
  cell: (...parts) => parts.join(', '),
  move: (piece, from, to) => `${piece} ${from} to ${to}`,
  takes: (move, taken) => `${move}, takes ${taken}`,
  target: 'can be reached',
  last: 'last move',
  check: 'in check',
  inCheck: { red: 'Red is in check.', black: 'Black is in check.' },
  hint: 'pointed out',
  unreadable: 'This position cannot be drawn.',
};

const zh: Texts = {
  board: '象棋棋盘',
  empty: '空',
  piece: ({ color, kind }) => SAID[color][kind],
  cell: (...parts) => parts.join('，'),
  move: (piece, from, to) => `${piece} ${from} 到 ${to}`,
  takes: (move, taken) => `${move}，吃${taken}`,
  target: '可走',
  last: '最后一手',
  check: '被将军',
  inCheck: { red: '红方被将军。', black: '黑方被将军。' },
  hint: '提示',
  unreadable: '无法画出此局面。',
};

export const texts: Record<Lang, Texts> = { en, zh };
