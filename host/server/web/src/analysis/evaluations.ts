// Evaluations of a game's positions from the first side's view, from scores that engines reported during the game or in an
// analysis. Pure.
import type { AnalysedPosition, Position, Side, Snapshot } from '../api/types';
import type { ScoreScale } from '../boards/types';
import type { Evaluation } from './mistakes';

const sideOfSeat = (seat: number) => (seat % 2) as Side;

/** The side to move at each ply, with those before the game: the sides that moved, then the one to move now. */
export function sidesToMove({ opening, plies, position }: Pick<Snapshot, 'opening' | 'plies' | 'position'>): Side[] {
  return [...[...opening, ...plies].map(({ seat }) => sideOfSeat(seat ?? 0)), sideOfSeat(position.to_move)];
}

/** Converts a score of the side to move at a ply into the value to the first side; null: unknown. */
export type ScoreConverter = (score: number, ply: number, side: Side) => number | null;

/** The converter of a game's scale. `positionAt` returns the position at a ply, if known. */
export function scoreConverter(scale: ScoreScale, positionAt: (ply: number) => Position | null): ScoreConverter {
  const { valueForFirstSide } = scale;
  if (valueForFirstSide === undefined) {
    return (score, _, side) => (side === 0 ? score : -score);
  }
  return (score, ply, side) => {
    const position = positionAt(ply);
    return position === null ? null : valueForFirstSide(score, side, position.facts);
  };
}

/** The values at each ply, from the scores that the engines reported with their moves. Moves before the game have none. */
export function valuesOfGame(
  { opening, plies }: Pick<Snapshot, 'opening' | 'plies'>,
  convert: ScoreConverter,
): (number | null)[] {
  const values = plies.map(({ line, seat }, ply) =>
    line?.score == null ? null : convert(line.score, opening.length + ply, sideOfSeat(seat ?? 0)),
  );
  return [null, ...opening.map(() => null), ...values];
}

/** The evaluations by ply, from the results of an analysis. */
export function evaluationsOfAnalysis(
  results: AnalysedPosition[],
  sides: Side[],
  convert: ScoreConverter,
): (Evaluation | undefined)[] {
  const evaluations: (Evaluation | undefined)[] = [];
  for (const { ply, score, move, pv } of results) {
    const side = sides[ply];
    if (side !== undefined) {
      const value = score === null || score === undefined ? null : convert(score, ply, side);
      evaluations[ply] = { side, value, bestMove: move ?? pv?.[0] ?? null };
    }
  }
  return evaluations;
}

/** The values of evaluations, one for each position. */
export function valuesOfEvaluations(evaluations: (Evaluation | undefined)[], positionCount: number): (number | null)[] {
  return Array.from({ length: positionCount }, (_, ply) => evaluations[ply]?.value ?? null);
}
