// What of a room's state a screen asks for: who sits above and below, scores over the game, names of sides. Pure.
import type { AnalysedPly, Player, Position, Snapshot } from '../api/types';
import type { Scale } from '../boards/scores';
import type { Seen } from '../lib/score';

/** The players as they sit: one's own below, else the first side, unless the board is turned. */
export function seated(snap: Snapshot, mine: ReadonlySet<number>, flipped: boolean): [above: Player[], below: Player[]] {
  const own = snap.players.filter((player) => mine.has(player.player));
  const first = own.length === 1 ? own : snap.players.filter((player) => player.seats.includes(0));
  const rest = snap.players.filter((player) => !first.includes(player));
  return flipped ? [first, rest] : [rest, first];
}

/** The side whose turn it is after each number of moves, by the seats that moved and the one to move. */
export function sidesToMove(snap: Pick<Snapshot, 'plies' | 'position'>): (0 | 1)[] {
  return [...snap.plies.map((ply) => (ply.seat % 2) as 0 | 1), (snap.position.to_move % 2) as 0 | 1];
}

/** What a score of the side to move after so many moves is worth to the first side; null: not known. */
export type ValueOf = (score: number, ply: number, side: 0 | 1) => number | null;

/** By a game's measure; `known` finds the position after so many moves, where somebody told it. */
export function valueBy(scale: Scale, known: (ply: number) => Position | null): ValueOf {
  const { value } = scale;
  if (value === undefined) {
    return (score, _, side) => (side === 0 ? score : -score);
  }
  return (score, ply, side) => {
    const position = known(ply);
    return position === null ? null : value(score, side, position.facts);
  };
}

/** The value to the first side after each number of moves: what was said of the move that was then made. */
export function scoresOf(snap: Pick<Snapshot, 'plies'>, value: ValueOf): (number | null)[] {
  const scores: (number | null)[] = [null];
  snap.plies.forEach((ply, n) => {
    const score = ply.line?.score ?? null;
    scores.push(score === null ? null : value(score, n, (ply.seat % 2) as 0 | 1));
  });
  return scores;
}

/** What an analysis saw, by position, for the verdicts on moves. */
export function seenBy(found: AnalysedPly[], sides: (0 | 1)[], value: ValueOf): (Seen | undefined)[] {
  const seen: (Seen | undefined)[] = [];
  for (const { ply, score, move, pv } of found) {
    const side = sides[ply];
    if (side !== undefined) {
      const told = score === null || score === undefined ? null : value(score, ply, side);
      seen[ply] = { side, value: told, best: move ?? pv?.[0] ?? null };
    }
  }
  return seen;
}

/** The same as values for a chart, one for each position. */
export function scoresSeen(seen: (Seen | undefined)[], positions: number): (number | null)[] {
  return Array.from({ length: positions }, (_, ply) => seen[ply]?.value ?? null);
}
