// Which dialog stands over the page, and what it begins with.
import type { FileGame } from '../api/types';

/** What a new game begins from, where it is not the start of the rules. */
export interface Begin {
  game: string;
  variant: string;
  start: string | null;
  moves: string[];
  names?: string[];
}

class Dialogs {
  newGame = $state.raw<Begin | 'fresh' | null>(null);
  settings = $state.raw(false);
  /** A game from a file that is looked at. */
  fromFile = $state.raw<FileGame | null>(null);
}

export const dialogs = new Dialogs();
