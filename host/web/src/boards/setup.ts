// What setting up a position needs of a game: which pieces there are, and what a text becomes when one is put or taken.
// Whether a position can be played from, the rules say.
import type { Lang } from './board';

/** What can be put on a place; the last tool of every game clears it. */
export interface Tool {
  id: string;
  name: Record<Lang, string>;
}

export interface Setup {
  tools: Tool[];
  /** The sides, the first one before the second. */
  sides: [Tool, Tool];
  /** The text with this on that place, what the place and the tool are not known for left alone. */
  put: (text: string, place: string, tool: string) => string;
  /** The text with this side to move, and which side it is now. */
  turn: (text: string, side: string) => string;
  sideOf: (text: string) => string;
  /** The text of an empty board of the same size. */
  clear: (text: string) => string;
}

/** Games whose positions can be set up on the board. */
export const setups: Record<string, () => Promise<{ setup: Setup }>> = {
  gomoku: () => import('./gomoku/setup'),
  reversi: () => import('./reversi/setup'),
  xiangqi: () => import('./xiangqi/setup'),
};

/** The tool that takes away what is there. */
export const CLEAR: Tool = { id: 'clear', name: { en: 'empty', zh: '清除' } };

/** A row as texts have it: letters, and numbers for runs of empty places. */
export function emptyRuns<T>(row: readonly (T | null)[], letter: (it: T) => string): string {
  const letters = row.map((it) => (it === null ? '.' : letter(it)));
  return letters.join('').replace(/\.+/g, (run) => String(run.length));
}
