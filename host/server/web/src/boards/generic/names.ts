// What a board as data shows, in words: names of pieces for screen readers, and descriptions of moves. Pure.
import type { DescribeMove } from '../types';
import { texts } from './texts';
import type { BoardPiece } from './types';
import type { Language } from '../../text/language';

/** The name of a piece: that of the game, or else its colour and text. `count` pieces are on its place. */
export function pieceName(piece: BoardPiece, language: Language, count = piece.count ?? 1): string {
  const t = texts(language);
  if (piece.shape === 'back') {
    return t.faceDown(count);
  }
  const name = piece.name || nameByLook(piece, language);
  return count > 1 ? t.times(count, name) : name;
}

function nameByLook({ color, shape, text }: BoardPiece, language: Language): string {
  const t = texts(language);
  const shown = shape === 'path' ? '' : (text ?? '');
  if (shape === 'card') {
    return shown;
  }
  if (color === undefined) {
    return shown || t.plainPiece;
  }
  return shown ? t.piece(t.colors[color], shown) : t.disc(t.colors[color]);
}

/** The things on each place, in their order. */
export function byPlace<T extends { place: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.place);
    if (group) {
      group.push(item);
    } else {
      groups.set(item.place, [item]);
    }
  }
  return groups;
}

/** The number of pieces that these stand for. */
export function countOf(pieces: readonly BoardPiece[]): number {
  return pieces.reduce((sum, { count = 1 }) => sum + count, 0);
}

/** The names of the pieces on a place, from the top. Pieces with one name are one text with their number. */
export function namesOf(pieces: readonly BoardPiece[], language: Language): string[] {
  const alike = new Map<string, BoardPiece[]>();
  for (const piece of [...pieces].reverse()) {
    const name = pieceName(piece, language, 1);
    alike.set(name, [...(alike.get(name) ?? []), piece]);
  }
  return [...alike.values()].map((pieces) => pieceName(pieces[0]!, language, countOf(pieces)));
}

/** The move's label, or the piece and its way; else the text of the move. */
export const describeMove: DescribeMove = (move, position, language) => {
  const board = position?.board;
  const entry = board?.moves?.find((other) => other.move === move);
  if (!board || !entry) {
    return move;
  }
  const [from, to] = entry.places ?? [];
  if (entry.label && from === undefined) {
    return entry.label;
  }
  if (from === undefined || to === undefined) {
    return move;
  }
  const piece = board.pieces?.findLast(({ place }) => place === from);
  const way = texts(language)
    .moveFromTo(piece ? pieceName(piece, language, 1) : '', from, to)
    .trim();
  return entry.label ? texts(language).cell(way, entry.label) : way;
};
