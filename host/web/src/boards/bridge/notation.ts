// Texts of bridge with open hands: deals in play, cards, and how a card is said.
// Reads what the rules wrote; who must follow suit and who wins the game it leaves to them.
import type { Position } from '../../api/types';
import type { Lang } from '../board';
import { attempt, NotationError, wordsOf } from '../fault';
import { texts } from './texts';

export const SEATS = 'NESW';
export const SUITS = ['S', 'H', 'D', 'C'] as const;
export type Suit = (typeof SUITS)[number];
export type Strain = Suit | 'NT';
const RANKS = 'AKQJT98765432';

export interface Table {
  /** The cards of north, east, south and west, by suit from spades and from the highest. */
  hands: string[][];
  strain: Strain;
  /** The seat that leads to the trick. */
  leader: number;
  /** The seat that plays next. */
  plays: number;
  /** The cards of the unfinished trick, in the order of play. */
  trick: string[];
  /** The tricks of north-south and of east-west. */
  won: [number, number];
  /** The tricks of north-south with perfect play, where the position says. */
  mark: number | null;
}

/** Suit and rank of a card; null where it is none. */
export function splitCard(card: string): { suit: Suit; rank: string } | null {
  const suit = SUITS.find((it) => it === card[0]);
  const rank = card.slice(1);
  return suit && rank.length === 1 && RANKS.includes(rank) ? { suit, rank } : null;
}

/** Reads a position text. Throws a `NotationError` where it is none. */
export function parse(text: string): Table {
  const words = wordsOf(text);
  const fault = (nth: number, reason: string) => new NotationError(text, words[nth]?.at ?? text.length, reason);
  const first = /^([NESW]):(.*)$/.exec(words[0]?.text ?? '');
  if (!first) throw fault(0, 'the first hand begins with its seat, as `N:`');
  const hands: string[][] = [[], [], [], []];
  const seen = new Set<string>();
  for (let nth = 0; nth < 4; nth++) {
    const hand = readHand(nth === 0 ? first[2]! : (words[nth]?.text ?? ''));
    if (!hand) throw fault(nth, 'a hand is four suits between dots, cards as `AKQJT98765432`');
    for (const card of hand) {
      if (seen.has(card)) throw fault(nth, `${card} is there twice`);
      seen.add(card);
    }
    hands[(SEATS.indexOf(first[1]!) + nth) % 4] = hand;
  }
  const strain = (['NT', ...SUITS] as const).find((it) => it === words[4]?.text);
  if (!strain) throw fault(4, 'the strain is S, H, D, C or NT');
  const leader = words[5]?.text.length === 1 ? SEATS.indexOf(words[5].text) : -1;
  if (leader < 0) throw fault(5, 'who leads is N, E, S or W');
  const trick = !words[6] || words[6].text === '-' ? [] : words[6].text.split(',');
  for (const card of trick) {
    if (!splitCard(card) || seen.has(card)) throw fault(6, `\`${card}\` is no card, or is in a hand`);
  }
  if (trick.length > 3) throw fault(6, 'a trick of four cards is over');
  const table: Table = { hands, strain, leader, plays: (leader + trick.length) % 4, trick, won: [0, 0], mark: null };
  for (const [nth, word] of words.entries()) {
    if (nth < 7) continue;
    const won = /^won=([0-9]+)-([0-9]+)$/.exec(word.text);
    const mark = /^dd=([0-9]+)$/.exec(word.text);
    if (won) table.won = [Number(won[1]), Number(won[2])];
    else if (mark) table.mark = Number(mark[1]);
    else throw fault(nth, `\`${word.text}\` is no word of a position`);
  }
  return table;
}

/** The cards of a hand; null where it is none. */
function readHand(text: string): string[] | null {
  const suits = text.split('.');
  if (suits.length !== 4) return null;
  const cards = suits.flatMap((ranks, suit) => Array.from(ranks, (rank) => `${SUITS[suit]}${rank}`));
  if (!cards.every((card) => splitCard(card))) return null;
  return cards.sort((one, other) => order(one) - order(other));
}

const order = (card: string) => 'SHDC'.indexOf(card[0]!) * RANKS.length + RANKS.indexOf(card[1]!);

/** Whose card it is: of a hand, else of the trick; null where it is nowhere. */
export function holderOf(table: Table, card: string): number | null {
  const seat = table.hands.findIndex((hand) => hand.includes(card));
  if (seat >= 0) return seat;
  const nth = table.trick.indexOf(card);
  return nth < 0 ? null : (table.leader + nth) % 4;
}

/** A card on the table and who played it. */
export interface Played {
  seat: number;
  card: string;
}

/** The cards in the middle: the unfinished trick, else the one before, where the moves tell it. */
export function middle(table: Table, moves: readonly string[]): { cards: Played[]; over: boolean } {
  const seated = (leader: number) => (card: string, nth: number) => ({ seat: (leader + nth) % 4, card });
  if (table.trick.length > 0) return { cards: table.trick.map(seated(table.leader)), over: false };
  const trick = moves.slice(-4);
  if (trick.length < 4 || !trick.every((card) => splitCard(card))) return { cards: [], over: true };
  const led = trick[0]![0];
  const suit = trick.some((card) => card[0] === table.strain) ? table.strain : led;
  const best = trick.filter((card) => card[0] === suit).sort((one, other) => order(one) - order(other))[0]!;
  // Who won it leads now.
  return { cards: trick.map(seated((table.leader - trick.indexOf(best) + 4) % 4)), over: true };
}

/** How a card is said: "north, jack of spades". */
export function describe(move: string, position: Position | null, lang: Lang): string {
  const card = splitCard(move);
  if (!card) return move;
  const words = texts[lang];
  const table = position ? attempt(() => parse(position.position)).ok : undefined;
  const seat = table ? holderOf(table, move) : null;
  const said = words.card(card.suit, card.rank);
  return seat === null ? said : words.cell(words.seats[seat]!, said);
}
