// The texts of the bridge table by language; the texts themselves are in src/text.
import type { Side } from '../../api/types';
import { textsOf } from '../../text';
import type { Language } from '../../text/language';
import type { Strain, Suit } from './notation';

export interface BridgeTexts {
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

export const texts = (language: Language): BridgeTexts => textsOf(language).boards.bridge;
