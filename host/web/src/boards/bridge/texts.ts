// What the board of bridge says, in both languages. Words only.
import type { Lang } from '../board';
import type { Strain, Suit } from './notation';

interface Texts {
  board: string;
  /** North, east, south, west. */
  seats: readonly [string, string, string, string];
  card: (suit: Suit, rank: string) => string;
  cell: (...parts: string[]) => string;
  hint: (label: string) => string;
  /** What a card comes to in the end, and that none does better. */
  worth: (tricks: number) => string;
  best: string;
  strain: (strain: Strain) => string;
  plays: (seat: string) => string;
  tricks: (ns: number, ew: number) => string;
  mark: (tricks: number) => string;
  fromHere: (side: 0 | 1, tricks: number) => string;
  unreadable: string;
}

/** The signs of the suits, as text and never as coloured pictures. */
export const SIGNS: Record<Suit, string> = { S: '♠\uFE0E', H: '♥\uFE0E', D: '♦\uFE0E', C: '♣\uFE0E' };

/** What is written on a card. */
export function face(rank: string): string {
  return rank === 'T' ? '10' : rank;
}

const RANKS: Record<string, string> = { A: 'ace', K: 'king', Q: 'queen', J: 'jack', T: 'ten', 9: 'nine', 8: 'eight', 7: 'seven', 6: 'six', 5: 'five', 4: 'four', 3: 'three', 2: 'two' };
const SUITS: Record<Suit, string> = { S: 'spades', H: 'hearts', D: 'diamonds', C: 'clubs' };
const SUITS_ZH: Record<Suit, string> = { S: '黑桃', H: '红心', D: '方块', C: '梅花' };

const en: Texts = {
  board: 'Bridge table',
  seats: ['north', 'east', 'south', 'west'],
  card: (suit, rank) => `${RANKS[rank]} of ${SUITS[suit]}`,
  cell: (...parts) => parts.join(', '),
  hint: (label) => (label ? `pointed out: ${label}` : 'pointed out'),
  worth: (tricks) => `${tricks} ${tricks === 1 ? 'trick' : 'tricks'}`,
  best: 'best',
  strain: (strain) => (strain === 'NT' ? 'No trumps' : `${SUITS[strain][0]!.toUpperCase()}${SUITS[strain].slice(1)} are trumps`),
  plays: (seat) => `${seat} plays`,
  tricks: (ns, ew) => `tricks: north-south ${ns}, east-west ${ew}`,
  mark: (tricks) => `perfect play gives north-south ${tricks}`,
  fromHere: (side, tricks) => `from here perfect play gives ${side === 0 ? 'north-south' : 'east-west'} ${tricks}`,
  unreadable: 'This position cannot be drawn.',
};

const zh: Texts = {
  board: '桥牌桌',
  seats: ['北', '东', '南', '西'],
  card: (suit, rank) => `${SUITS_ZH[suit]}${face(rank)}`,
  cell: (...parts) => parts.join('，'),
  hint: (label) => (label ? `提示：${label}` : '提示'),
  worth: (tricks) => `${tricks} 墩`,
  best: '最佳',
  strain: (strain) => (strain === 'NT' ? '无将' : `将牌：${SUITS_ZH[strain]}`),
  plays: (seat) => `轮到${seat}家`,
  tricks: (ns, ew) => `墩数：南北 ${ns}，东西 ${ew}`,
  mark: (tricks) => `双明手南北 ${tricks} 墩`,
  fromHere: (side, tricks) => `此局面双明手${side === 0 ? '南北' : '东西'} ${tricks} 墩`,
  unreadable: '无法画出此局面。',
};

export const texts: Record<Lang, Texts> = { en, zh };
