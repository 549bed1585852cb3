// Scores as people read them, from one side's view, and what a move gave away. Pure.
import type { Scale } from '../boards/scores';

/** A forced win is ±(30000 − plies); whatever is farther out than this is one. */
const FORCED = 29_000;

/** In how many plies a score says that the game is won (positive) or lost (negative); null: it says no such thing. */
export function forced(score: number, scale: Scale): number | null {
  if (scale.unit === 1 || Math.abs(score) < FORCED) {
    return null;
  }
  const plies = Math.max(0, 30_000 - Math.abs(score));
  return score > 0 ? plies : -plies;
}

/** `+1.25`, `−3`, `0`, `+#5` for a win in five plies. */
export function scoreText(score: number, scale: Scale): string {
  const sign = score > 0 ? '+' : score < 0 ? '−' : '';
  const plies = forced(score, scale);
  if (plies !== null) {
    return `${sign}#${Math.abs(plies)}`;
  }
  const value = Math.abs(score) / scale.unit;
  return sign + (scale.unit === 1 ? String(value) : value.toFixed(2));
}

/** A score for a chart: in units for people, forced wins at the rim. */
export function charted(score: number, scale: Scale, rim: number): number {
  const value = score / scale.unit;
  return Math.max(-rim, Math.min(rim, value));
}

export type Mark = 'inaccuracy' | 'mistake' | 'blunder';

/** How bad a loss is; null: not worth a mark. */
export function markOf(loss: number, scale: Scale): Mark | null {
  const [inaccuracy, mistake, blunder] = scale.losses;
  if (loss >= blunder) {
    return 'blunder';
  }
  return loss >= mistake ? 'mistake' : loss >= inaccuracy ? 'inaccuracy' : null;
}

/** What an engine says of one position: its value to the first side, and the move it would make. */
export interface Seen {
  side: 0 | 1;
  value: number | null;
  best: string | null;
}

export interface Verdict {
  /** The number of the move, from 0. */
  ply: number;
  loss: number;
  mark: Mark;
  best: string;
}

/**
 * Which moves gave something away: what the engine saw before each against what it saw after it, both from the
 * mover's side. A move that the engine would have made is no mistake, whatever it sees later.
 */
export function verdicts(moves: string[], seen: (Seen | undefined)[], scale: Scale): Verdict[] {
  const found: Verdict[] = [];
  moves.forEach((move, ply) => {
    const before = seen[ply];
    const after = seen[ply + 1];
    if (before == null || after == null || before.value === null || after.value === null || before.best === null) {
      return;
    }
    if (before.best === move) {
      return;
    }
    const bound = 10 * scale.losses[2];
    const clip = (value: number) => (scale.unit === 1 ? value : Math.max(-bound, Math.min(bound, value)));
    const fall = clip(before.value) - clip(after.value);
    const loss = before.side === 0 ? fall : -fall;
    const mark = markOf(loss, scale);
    if (mark !== null) {
      found.push({ ply, loss, mark, best: before.best });
    }
  });
  return found;
}
