// The texts of the gomoku and renju board by language; the texts themselves are in src/text.
import { textsOf } from '../../text';
import type { Language } from '../../text/language';
import type { ForbiddenPoint, Phase } from './notation';

/** The moves that are words and decide something. */
export const DECISIONS = ['swap', 'keep', 'put-two', 'pass'] as const;
export type Decision = (typeof DECISIONS)[number];

export interface GomokuTexts {
  board: (size: number) => string;
  colors: { black: string; white: string };
  empty: string;
  stone: (point: string, color: string) => string;
  offered: (point: string, color: string) => string;
  cell: (...parts: string[]) => string;
  lastMove: string;
  hint: string;
  offer: (letter: string) => string;
  moveNumber: (n: number) => string;
  /** The button that shows and hides move numbers. */
  moveNumbers: string;
  forbidden: Record<ForbiddenPoint['kind'], string>;
  foul: (point: string) => string;
  fifths: (n: number) => string;
  /** What the side to decide is asked in each phase. */
  questions: Record<Exclude<Phase, 'play'>, string>;
  offersMade: (made: number, all: number) => string;
  /** The buttons for decisions. */
  buttons: Record<Decision, string>;
  announce: (n: number) => string;
  /** The button that announces fifth moves where the alternative is to swap. */
  announceInstead: (n: number) => string;
  /** A decision that was made. */
  decisions: Record<Decision, string>;
  announced: (n: number) => string;
  unreadable: string;
}

export const texts = (language: Language): GomokuTexts => textsOf(language).boards.gomoku;
