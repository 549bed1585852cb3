// Where everything lies on the bridge table: four hands by suit around the trick, for a wide page and for a narrow one.
// Numbers only; draws nothing.
import { SUITS, type Suit, type Table } from './notation';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Placed extends Box {
  card: string;
  seat: number;
}

export interface Layout {
  width: number;
  height: number;
  /** The cards, those of one line together: the rows of the grid. */
  rows: Placed[][];
  /** Where the suits' signs stand: the middle of a line's beginning. */
  suits: { seat: number; suit: Suit; x: number; y: number; empty: boolean }[];
  /** Where the seats' names stand, by seat. */
  names: { x: number; y: number }[];
  /** Where each seat's card of the trick lies, by seat. */
  trick: Box[];
  /** The middle of the trick. */
  centre: { x: number; y: number };
  /** What the letters of the cards measure. */
  font: number;
}

interface Measures {
  width: number;
  cell: { width: number; height: number };
  /** Room for a suit's sign before its cards, and for a seat's name above its hand. */
  sign: number;
  name: number;
  /** Cards of a suit on one line, beside the trick and above or below it. */
  beside: number;
  across: number;
  /** A card of the trick. */
  trick: { width: number; height: number };
  gap: number;
  font: number;
}

const WIDE: Measures = {
  width: 720, cell: { width: 33, height: 40 }, sign: 28, name: 30, beside: 6, across: 13, trick: { width: 50, height: 62 }, gap: 14, font: 20,
};
const NARROW: Measures = {
  width: 360, cell: { width: 25, height: 30 }, sign: 18, name: 22, beside: 4, across: 13, trick: { width: 25, height: 38 }, gap: 6, font: 16,
};

interface Hand {
  seat: number;
  lines: { suit: Suit; cards: string[]; first: boolean }[];
  width: number;
  height: number;
}

function handOf(table: Table, seat: number, wrap: number, m: Measures): Hand {
  const lines = SUITS.flatMap((suit) => {
    const cards = (table.hands[seat] ?? []).filter((card) => card[0] === suit);
    const chunks = [cards.slice(0, wrap)];
    for (let at = wrap; at < cards.length; at += wrap) chunks.push(cards.slice(at, at + wrap));
    return chunks.map((chunk, nth) => ({ suit, cards: chunk, first: nth === 0 }));
  });
  const longest = Math.max(...lines.map((line) => line.cards.length));
  return { seat, lines, width: m.sign + Math.max(longest, 3) * m.cell.width, height: m.name + lines.length * m.cell.height };
}

/** Lays out the table with a seat at the bottom, on a page that is wide or not. */
export function layout(table: Table, bottom: number, wide: boolean): Layout {
  const m = wide ? WIDE : NARROW;
  const seatAt = (turns: number) => (bottom + turns) % 4;
  const [low, left, high, right] = [
    handOf(table, seatAt(0), m.across, m),
    handOf(table, seatAt(1), m.beside, m),
    handOf(table, seatAt(2), m.across, m),
    handOf(table, seatAt(3), m.beside, m),
  ];
  /** From the middle of the trick to the middle of the card below it. */
  const step = m.trick.height / 2 + m.font * 0.7;
  const beside = Math.max(left.height, right.height, 2 * step + m.trick.height);
  const between = m.gap + high.height + m.gap;
  const below = between + beside + m.gap;

  const rows: Placed[][] = [];
  const suits: Layout['suits'] = [];
  const names: Layout['names'] = [];
  const put = (hand: Hand, x: number, y: number): Placed[][] => {
    names[hand.seat] = { x, y: y + m.name * 0.7 };
    return hand.lines.map((line, nth) => {
      const top = y + m.name + nth * m.cell.height;
      if (line.first) suits.push({ seat: hand.seat, suit: line.suit, x: x + m.sign / 2, y: top + m.cell.height / 2, empty: line.cards.length === 0 });
      return line.cards.map((card, place) => ({ card, seat: hand.seat, x: x + m.sign + place * m.cell.width, y: top, ...m.cell }));
    });
  };
  // Hands stay where they are while cards go; only a long suit moves the upper and lower one.
  const centred = (hand: Hand) => Math.min((m.width - m.sign - 5 * m.cell.width) / 2, (m.width - hand.width) / 2);
  rows.push(...put(high, centred(high), m.gap));
  const lefts = put(left, m.gap, between + (beside - left.height) / 2);
  const rights = put(right, m.width - m.gap - m.sign - m.beside * m.cell.width, between + (beside - right.height) / 2);
  // Lines beside each other are one row of the grid.
  for (let line = 0; line < Math.max(lefts.length, rights.length); line++) rows.push([...(lefts[line] ?? []), ...(rights[line] ?? [])]);
  rows.push(...put(low, centred(low), below));

  const centre = { x: m.width / 2, y: between + beside / 2 };
  const { width, height } = m.trick;
  const around = (dx: number, dy: number): Box => ({ x: centre.x + dx * (width + m.gap / 4) - width / 2, y: centre.y + dy - height / 2, ...m.trick });
  const trick: Box[] = [];
  [around(0, step), around(-1, 0), around(0, -step), around(1, 0)].forEach((box, turns) => (trick[seatAt(turns)] = box));
  return { width: m.width, height: below + low.height + m.gap, rows, suits, names, trick, centre, font: m.font };
}
