// The layout of the bridge table: four hands by suit around the trick, on a wide and on a narrow page. Numbers only; draws
// nothing.
import { SUITS, type BridgePosition, type Suit } from './notation';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface CardBox extends Box {
  card: string;
  seat: number;
}

export interface TableLayout {
  width: number;
  height: number;
  /** The cards in rows of the grid, from the top and from the left. */
  rows: CardBox[][];
  /** The centres of the suit symbols. */
  suits: { seat: number; suit: Suit; x: number; y: number; empty: boolean }[];
  /** The starts of the seats' names, by seat. */
  names: { x: number; y: number }[];
  /** The box of each seat's card in the trick, by seat. */
  trick: Box[];
  /** The centre of the trick. */
  centre: { x: number; y: number };
  /** The font size of the cards. */
  fontSize: number;
}

interface Dimensions {
  width: number;
  cell: { width: number; height: number };
  /** The width of a suit symbol before its cards. */
  symbolWidth: number;
  /** The height of a seat's name above its hand. */
  nameHeight: number;
  /** The largest number of cards on a line, in the hands beside the trick. */
  cardsBeside: number;
  /** The same in the hands above and below the trick. */
  cardsAcross: number;
  /** A card of the trick. */
  trick: { width: number; height: number };
  gap: number;
  fontSize: number;
}

const WIDE: Dimensions = {
  width: 720,
  cell: { width: 33, height: 40 },
  symbolWidth: 28,
  nameHeight: 30,
  cardsBeside: 6,
  cardsAcross: 13,
  trick: { width: 50, height: 62 },
  gap: 14,
  fontSize: 20,
};
const NARROW: Dimensions = {
  width: 360,
  cell: { width: 25, height: 30 },
  symbolWidth: 18,
  nameHeight: 22,
  cardsBeside: 4,
  cardsAcross: 13,
  trick: { width: 25, height: 38 },
  gap: 6,
  fontSize: 16,
};

interface Hand {
  seat: number;
  /** A suit with more cards than fit on a line continues on the next one. */
  lines: { suit: Suit; cards: string[]; isFirst: boolean }[];
  width: number;
  height: number;
}

function handOf(position: BridgePosition, seat: number, cardsPerLine: number, dimensions: Dimensions): Hand {
  const { symbolWidth, nameHeight, cell } = dimensions;
  const lines = SUITS.flatMap((suit) => {
    const cards = (position.hands[seat] ?? []).filter((card) => card[0] === suit);
    const chunks = [cards.slice(0, cardsPerLine)];
    for (let start = cardsPerLine; start < cards.length; start += cardsPerLine) {
      chunks.push(cards.slice(start, start + cardsPerLine));
    }
    return chunks.map((chunk, nth) => ({ suit, cards: chunk, isFirst: nth === 0 }));
  });
  const longest = Math.max(...lines.map((line) => line.cards.length));
  return {
    seat,
    lines,
    width: symbolWidth + Math.max(longest, 3) * cell.width,
    height: nameHeight + lines.length * cell.height,
  };
}

/** Lays out the table with `bottom` as the seat at the bottom, for a wide or a narrow page. */
export function layoutTable(position: BridgePosition, bottom: number, wide: boolean): TableLayout {
  const dimensions = wide ? WIDE : NARROW;
  const { cell, symbolWidth, nameHeight, cardsBeside, cardsAcross, gap, fontSize } = dimensions;
  const seatAt = (turns: number) => (bottom + turns) % 4;
  const [low, left, high, right] = [
    handOf(position, seatAt(0), cardsAcross, dimensions),
    handOf(position, seatAt(1), cardsBeside, dimensions),
    handOf(position, seatAt(2), cardsAcross, dimensions),
    handOf(position, seatAt(3), cardsBeside, dimensions),
  ];
  /** From the centre of the trick to the centre of the card below it. */
  const step = dimensions.trick.height / 2 + fontSize * 0.7;
  const middleHeight = Math.max(left.height, right.height, 2 * step + dimensions.trick.height);
  const middleTop = gap + high.height + gap;
  const lowTop = middleTop + middleHeight + gap;

  const rows: CardBox[][] = [];
  const suits: TableLayout['suits'] = [];
  const names: TableLayout['names'] = [];
  const place = (hand: Hand, x: number, y: number): CardBox[][] => {
    names[hand.seat] = { x, y: y + nameHeight * 0.7 };
    return hand.lines.map((line, nth) => {
      const top = y + nameHeight + nth * cell.height;
      if (line.isFirst) {
        suits.push({
          seat: hand.seat,
          suit: line.suit,
          x: x + symbolWidth / 2,
          y: top + cell.height / 2,
          empty: line.cards.length === 0,
        });
      }
      return line.cards.map((card, column) => ({
        card,
        seat: hand.seat,
        x: x + symbolWidth + column * cell.width,
        y: top,
        ...cell,
      }));
    });
  };
  // Hands keep their position while cards are played; only a long suit moves the upper and the lower hand.
  const { width } = dimensions;
  const centredX = (hand: Hand) => Math.min((width - symbolWidth - 5 * cell.width) / 2, (width - hand.width) / 2);
  rows.push(...place(high, centredX(high), gap));
  const leftRows = place(left, gap, middleTop + (middleHeight - left.height) / 2);
  const rightX = width - gap - symbolWidth - cardsBeside * cell.width;
  const rightRows = place(right, rightX, middleTop + (middleHeight - right.height) / 2);
  // Lines side by side form one row of the grid.
  for (let line = 0; line < Math.max(leftRows.length, rightRows.length); line++) {
    rows.push([...(leftRows[line] ?? []), ...(rightRows[line] ?? [])]);
  }
  rows.push(...place(low, centredX(low), lowTop));

  const centre = { x: width / 2, y: middleTop + middleHeight / 2 };
  const card = dimensions.trick;
  const trickBox = (dx: number, dy: number): Box => ({
    x: centre.x + dx * (card.width + gap / 4) - card.width / 2,
    y: centre.y + dy - card.height / 2,
    ...card,
  });
  const trick: Box[] = [];
  [trickBox(0, step), trickBox(-1, 0), trickBox(0, -step), trickBox(1, 0)].forEach(
    (box, turns) => (trick[seatAt(turns)] = box),
  );
  return { width, height: lowTop + low.height + gap, rows, suits, names, trick, centre, fontSize };
}
