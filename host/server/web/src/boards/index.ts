// The registry of games. A new game is one folder beside this file and one entry in `games`; nothing else in the client
// knows games by name.
import type { Component } from 'svelte';
import { bridge } from './bridge';
import { gomoku } from './gomoku';
import { reversi } from './reversi';
import { boardThemeOption } from './shared/board-themes';
import type { AppearanceOption, BoardProps, DescribeMove, GameDefinition, PieceKeys, ScoreScale } from './types';
import { xiangqi } from './xiangqi';

/** The games that the client can draw, by the server's id. */
export const games: Readonly<Record<string, GameDefinition>> = { gomoku, reversi, xiangqi, bridge };

/** Loads the board for games that describe theirs as data. */
export const loadGenericBoard = async (): Promise<Component<BoardProps>> =>
  (await import('./generic/Board.svelte')).default;

/** Loads how moves of a game are described: by the game itself, or by its board as data. */
export const loadDescribeMove = async (game: string): Promise<DescribeMove> =>
  games[game]?.loadDescribeMove() ?? (await import('./generic/names')).describeMove;

/** Loads the keys by which the pieces of a game differ; undefined: the game has no captures. */
export const loadPieceKeys = async (game: string): Promise<PieceKeys | undefined> =>
  game in games ? games[game]?.loadPieceKeys?.() : (await import('./generic/pieces')).pieceKeys;

/** Loads the picture of a piece by its key. */
export const loadPieceIcon = async (game: string): Promise<Component<{ id: string }> | undefined> =>
  game in games ? games[game]?.loadPieceIcon?.() : (await import('./generic/PieceIcon.svelte')).default;

const WHOLE_UNITS: ScoreScale = { unit: 1, losses: [1, 2, 4] };

/** The score scale of a game; a game without a definition counts in whole units. */
export function scoreScaleOf(game: string): ScoreScale {
  return games[game]?.scoreScale ?? WHOLE_UNITS;
}

const OPTIONS_OF_DATA = [boardThemeOption('wood')];

/** The choices for the look of a game's board; those of a game without a definition are for boards as data. */
export function appearanceOptionsOf(game: string): readonly AppearanceOption[] {
  return game in games ? (games[game]?.appearanceOptions ?? []) : OPTIONS_OF_DATA;
}
