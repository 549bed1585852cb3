// What the board of reversi says, in both languages. Words only.
import type { Lang } from '../board';

interface Texts {
  board: (size: number) => string;
  colors: { black: string; white: string };
  empty: string;
  cell: (...parts: string[]) => string;
  last: string;
  hint: string;
  /** What a legal move would do, or did. */
  flips: (discs: number) => string;
  count: (color: string, discs: number) => string;
  pass: string;
  passes: (color: string) => string;
  mustPass: string;
  unreadable: string;
}

const en: Texts = {
  board: (size) => `Board of ${size} by ${size} squares`,
  colors: { black: 'black', white: 'white' },
  empty: 'empty',
  cell: (...parts) => parts.join(', '),
  last: 'last move',
  hint: 'pointed out',
  flips: (discs) => `flips ${discs}`,
  count: (color, discs) => `${color} ${discs}`,
  pass: 'pass',
  passes: (color) => `${color} passes`,
  mustPass: 'No disc can be put.',
  unreadable: 'This position cannot be drawn.',
};

const zh: Texts = {
  board: (size) => `棋盘，${size} × ${size}`,
  colors: { black: '黑', white: '白' },
  empty: '空',
  cell: (...parts) => parts.join('，'),
  last: '最后一手',
  hint: '提示',
  flips: (discs) => `翻转 ${discs} 子`,
  count: (color, discs) => `${color} ${discs}`,
  pass: '弃权',
  passes: (color) => `${color}方弃权`,
  mustPass: '无处可下。',
  unreadable: '无法画出此局面。',
};

export const texts: Record<Lang, Texts> = { en, zh };
