// Positions for the boards of games that have no game in progress: an early one of each game, or its start with the cards
// dealt.
import { api } from '../api/client';
import type { Game, Position } from '../api/types';
import { games } from '../boards';

/** A position of a game, and the moves that led there. */
export interface SamplePosition {
  variant: string;
  moves: readonly string[];
  position: Position;
}

/** Every visit shows the same deal. */
const CHANCE_SEED = 1;
const known = new Map<string, Promise<SamplePosition>>();

/** A characteristic position of a game. It is requested once for each page load. */
export function samplePosition(game: Game): Promise<SamplePosition> {
  const before = known.get(game.id);
  if (before !== undefined) {
    return before;
  }
  const moves = [...(games[game.id]?.sampleMoves ?? [])];
  const variant = game.variants[0]?.id ?? '';
  const loading = api
    .position({ game: game.id, variant, moves, chance_seed: CHANCE_SEED })
    .then((position) => ({ variant, moves, position }));
  known.set(game.id, loading);
  // After an error, another visit of the page tries again.
  loading.catch(() => known.delete(game.id));
  return loading;
}
