// The texts of boards as data in every language. Names that a game gives are shown as they are.
import type { Language } from '../../text/language';
import type { BoardColor, HighlightKind } from './types';

interface GenericTexts {
  board: string;
  empty: string;
  cell: (...parts: string[]) => string;
  colors: Record<BoardColor, string>;
  /** A disc of this colour. */
  disc: (color: string) => string;
  /** A piece with a letter or a glyph. */
  piece: (color: string, text: string) => string;
  /** A piece without a colour and a name. */
  plainPiece: string;
  faceDown: (count: number) => string;
  times: (count: number, piece: string) => string;
  highlights: Record<HighlightKind, string>;
  selected: string;
  canMove: string;
  target: string;
  hint: string;
  choose: string;
  moveFromTo: (piece: string, from: string, to: string) => string;
}

const en: GenericTexts = {
  board: 'Board',
  empty: 'empty',
  cell: (...parts) => parts.join(', '),
  colors: {
    black: 'black',
    white: 'white',
    red: 'red',
    blue: 'blue',
    green: 'green',
    yellow: 'yellow',
    orange: 'orange',
    purple: 'purple',
    brown: 'brown',
    gray: 'gray',
  },
  disc: (color) => color,
  piece: (color, text) => `${color} ${text}`,
  plainPiece: 'piece',
  faceDown: (count) => (count === 1 ? 'card, face down' : `${count} cards, face down`),
  times: (count, piece) => `${count} × ${piece}`,
  highlights: { last: 'last move', target: 'marked', threat: 'threatened', win: 'winning' },
  selected: 'selected',
  canMove: 'can move',
  target: 'legal move',
  hint: 'hint',
  choose: 'Which move?',
  moveFromTo: (piece, from, to) => `${piece} ${from} to ${to}`,
};

const zh: GenericTexts = {
  board: '棋盘',
  empty: '空',
  cell: (...parts) => parts.join('，'),
  colors: {
    black: '黑',
    white: '白',
    red: '红',
    blue: '蓝',
    green: '绿',
    yellow: '黄',
    orange: '橙',
    purple: '紫',
    brown: '棕',
    gray: '灰',
  },
  disc: (color) => color,
  piece: (color, text) => `${color} ${text}`,
  plainPiece: '棋子',
  faceDown: (count) => (count === 1 ? '牌，背面朝上' : `${count} 张牌，背面朝上`),
  times: (count, piece) => `${count} × ${piece}`,
  highlights: { last: '最后一手', target: '标记', threat: '受威胁', win: '获胜' },
  selected: '已选',
  canMove: '可移动',
  target: '可走',
  hint: '提示',
  choose: '选择哪一着？',
  moveFromTo: (piece, from, to) => `${piece} ${from} 到 ${to}`,
};

export const texts: Record<Language, GenericTexts> = { en, zh };
