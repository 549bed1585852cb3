// Mistakes: moves that lost value compared with the move that the engine preferred. Pure.
import type { Side } from '../api/types';
import type { ScoreScale } from '../boards/types';

export type MistakeKind = 'inaccuracy' | 'mistake' | 'blunder';

/** An engine's evaluation of one position. */
export interface Evaluation {
  /** The side to move. */
  side: Side;
  /** The value to the first side, in the game's score unit; null: unknown. */
  value: number | null;
  bestMove: string | null;
}

export interface Mistake {
  /** The number of the move, from 0. */
  ply: number;
  /** The lost value, in the game's score unit. */
  loss: number;
  kind: MistakeKind;
  bestMove: string;
}

/** The kind of mistake that a loss is; null if it is too small for one. */
export function mistakeKind(loss: number, scale: ScoreScale): MistakeKind | null {
  const [inaccuracy, mistake, blunder] = scale.losses;
  if (loss >= blunder) {
    return 'blunder';
  }
  return loss >= mistake ? 'mistake' : loss >= inaccuracy ? 'inaccuracy' : null;
}

/**
 * The mistakes among `moves`, given the evaluation of the position before each of them and after the last. A move that
 * the engine itself preferred is never a mistake, whatever it sees later. The first `opening` moves are those before the
 * game: no player of it has made them.
 */
export function findMistakes(
  moves: string[],
  evaluations: (Evaluation | undefined)[],
  scale: ScoreScale,
  opening = 0,
): Mistake[] {
  // Beyond this bound differences no longer matter: one forced win is as good as another.
  const bound = 10 * scale.losses[2];
  const clip = (value: number) => (scale.unit === 1 ? value : Math.max(-bound, Math.min(bound, value)));
  return moves.flatMap((move, ply) => {
    const before = evaluations[ply];
    const after = evaluations[ply + 1];
    if (
      ply < opening ||
      before == null ||
      after == null ||
      before.value === null ||
      after.value === null ||
      before.bestMove === null
    ) {
      return [];
    }
    if (before.bestMove === move) {
      return [];
    }
    const decrease = clip(before.value) - clip(after.value);
    const loss = before.side === 0 ? decrease : -decrease;
    const kind = mistakeKind(loss, scale);
    return kind === null ? [] : [{ ply, loss, kind, bestMove: before.bestMove }];
  });
}
