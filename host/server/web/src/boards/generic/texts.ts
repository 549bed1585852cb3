// The texts of boards as data by language; the texts themselves are in src/text. Names that a game gives are shown as they are.
import { textsOf } from '../../text';
import type { Language } from '../../text/language';
import type { BoardColor, HighlightKind } from './types';

export interface GenericTexts {
  board: string;
  empty: string;
  cell: (...parts: string[]) => string;
  colors: Record<BoardColor, string>;
  /** A disc of this colour. */
  disc: (color: string) => string;
  /** A piece with a letter or a glyph. */
  piece: (color: string, text: string) => string;
  /** A piece without a colour and a name. */
  plainPiece: string;
  faceDown: (count: number) => string;
  times: (count: number, piece: string) => string;
  highlights: Record<HighlightKind, string>;
  selected: string;
  canMove: string;
  target: string;
  hint: string;
  choose: string;
  moveFromTo: (piece: string, from: string, to: string) => string;
}

export const texts = (language: Language): GenericTexts => textsOf(language).boards.generic;
