// In what a game's scores count: how many make one unit for people, and from which loss on a move is an inaccuracy,
// a mistake, a blunder. One row for each game; a game without one counts in whole units.

export interface Scale {
  /** How many of the score's own unit make one for people: 100 where engines count hundredths. */
  unit: number;
  /** Losses in the score's own unit. */
  losses: [inaccuracy: number, mistake: number, blunder: number];
  /**
   * What a score of a side means to the first one, where it is not simply the other's loss: of the position's facts.
   * Null where they do not tell.
   */
  value?: (score: number, side: 0 | 1, facts: Record<string, unknown>) => number | null;
}

/**
 * Bridge: engines tell the tricks that the mover's side will still take. To north and south they are worth those that
 * they have, and will have, above what perfect play gives them; without a mark, above one half.
 */
function tricks(score: number, side: 0 | 1, facts: Record<string, unknown>): number | null {
  const { tricks_left: left, tricks_won: won, double_dummy_ns: mark } = facts as {
    tricks_left?: unknown;
    tricks_won?: { NS?: unknown; EW?: unknown };
    double_dummy_ns?: unknown;
  };
  if (typeof left !== 'number' || typeof won?.NS !== 'number' || typeof won.EW !== 'number') {
    return null;
  }
  const taken = won.NS + (side === 0 ? score : left - score);
  return taken - (typeof mark === 'number' ? mark : (left + won.NS + won.EW) / 2);
}

const WHOLE: Scale = { unit: 1, losses: [1, 2, 4] };

const SCALES: Record<string, Scale> = {
  gomoku: { unit: 100, losses: [100, 250, 600] },
  xiangqi: { unit: 100, losses: [50, 120, 300] },
  reversi: { unit: 1, losses: [2, 5, 10] },
  bridge: { unit: 1, losses: [1, 2, 3], value: tricks },
};

export function scaleOf(game: string): Scale {
  return SCALES[game] ?? WHOLE;
}
