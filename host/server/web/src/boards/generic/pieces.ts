// The pieces of a board as data that can be captured: figures on a grid. Discs and cards are none.
import type { PieceKeys } from '../types';
import type { BoardPiece } from './types';

export const pieceKeys: PieceKeys = ({ board }) => {
  const onGrid = new Set((board?.elements ?? []).flat().flatMap((it) => (it.kind === 'grid' ? it.rows.flat() : [])));
  return (board?.pieces ?? [])
    .filter(({ place, shape }) => onGrid.has(place) && (shape === 'glyph' || shape === 'path'))
    .map(({ shape, text, color, name }) => `${color ?? ''} ${JSON.stringify({ shape, text, color, name })}`);
};

/** The piece of a key. */
export const pieceOfKey = (key: string): BoardPiece => ({
  place: '',
  ...(JSON.parse(key.slice(key.indexOf(' '))) as Partial<BoardPiece>),
});
