// A few cards of a board, for a small picture of a card game: the whole board would be too small to read. Pure.
import type { BoardData, BoardPiece } from './types';

const MAX_CARDS = 4;

/** Cards from the whole of the longest line; if no line has two, those of all lines. Null: the board is no table of cards. */
export function typicalCards({ elements, pieces = [] }: BoardData): BoardPiece[] | null {
  if (elements.flat().some(({ kind }) => kind === 'grid' || kind === 'track')) {
    return null;
  }
  const lines = elements.flat().map((element) => {
    const places = element.kind === 'cards' ? element.places : [];
    return places.flatMap((place) => pieces.filter((piece) => piece.place === place && piece.shape === 'card'));
  });
  const longest = lines.reduce((one, other) => (other.length > one.length ? other : one), []);
  const cards = longest.length < 2 ? lines.flat() : longest;
  const count = Math.min(MAX_CARDS, cards.length);
  const shown = Array.from(
    { length: count },
    (_, index) => cards[count === 1 ? 0 : Math.round((index * (cards.length - 1)) / (count - 1))]!,
  );
  return shown.length === 0 ? null : shown;
}
