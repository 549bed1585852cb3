// The words of the contract about arenas: what the server tells of a tournament. Types only: nothing here runs.
// Numbers of players, pairs, rounds and openings count from 0; whatever is null is not known, or not bounded.
import type { Position } from './types';

/** Which state of a thing an answer tells; handed back, so that the next answer waits for another one. */
export type Version = string | number;

export type ArenaState = 'running' | 'stopping' | 'open' | 'complete';

/** How pairs are found. */
export type Format =
  | { format: 'match'; pairs: number }
  | { format: 'gauntlet'; heroes: number; folds: number }
  | { format: 'round-robin'; folds: number }
  | { format: 'swiss'; rounds: number }
  | { format: 'knockout'; pairs: number; tie_breaks: number }
  | { format: 'ladder'; pairs: number };

/** An arena in the list of them. */
export interface ArenaCard {
  id: string;
  name: string;
  game: string;
  variant: string;
  format: Format;
  state: ArenaState;
  created_at: string;
  players: string[];
  /** Pairs that are counted, and that are left. */
  pairs: number;
  pairs_left: number;
  running: boolean;
}

/** A value with its 95 % interval. */
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
  /** Pairs that are counted. */
  pairs: number;
  /** Pairs that bring nobody anything, since a game of them could not be played. */
  pairs_void: number;
  games_waiting: number;
  games_playing: number;
  pairs_left: number;
  pairs_left_most: number;
  /** Games that are counted, and the moves in them. */
  games: number;
  plies: number;
  seconds_left: number | null;
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

export type Unrated = 'above' | 'below' | 'apart' | 'no-games';

export interface ArenaPlayer {
  number: number;
  name: string;
  engine: string;
  version: string;
  module_sha256: string;
  options: Record<string, string>;
  budget: string;
  withdrawn: boolean;
  /** From 1. */
  place: number;
  half_points: number;
  byes_half_points: number;
  /** Name and value, in the order in which they decide. */
  ties: [string, number][];
  by_seat: [Tally, Tally];
  rating: Interval | null;
  unrated: Unrated | null;
  glicko: Interval | null;
  /** What it spent in all games, whichever are looked at. */
  totals: Totals;
  /** What it did on its opponents' time; null or absent: it did not think then. */
  pondering?: { predictions: number; hits: number; wall_us: number; cpu_us: number | null } | null;
}

/** Two players who met, as the first of them sees it. */
export interface Meeting {
  players: [number, number];
  first_seat: Tally;
  second_seat: Tally;
  /** Pairs by the half points that they brought, 0 to 4. */
  pairs: [number, number, number, number, number];
  superiority: number | null;
}

export interface OpeningRow {
  opening: number;
  text: string;
  first_seat: Tally;
  /** Pairs by how far they were from even, in half points: 0, 1, 2. */
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

/** Strength of the first of two players. */
export interface Duel {
  score: Interval;
  pairs: [number, number, number, number, number];
  elo: number | null;
  elo_low: number | null;
  elo_high: number | null;
  superiority: number | null;
  normalized: Interval | null;
  sprt: Sprt | null;
}

/** Ratings after so many pairs, by player. */
export interface Moment {
  pairs: number;
  ratings: (Interval | null)[];
}

export interface Fault {
  player: number;
  code: string;
  games: number;
  /** The first such game, and how that one ended. */
  first: string;
  sentence: string;
  at_ply: number;
}

/** An arena as it stands. */
export interface ArenaView {
  id: string;
  name: string;
  created_at: string;
  state: ArenaState;
  format: Format;
  game: string;
  variant: string;
  sides: [string, string];
  openings: { file: string; sha256: string; count: number } | null;
  progress: Progress;
  players: ArenaPlayer[];
  /** The numbers of the players in the order of their places. */
  ranking: number[];
  meetings: Meeting[];
  by_opening: OpeningRow[];
  first_seat: Interval | null;
  duel: Duel | null;
  history: Moment[];
  faults: Fault[];
}

export interface ArenaGame {
  name: string;
  pair: number;
  round: number;
  opening: number | null;
  players: [number, number];
  /** Half points of the first side, 0 to 2. */
  half_points: number;
  plies: number;
  sentence: string;
  fault: string | null;
  /** When it was kept, in milliseconds since 1970; absent where the server does not tell. */
  stored_ms?: number | null;
}

export interface ArenaGamePage {
  games: ArenaGame[];
  next: string | null;
}

/** A game that is being played. */
export interface LiveGame {
  name: string;
  round: number;
  players: [number, number];
  start: string | null;
  moves: string[];
  /** The latest score of each side's engine, from its own side, in the game's unit. */
  scores: [number | null, number | null];
  position: Position;
}

export interface Told<T> {
  version: Version;
  value: T;
}
