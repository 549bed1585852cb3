// The JSON of the server's API about arenas. Types only. Players, pairs, rounds and openings are numbered from 0; null
// means unknown or unbounded.
import type { EngineSeat, Position } from './types';

/** Identifies a state of an arena. Sent back as `since`, it makes the server wait for a newer state. */
export type Version = string | number;

export type ArenaState = 'running' | 'stopping' | 'open' | 'complete';

/** How pairs of players are scheduled. */
export type Format =
  | { format: 'match'; pairs: number }
  | { format: 'gauntlet'; challengers: number; cycles: number }
  | { format: 'round-robin'; cycles: number }
  | { format: 'swiss'; rounds: number }
  | { format: 'knockout'; pairs: number; tie_breaks: number }
  | { format: 'ladder'; pairs: number };

/** An arena in the list of arenas. */
export interface ArenaSummary {
  id: string;
  name: string;
  game: string;
  variant: string;
  format: Format;
  state: ArenaState;
  created_at: string;
  players: string[];
  /** Counted and remaining pairs. */
  pairs: number;
  pairs_left: number;
  running: boolean;
}

/** A request to create an arena and play it. */
export interface NewArena {
  /** Empty: made from the players and the date. */
  name: string;
  game: string;
  variant: string;
  format: Format['format'];
  /** Pairs, cycles or rounds. */
  count: number;
  players: { engine: EngineSeat; budget?: string }[];
  budget: string;
  openings?: { name: string; text: string };
  sprt?: { elo0: number; elo1: number };
  games_at_once: number;
}

/** The arenas that the server has played: the games at once of all of them, and why runs have failed, by arena. */
export interface ArenaRuns {
  games_at_once_max: number;
  games_at_once_free: number;
  errors: Record<string, string>;
}

/** A value with its 95 % confidence interval. */
export interface Interval {
  value: number;
  low: number | null;
  high: number | null;
}

/** Games won, drawn and lost. */
export interface Tally {
  wins: number;
  draws: number;
  losses: number;
}

export interface Progress {
  /** Counted pairs. */
  pairs: number;
  /** Pairs that do not count because one of their games could not be played. */
  pairs_void: number;
  games_waiting: number;
  games_playing: number;
  pairs_left: number;
  pairs_left_max: number;
  /** Counted games, and the moves in them. */
  games: number;
  plies: number;
  seconds_left: number | null;
  /** The game in play that has lasted longest, if that is ten times the mean or more: pair and game from 0. */
  long_game?: { pair: number; game: number; seconds: number; mean_seconds: number } | null;
  plies_per_second: number | null;
}

export interface Totals {
  games: number;
  moves: number;
  wall_us: number;
  cpu_moves: number;
  cpu_us: number;
  fuel: number;
  memory_bytes_max: number;
  faults: Record<string, number>;
}

export type UnratedReason = 'above' | 'below' | 'unconnected' | 'no-games';

export interface ArenaPlayer {
  number: number;
  name: string;
  engine: string;
  version: string;
  module_sha256: string;
  options: Record<string, string>;
  budget: string;
  withdrawn: boolean;
  /** Counted from 1. */
  place: number;
  half_points: number;
  byes_half_points: number;
  /** Name and value of each tie-break, in the order in which they apply. */
  tie_breaks: [string, number][];
  /** One for each seat; a game of more than two players counts once for each opponent. */
  by_seat: Tally[];
  rating: Interval | null;
  unrated: UnratedReason | null;
  glicko: Interval | null;
  /** The mean score in the game's unit; null or absent: no game ended by the rules. */
  mean_score?: Interval | null;
  /** In games with luck of the deal: the mean difference to all scores at the same seat of the same deal. */
  duplicate_score?: Interval | null;
  /** In games of more than two players: the skill by the Plackett–Luce model, as mean and standard deviation. */
  skill?: { mu: number; sigma: number } | null;
  /** Resources used in all games, whatever the filter. */
  totals: Totals;
  /** Pondering on the opponents' time; null or absent: it does not ponder. */
  pondering?: { predictions: number; hits: number; wall_us: number; cpu_us: number | null } | null;
}

/** The results of two players against each other, from the view of the first. */
export interface HeadToHead {
  players: [number, number];
  first_seat: Tally;
  second_seat: Tally;
  /** The number of pairs by half points, 0 to 4. */
  pairs: [number, number, number, number, number];
  superiority: number | null;
}

export interface OpeningRow {
  opening: number;
  text: string;
  first_seat: Tally;
  /** The number of pairs by distance from an even result, in half points: 0, 1, 2. */
  pairs_by_margin: [number, number, number];
}

export interface Sprt {
  model: 'logistic' | 'normalized';
  elo0: number;
  elo1: number;
  alpha: number;
  beta: number;
  llr: number;
  lower: number;
  upper: number;
  verdict: 'open' | 'lower' | 'upper';
}

/** The strength of the first of two players relative to the second. */
export interface PairStrength {
  score: Interval;
  pairs: [number, number, number, number, number];
  elo: number | null;
  elo_low: number | null;
  elo_high: number | null;
  superiority: number | null;
  normalized: Interval | null;
  sprt: Sprt | null;
}

/** The ratings, by player, after a number of counted pairs. */
export interface RatingSnapshot {
  pairs: number;
  ratings: (Interval | null)[];
}

export interface FaultCount {
  player: number;
  code: string;
  games: number;
  /** The name of the first such game; `sentence` and `at_ply` tell how it ended. */
  first: string;
  sentence: string;
  at_ply: number;
}

/** The current state of an arena. */
export interface ArenaView {
  id: string;
  name: string;
  created_at: string;
  state: ArenaState;
  format: Format;
  game: string;
  variant: string;
  sides: string[];
  /** The number of players in each game. */
  seats: number;
  openings: { file: string; sha256: string; count: number } | null;
  progress: Progress;
  players: ArenaPlayer[];
  /** The players' numbers in the order of their places. */
  ranking: number[];
  head_to_head: HeadToHead[];
  by_opening: OpeningRow[];
  first_seat: Interval | null;
  match_statistics: PairStrength | null;
  history: RatingSnapshot[];
  faults: FaultCount[];
}

export interface ArenaGame {
  name: string;
  pair: number;
  round: number;
  opening: number | null;
  /** By their places at the board, the first to move first. */
  players: number[];
  /** Of each of them: two for each player that it beat, and one for each with an equal score. */
  half_points: number[];
  plies: number;
  sentence: string;
  fault: string | null;
  /** When it was stored, in milliseconds since 1970; absent: unknown. */
  stored_ms?: number | null;
}

export interface ArenaGamePage {
  games: ArenaGame[];
  next: string | null;
}

/** A game in progress. */
export interface LiveGame {
  name: string;
  round: number;
  /** By their places at the board. */
  players: number[];
  start: string | null;
  moves: string[];
  /** The latest score of each of them by its engine, from its own view, in the game's score unit. */
  scores: (number | null)[];
  position: Position;
}

/** A value with the version of the state that it shows. */
export interface Versioned<T> {
  version: Version;
  value: T;
}
