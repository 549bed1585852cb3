// The border between the shell of the client and the boards: what a board is told and what it answers.
// Knows no game; draws nothing.
import type { Component } from 'svelte';
import type { Position, Solved } from '../api/types';

/** The languages of the client's texts. */
export type Lang = 'en' | 'zh';

/** A move that is pointed out on the board: a hint, an engine's choice. */
export interface Hint {
  move: string;
  /** A few characters shown at the move, such as a score. */
  label?: string;
}

/** What moves come to by perfect play, counted for the side that moves; `value` is what the best of them do. */
export type Values = Pick<Solved, 'side' | 'value' | 'moves'>;

/** All that a board is told. It keeps no state of the game beyond it. */
export interface BoardProps {
  /** The variant's text, such as `renju` or `freestyle-19`. */
  variant: string;
  position: Position;
  /** The move that led to the position; null at the start. */
  lastMove: string | null;
  /** The moves that may be made here; empty where nobody may move. */
  legal: string[];
  hints: Hint[];
  /** Of the legal moves, also where the one who looks may make none; null or absent: not known. A board may ignore them. */
  values?: Values | null;
  /** The moves that led from the start to the position, where they are known: for move numbers. */
  moves?: readonly string[];
  /** The seats of the one who looks; empty for a spectator. */
  mySeats: number[];
  flipped: boolean;
  lang: Lang;
  /** Wishes about looks, such as `pieces`: `classical` or `lettered`. A board ignores what it does not know. */
  settings: Record<string, string>;
  /** Called with a move's text, one of `legal`. */
  onmove: (move: string) => void;
  /** Called with a place's name instead, where pieces are set up: every place can be chosen then, and no move made. */
  onplace?: (place: string) => void;
}

/** The component of a board, as a chunk of its own. */
export type BoardLoader = () => Promise<{ default: Component<BoardProps> }>;

/** What a screen reader says of a move; `position` is the one before it, null where nobody knows it. */
export type Describe = (move: string, position: Position | null, lang: Lang) => string;
