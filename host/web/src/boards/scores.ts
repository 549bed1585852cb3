// In what a game's scores count: how many make one unit for people, and from which loss on a move is an inaccuracy,
// a mistake, a blunder. One row for each game; a game without one counts in whole units.

export interface Scale {
  /** How many of the score's own unit make one for people: 100 where engines count hundredths. */
  unit: number;
  /** Losses in the score's own unit. */
  losses: [inaccuracy: number, mistake: number, blunder: number];
}

const WHOLE: Scale = { unit: 1, losses: [1, 2, 4] };

const SCALES: Record<string, Scale> = {
  gomoku: { unit: 100, losses: [100, 250, 600] },
  xiangqi: { unit: 100, losses: [50, 120, 300] },
  reversi: { unit: 1, losses: [2, 5, 10] },
  bridge: { unit: 1, losses: [1, 2, 3] },
};

export function scaleOf(game: string): Scale {
  return SCALES[game] ?? WHOLE;
}
