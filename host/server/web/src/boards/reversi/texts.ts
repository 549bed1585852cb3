// The texts of the reversi board by language; the texts themselves are in src/text.
import { textsOf } from '../../text';
import type { Language } from '../../text/language';

export interface ReversiTexts {
  board: (size: number) => string;
  colors: { black: string; white: string };
  empty: string;
  cell: (...parts: string[]) => string;
  lastMove: string;
  hint: string;
  /** How many discs a legal move flips. */
  flips: (discs: number) => string;
  count: (color: string, discs: number) => string;
  pass: string;
  passes: (color: string) => string;
  mustPass: string;
  unreadable: string;
}

export const texts = (language: Language): ReversiTexts => textsOf(language).boards.reversi;
