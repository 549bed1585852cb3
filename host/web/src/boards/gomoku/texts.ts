// What the board of gomoku and renju says, in both languages. Words only.
import type { Lang } from '../board';

/** The moves that are words and decide something at once. */
export type Decision = 'swap' | 'keep' | 'put-two' | 'pass';

interface Texts {
  board: (size: number) => string;
  colors: { black: string; white: string };
  empty: string;
  stone: (point: string, color: string) => string;
  offered: (point: string, color: string) => string;
  cell: (...parts: string[]) => string;
  last: string;
  hint: string;
  offer: (letter: string) => string;
  number: (n: number) => string;
  /** The button that shows and hides them. */
  numbers: string;
  forbidden: Record<'overline' | 'double-four' | 'double-three', string>;
  foul: (point: string) => string;
  opening: (name: string) => string;
  fifths: (n: number) => string;
  /** What is asked in a phase. */
  asked: Record<'opening' | 'swap' | 'announce' | 'offer' | 'pick', string>;
  offersLeft: (laid: number, all: number) => string;
  /** The buttons for moves that are words. */
  button: Record<Decision, string>;
  announce: (n: number) => string;
  /** The same where it is one of the answers to "exchange?". */
  announceInstead: (n: number) => string;
  /** What was done by such a move. */
  decided: Record<Decision, string>;
  announced: (n: number) => string;
  unreadable: string;
}

const en: Texts = {
  board: (size) => `Board of ${size} by ${size} points`,
  colors: { black: 'black', white: 'white' },
  empty: 'empty',
  stone: (point, color) => `${point}, ${color}`,
  offered: (point, color) => `${point} offered for ${color}`,
  cell: (...parts) => parts.join(', '),
  last: 'last move',
  hint: 'pointed out',
  offer: (letter) => `offer ${letter}`,
  number: (n) => `move ${n}`,
  numbers: 'Move numbers',
  forbidden: {
    overline: 'forbidden: overline',
    'double-four': 'forbidden: double four',
    'double-three': 'forbidden: double three',
  },
  foul: (point) => `Foul on ${point}`,
  opening: (name) => `Opening: ${name}`,
  fifths: (n) => (n === 1 ? 'One fifth stone announced' : `${n} fifth stones announced`),
  asked: {
    opening: 'The opening is laid.',
    swap: 'Exchange the colours?',
    announce: 'How many points for the fifth stone?',
    offer: 'Offer a point for the fifth stone.',
    pick: 'Pick one of the offered points.',
  },
  offersLeft: (laid, all) => `${laid} of ${all} offered`,
  button: { swap: 'Exchange colours', keep: 'Keep colours', 'put-two': 'Lay two more stones', pass: 'Pass' },
  announce: (n) => String(n),
  announceInstead: (n) => `Offer ${n} fifth stones`,
  decided: { swap: 'colours exchanged', keep: 'colours kept', 'put-two': 'two more stones', pass: 'pass' },
  announced: (n) => (n === 1 ? 'one fifth stone announced' : `${n} fifth stones announced`),
  unreadable: 'This position cannot be drawn.',
};

const zh: Texts = {
  board: (size) => `棋盘，${size} 路`,
  colors: { black: '黑', white: '白' },
  empty: '空',
  stone: (point, color) => `${point}，${color}`,
  offered: (point, color) => `${color}方提出打点 ${point}`,
  cell: (...parts) => parts.join('，'),
  last: '最后一手',
  hint: '提示',
  offer: (letter) => `打点 ${letter}`,
  number: (n) => `第 ${n} 手`,
  numbers: '手数',
  forbidden: { overline: '禁手：长连', 'double-four': '禁手：四四', 'double-three': '禁手：三三' },
  foul: (point) => `${point} 犯禁`,
  opening: (name) => `开局：${name}`,
  fifths: (n) => `五手 ${n} 打`,
  asked: {
    opening: '正在布开局。',
    swap: '是否交换黑白？',
    announce: '五手几打？',
    offer: '请提出第五手的打点。',
    pick: '请从打点中选一点。',
  },
  offersLeft: (laid, all) => `已提出 ${laid} / ${all}`,
  button: { swap: '交换', keep: '不交换', 'put-two': '再下两子', pass: '停一手' },
  announce: (n) => `${n} 打`,
  announceInstead: (n) => `五手 ${n} 打`,
  decided: { swap: '交换黑白', keep: '不交换', 'put-two': '再下两子', pass: '停一手' },
  announced: (n) => `五手 ${n} 打`,
  unreadable: '无法画出此局面。',
};

export const texts: Record<Lang, Texts> = { en, zh };
