// The texts of the bridge table in every language.
import type { Side } from '../../api/types';
import type { Language } from '../../text/language';
import type { Strain, Suit } from './notation';

interface BridgeTexts {
  board: string;
  /** North, east, south, west. */
  seats: readonly [string, string, string, string];
  card: (suit: Suit, rank: string) => string;
  cell: (...parts: string[]) => string;
  hint: (label: string) => string;
  /** The exact value of a card: tricks with perfect play. */
  value: (tricks: number) => string;
  best: string;
  strain: (strain: Strain) => string;
  toPlay: (seat: string) => string;
  tricks: (northSouth: number, eastWest: number) => string;
  doubleDummy: (tricks: number) => string;
  valueFromHere: (side: Side, tricks: number) => string;
  unreadable: string;
}

/** The suit symbols, with the variation selector that keeps them text instead of emoji. */
export const SUIT_SYMBOLS: Record<Suit, string> = { S: '♠\uFE0E', H: '♥\uFE0E', D: '♦\uFE0E', C: '♣\uFE0E' };

/** The rank as written on a card. */
export function rankLabel(rank: string): string {
  return rank === 'T' ? '10' : rank;
}

const RANKS_EN: Record<string, string> = {
  A: 'ace',
  K: 'king',
  Q: 'queen',
  J: 'jack',
  T: 'ten',
  9: 'nine',
  8: 'eight',
  7: 'seven',
  6: 'six',
  5: 'five',
  4: 'four',
  3: 'three',
  2: 'two',
};
const SUITS_EN: Record<Suit, string> = { S: 'spades', H: 'hearts', D: 'diamonds', C: 'clubs' };
const SUITS_ZH: Record<Suit, string> = { S: '黑桃', H: '红心', D: '方块', C: '梅花' };

const en: BridgeTexts = {
  board: 'Bridge table',
  seats: ['north', 'east', 'south', 'west'],
  card: (suit, rank) => `${RANKS_EN[rank]} of ${SUITS_EN[suit]}`,
  cell: (...parts) => parts.join(', '),
  hint: (label) => (label ? `hint: ${label}` : 'hint'),
  value: (tricks) => `${tricks} ${tricks === 1 ? 'trick' : 'tricks'}`,
  best: 'best',
  strain: (strain) =>
    strain === 'NT' ? 'No trumps' : `${SUITS_EN[strain][0]!.toUpperCase()}${SUITS_EN[strain].slice(1)} are trumps`,
  toPlay: (seat) => `${seat} to play`,
  tricks: (northSouth, eastWest) => `tricks: north-south ${northSouth}, east-west ${eastWest}`,
  doubleDummy: (tricks) => `double dummy: north-south ${tricks}`,
  valueFromHere: (side, tricks) => `from here with perfect play: ${side === 0 ? 'north-south' : 'east-west'} ${tricks}`,
  unreadable: 'This position cannot be shown.',
};

const zh: BridgeTexts = {
  board: '桥牌桌',
  seats: ['北', '东', '南', '西'],
  card: (suit, rank) => `${SUITS_ZH[suit]}${rankLabel(rank)}`,
  cell: (...parts) => parts.join('，'),
  hint: (label) => (label ? `提示：${label}` : '提示'),
  value: (tricks) => `${tricks} 墩`,
  best: '最佳',
  strain: (strain) => (strain === 'NT' ? '无将' : `将牌：${SUITS_ZH[strain]}`),
  toPlay: (seat) => `轮到${seat}家`,
  tricks: (northSouth, eastWest) => `墩数：南北 ${northSouth}，东西 ${eastWest}`,
  doubleDummy: (tricks) => `双明手：南北 ${tricks} 墩`,
  valueFromHere: (side, tricks) => `此局面双明手：${side === 0 ? '南北' : '东西'} ${tricks} 墩`,
  unreadable: '无法显示此局面。',
};

export const texts: Record<Language, BridgeTexts> = { en, zh };
