// The texts of the gomoku and renju board in every language.
import type { Language } from '../../text/language';
import type { ForbiddenPoint, Phase } from './notation';

/** The moves that are words and decide something. */
export type Decision = 'swap' | 'keep' | 'put-two' | 'pass';

interface GomokuTexts {
  board: (size: number) => string;
  colors: { black: string; white: string };
  empty: string;
  stone: (point: string, color: string) => string;
  offered: (point: string, color: string) => string;
  cell: (...parts: string[]) => string;
  lastMove: string;
  hint: string;
  offer: (letter: string) => string;
  moveNumber: (n: number) => string;
  /** The button that shows and hides move numbers. */
  moveNumbers: string;
  forbidden: Record<ForbiddenPoint['kind'], string>;
  foul: (point: string) => string;
  opening: (name: string) => string;
  fifths: (n: number) => string;
  /** What the side to decide is asked in each phase. */
  questions: Record<Exclude<Phase, 'play'>, string>;
  offersMade: (made: number, all: number) => string;
  /** The buttons for decisions. */
  buttons: Record<Decision, string>;
  announce: (n: number) => string;
  /** The button that announces fifth moves where the alternative is to swap. */
  announceInstead: (n: number) => string;
  /** A decision that was made. */
  decisions: Record<Decision, string>;
  announced: (n: number) => string;
  unreadable: string;
}

const en: GomokuTexts = {
  board: (size) => `Board of ${size} by ${size} points`,
  colors: { black: 'black', white: 'white' },
  empty: 'empty',
  stone: (point, color) => `${point}, ${color}`,
  offered: (point, color) => `${point} offered for ${color}`,
  cell: (...parts) => parts.join(', '),
  lastMove: 'last move',
  hint: 'hint',
  offer: (letter) => `offer ${letter}`,
  moveNumber: (n) => `move ${n}`,
  moveNumbers: 'Move numbers',
  forbidden: {
    overline: 'forbidden: overline',
    'double-four': 'forbidden: double four',
    'double-three': 'forbidden: double three',
  },
  foul: (point) => `Forbidden move at ${point}`,
  opening: (name) => `Opening: ${name}`,
  fifths: (n) => (n === 1 ? 'One fifth move announced' : `${n} fifth moves announced`),
  questions: {
    opening: 'Place the opening stones.',
    swap: 'Swap colours?',
    announce: 'How many fifth moves do you offer?',
    offer: 'Offer a point for the fifth move.',
    pick: 'Choose one of the offered points.',
  },
  offersMade: (made, all) => `${made} of ${all} offered`,
  buttons: { swap: 'Swap colours', keep: 'Keep colours', 'put-two': 'Place two more stones', pass: 'Pass' },
  announce: (n) => String(n),
  announceInstead: (n) => `Offer ${n} fifth moves`,
  decisions: { swap: 'colours swapped', keep: 'colours kept', 'put-two': 'two more stones', pass: 'pass' },
  announced: (n) => (n === 1 ? 'one fifth move announced' : `${n} fifth moves announced`),
  unreadable: 'This position cannot be shown.',
};

const zh: GomokuTexts = {
  board: (size) => `棋盘，${size} 路`,
  colors: { black: '黑', white: '白' },
  empty: '空',
  stone: (point, color) => `${point}，${color}`,
  offered: (point, color) => `${color}方提出打点 ${point}`,
  cell: (...parts) => parts.join('，'),
  lastMove: '最后一手',
  hint: '提示',
  offer: (letter) => `打点 ${letter}`,
  moveNumber: (n) => `第 ${n} 手`,
  moveNumbers: '手数',
  forbidden: { overline: '禁手：长连', 'double-four': '禁手：四四', 'double-three': '禁手：三三' },
  foul: (point) => `${point} 犯禁`,
  opening: (name) => `开局：${name}`,
  fifths: (n) => `五手 ${n} 打`,
  questions: {
    opening: '请摆放开局棋子。',
    swap: '是否交换黑白？',
    announce: '五手几打？',
    offer: '请提出第五手的打点。',
    pick: '请选择一个打点。',
  },
  offersMade: (made, all) => `已提出 ${made} / ${all}`,
  buttons: { swap: '交换', keep: '不交换', 'put-two': '再下两子', pass: '停一手' },
  announce: (n) => `${n} 打`,
  announceInstead: (n) => `五手 ${n} 打`,
  decisions: { swap: '交换黑白', keep: '不交换', 'put-two': '再下两子', pass: '停一手' },
  announced: (n) => `五手 ${n} 打`,
  unreadable: '无法显示此局面。',
};

export const texts: Record<Language, GomokuTexts> = { en, zh };
