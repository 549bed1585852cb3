// The players of one game by their scores. Pure.

/** A player with its score and place. */
export interface Standing<P> {
  player: P;
  score: number;
  /** From 1; players with equal scores share a place. */
  place: number;
}

/** The players by their scores, the best first. Empty if a score is missing, as in an aborted game. */
export function standingsOf<P extends { seats: number[] }>(
  players: readonly P[],
  scores: readonly number[],
): Standing<P>[] {
  const scored = players.flatMap((player) => {
    const score = scores[player.seats[0] ?? -1];
    return score === undefined ? [] : [{ player, score }];
  });
  if (scored.length < players.length) {
    return [];
  }
  return scored
    .map((entry) => ({ ...entry, place: 1 + scored.filter(({ score }) => score > entry.score).length }))
    .sort((a, b) => a.place - b.place);
}

/** A score with a minus sign. */
export const formatPoints = (score: number): string => (score < 0 ? `−${-score}` : String(score));

/** The players that share the first place. */
export function leadersOf<P>(standings: readonly Standing<P>[]): P[] {
  return standings.filter(({ place }) => place === 1).map(({ player }) => player);
}
