// What of a room's state a screen asks for: who sits above and below, scores over the game, names of sides. Pure.
import type { AnalysedPly, Player, Snapshot } from '../api/types';
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

/** The score after each number of moves from the first seats' view: what was said of the move that was then made. */
export function scoresOf(snap: Pick<Snapshot, 'plies'>): (number | null)[] {
  const scores: (number | null)[] = [null];
  for (const ply of snap.plies) {
    const score = ply.line?.score ?? null;
    scores.push(score === null ? null : ply.seat % 2 === 0 ? score : -score);
  }
  return scores;
}

/** The same from an analysis: what the engine sees in each position. */
export function scoresFound(found: AnalysedPly[], sides: (0 | 1)[]): (number | null)[] {
  const scores: (number | null)[] = sides.map(() => null);
  for (const { ply, score } of found) {
    const side = sides[ply];
    if (side !== undefined && score !== null && score !== undefined) {
      scores[ply] = side === 0 ? score : -score;
    }
  }
  return scores;
}

/** What an analysis saw, by position, for the verdicts on moves. */
export function seenBy(found: AnalysedPly[], sides: (0 | 1)[]): (Seen | undefined)[] {
  const seen: (Seen | undefined)[] = [];
  for (const { ply, score, move, pv } of found) {
    const side = sides[ply];
    if (side !== undefined) {
      seen[ply] = { side, score: score ?? null, best: move ?? pv?.[0] ?? null };
    }
  }
  return seen;
}
