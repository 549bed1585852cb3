// Which board belongs to which game. A new game adds one row to each table; nothing else of the client knows games.
import type { BoardLoader, Describe } from './board';

/** The board of each game by its id, loaded when it is first shown. */
export const boards: Record<string, BoardLoader> = {
  gomoku: () => import('./gomoku/Board.svelte'),
  reversi: () => import('./reversi/Board.svelte'),
  xiangqi: () => import('./xiangqi/Board.svelte'),
  bridge: () => import('./bridge/Board.svelte'),
};

/** Games whose sides face each other: the board is turned so that one's own is near. */
export const facing: ReadonlySet<string> = new Set(['xiangqi']);

/** How moves of each game are said, loaded with the board; games without a row say the move's text. */
export const describers: Record<string, () => Promise<{ describe: Describe }>> = {
  gomoku: () => import('./gomoku/notation'),
  reversi: () => import('./reversi/notation'),
  xiangqi: () => import('./xiangqi/notation'),
  bridge: () => import('./bridge/notation'),
};
