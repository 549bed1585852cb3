// Which dialog is open, and what it starts with.
import type { FileGame } from '../api/types';

/** What the dialog for a new game begins with. What is absent is as in the last game of these rules. */
export interface NewGameStart {
  game: string;
  variant?: string;
  /** A position text; null: the start position of the rules. */
  start?: string | null;
  moves?: string[];
  /** The id of an engine that plays against a person at this browser. */
  engine?: string;
}

/** A game of a file that was opened. */
export interface OpenedGame {
  game: FileGame;
  file: File;
  /** The number of the game in the file, counted from 0. */
  number: number;
}

class Dialogs {
  /** The new-game dialog; null: closed. */
  newGame = $state.raw<NewGameStart | 'default' | null>(null);
  settings = $state.raw(false);
  /** The game from a file that the replay screen shows. */
  openedFile = $state.raw<OpenedGame | null>(null);
}

export const dialogs = new Dialogs();
