// The notation of bridge with open hands: position texts, cards, and descriptions of cards. Knows neither who must follow
// suit nor the score.
import type { Position } from '../../api/types';
import type { Language } from '../../text/language';
import { NotationError, splitWords, tryParse } from '../shared/parsing';
import type { MoveNames } from '../types';
import { rankLabel, SUIT_SYMBOLS, texts } from './texts';

/** The letters of the seats, by seat number. */
export const SEATS = 'NESW';
export const SUITS = ['S', 'H', 'D', 'C'] as const;
export type Suit = (typeof SUITS)[number];
export type Strain = Suit | 'NT';
const RANKS = 'AKQJT98765432';

export interface BridgePosition {
  /** The cards of north, east, south and west; by suit from spades, from high to low. */
  hands: string[][];
  strain: Strain;
  /** The seat that led to the current trick. */
  leader: number;
  /** The seat to play. */
  next: number;
  /** The cards of the unfinished trick, in the order of play. */
  trick: string[];
  /** The tricks won by north-south and by east-west. */
  tricksWon: [northSouth: number, eastWest: number];
  /** The tricks of north-south with perfect play from the start; null: unknown. */
  doubleDummy: number | null;
}

/** The suit and rank of a card; null for another text. */
export function splitCard(card: string): { suit: Suit; rank: string } | null {
  const suit = SUITS.find((letter) => letter === card[0]);
  const rank = card.slice(1);
  return suit && rank.length === 1 && RANKS.includes(rank) ? { suit, rank } : null;
}

/** Reads a position text. Throws a `NotationError`. */
export function parsePosition(text: string): BridgePosition {
  const words = splitWords(text);
  const fault = (word: number, reason: string) => new NotationError(text, words[word]?.index ?? text.length, reason);
  const first = /^([NESW]):(.*)$/.exec(words[0]?.text ?? '');
  if (!first) {
    throw fault(0, 'the first hand must begin with its seat, as `N:`');
  }
  const hands: string[][] = [[], [], [], []];
  const seen = new Set<string>();
  for (let nth = 0; nth < 4; nth++) {
    const hand = parseHand(nth === 0 ? first[2]! : (words[nth]?.text ?? ''));
    if (!hand) {
      throw fault(nth, 'a hand is four suits separated by dots, with cards of `AKQJT98765432`');
    }
    for (const card of hand) {
      if (seen.has(card)) {
        throw fault(nth, `${card} occurs twice`);
      }
      seen.add(card);
    }
    hands[(SEATS.indexOf(first[1]!) + nth) % 4] = hand;
  }
  const strain = (['NT', ...SUITS] as const).find((letters) => letters === words[4]?.text);
  if (!strain) {
    throw fault(4, 'the strain must be S, H, D, C or NT');
  }
  const leader = words[5]?.text.length === 1 ? SEATS.indexOf(words[5].text) : -1;
  if (leader < 0) {
    throw fault(5, 'the leader must be N, E, S or W');
  }
  const trick = !words[6] || words[6].text === '-' ? [] : words[6].text.split(',');
  for (const card of trick) {
    if (!splitCard(card) || seen.has(card)) {
      throw fault(6, `\`${card}\` is not a card, or is in a hand`);
    }
  }
  if (trick.length > 3) {
    throw fault(6, 'an unfinished trick has at most three cards');
  }
  const position: BridgePosition = {
    hands,
    strain,
    leader,
    next: (leader + trick.length) % 4,
    trick,
    tricksWon: [0, 0],
    doubleDummy: null,
  };
  for (const [nth, word] of words.entries()) {
    if (nth < 7) {
      continue;
    }
    const won = /^won=([0-9]+)-([0-9]+)$/.exec(word.text);
    const doubleDummy = /^dd=([0-9]+)$/.exec(word.text);
    if (won) {
      position.tricksWon = [Number(won[1]), Number(won[2])];
    } else if (doubleDummy) {
      position.doubleDummy = Number(doubleDummy[1]);
    } else {
      throw fault(nth, `unknown word \`${word.text}\``);
    }
  }
  return position;
}

/** The sorted cards of a hand; null for another text. */
function parseHand(text: string): string[] | null {
  const suits = text.split('.');
  if (suits.length !== 4) {
    return null;
  }
  const cards = suits.flatMap((ranks, suit) => Array.from(ranks, (rank) => `${SUITS[suit]}${rank}`));
  if (!cards.every((card) => splitCard(card))) {
    return null;
  }
  return cards.sort((a, b) => sortKey(a) - sortKey(b));
}

const sortKey = (card: string) => 'SHDC'.indexOf(card[0]!) * RANKS.length + RANKS.indexOf(card[1]!);

/** The seat that holds a card, or played it to the current trick; null: neither. */
export function holderOf(position: BridgePosition, card: string): number | null {
  const seat = position.hands.findIndex((hand) => hand.includes(card));
  if (seat >= 0) {
    return seat;
  }
  const nth = position.trick.indexOf(card);
  return nth < 0 ? null : (position.leader + nth) % 4;
}

/** A card on the table and the seat that played it. */
export interface PlayedCard {
  seat: number;
  card: string;
}

/** The trick to show: the unfinished one, else the previous one if the moves tell it. */
export function shownTrick(
  position: BridgePosition,
  moves: readonly string[],
): { cards: PlayedCard[]; isFinished: boolean } {
  const playedFrom = (leader: number) => (card: string, nth: number) => ({ seat: (leader + nth) % 4, card });
  if (position.trick.length > 0) {
    return { cards: position.trick.map(playedFrom(position.leader)), isFinished: false };
  }
  const trick = moves.slice(-4);
  if (trick.length < 4 || !trick.every((card) => splitCard(card))) {
    return { cards: [], isFinished: true };
  }
  const suitLed = trick[0]![0];
  const winningSuit = trick.some((card) => card[0] === position.strain) ? position.strain : suitLed;
  const winner = trick.filter((card) => card[0] === winningSuit).sort((a, b) => sortKey(a) - sortKey(b))[0]!;
  // The winner of the previous trick leads to the current one.
  const leader = (position.leader - trick.indexOf(winner) + 4) % 4;
  return { cards: trick.map(playedFrom(leader)), isFinished: true };
}

/** Cards as people write them: ♠A, ♥10. */
export const moveNames: MoveNames = {
  nameMoves: (moves) =>
    moves.map((move) => {
      const card = splitCard(move);
      return card ? `${SUIT_SYMBOLS[card.suit]}${rankLabel(card.rank)}` : move;
    }),
  readMove: (text, legal) => {
    const letters = [
      ...text
        .replace(/[\uFE0E\uFE0F\s]/g, '')
        .toUpperCase()
        .replace('10', 'T'),
    ];
    const suit = { '♠': 'S', '♥': 'H', '♦': 'D', '♣': 'C' }[letters[0] ?? ''] ?? letters[0];
    return legal.find((move) => move === [suit, ...letters.slice(1)].join('')) ?? null;
  },
};

/** Describes a card: "north, jack of spades". */
export function describeMove(move: string, position: Position | null, language: Language): string {
  const card = splitCard(move);
  if (!card) {
    return move;
  }
  const t = texts(language);
  const parsed = position ? tryParse(() => parsePosition(position.position)).value : undefined;
  const seat = parsed ? holderOf(parsed, move) : null;
  const name = t.card(card.suit, card.rank);
  return seat === null ? name : t.cell(t.seats[seat]!, name);
}
