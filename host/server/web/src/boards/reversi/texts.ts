// The texts of the reversi board in every language.
import type { Language } from '../../text/language';

interface ReversiTexts {
  board: (size: number) => string;
  colors: { black: string; white: string };
  empty: string;
  cell: (...parts: string[]) => string;
  lastMove: string;
  hint: string;
  /** How many discs a legal move flips. */
  flips: (discs: number) => string;
  count: (color: string, discs: number) => string;
  pass: string;
  passes: (color: string) => string;
  mustPass: string;
  unreadable: string;
}

const en: ReversiTexts = {
  board: (size) => `Board of ${size} by ${size} squares`,
  colors: { black: 'black', white: 'white' },
  empty: 'empty',
  cell: (...parts) => parts.join(', '),
  lastMove: 'last move',
  hint: 'hint',
  flips: (discs) => `flips ${discs}`,
  count: (color, discs) => `${color} ${discs}`,
  pass: 'pass',
  passes: (color) => `${color} passes`,
  mustPass: 'No legal move: you must pass.',
  unreadable: 'This position cannot be shown.',
};

const zh: ReversiTexts = {
  board: (size) => `棋盘，${size} × ${size}`,
  colors: { black: '黑', white: '白' },
  empty: '空',
  cell: (...parts) => parts.join('，'),
  lastMove: '最后一手',
  hint: '提示',
  flips: (discs) => `翻转 ${discs} 子`,
  count: (color, discs) => `${color} ${discs}`,
  pass: '弃权',
  passes: (color) => `${color}方弃权`,
  mustPass: '无处可下，必须弃权。',
  unreadable: '无法显示此局面。',
};

export const texts: Record<Language, ReversiTexts> = { en, zh };
