// The words of the contract between server and client about contests. Types only: nothing here runs.
import type { ArenaGame, Interval } from './arena';

export type Phase = 'announced' | 'open' | 'closed';
export type EntryState = 'waiting' | 'accepted' | 'retrying' | 'refused' | 'undecided';
export type EntrantStatus = 'in' | 'withdrawn' | 'disqualified';
export type StageOutcome = 'passed' | 'warned' | 'failed' | 'skipped';

/** A contest in the list of them. Dates are as of RFC 3339, other moments in milliseconds since 1970. */
export interface ContestCard {
  id: string;
  name: string;
  game: string;
  variant: string;
  phase: Phase;
  opens: string | null;
  closes: string | null;
  /** Since when all is played. */
  over: string | null;
  running: boolean;
  entrants: number;
}

/** What a contest asks of entries. */
export interface Asks {
  budget: string;
  memory_bytes: number;
  entry_bytes: number;
  house: string[];
  openings: string | null;
  ladder: boolean;
  final_folds: number;
  entries_per_day: number;
  publish_modules: boolean;
}

export interface ContestStanding {
  /** Null: it is out. */
  place: number | null;
  name: string;
  /** Null: it is of the house. */
  entrant: string | null;
  entry: number | null;
  status: EntrantStatus | null;
  reason: string;
  games: number;
  half_points: number;
  rating: Interval | null;
}

export interface ContestTable {
  arena: string;
  state: 'running' | 'stopping' | 'open' | 'complete';
  games: number;
  games_playing: number;
  standings: ContestStanding[];
}

export interface ContestTold extends ContestCard {
  asks: Asks;
  commitment: string;
  seed: string | null;
  now: string;
  tables: ContestTable[];
}

export interface Finding {
  sentence: string;
  asked: string;
  came_back: string;
  expected: string;
  help: string;
}

export interface StageReport {
  number: number;
  name: string;
  outcome: StageOutcome;
  sentence: string;
  took_ms: number;
  findings: Finding[];
}

export interface EntryReport {
  engine: string;
  accepted: boolean;
  undecided: boolean;
  stages: StageReport[];
}

export interface ContestEntry {
  number: number;
  name: string;
  sha256: string;
  bytes: number;
  submitted_ms: number;
  state: EntryState;
  judged_ms: number | null;
  /** Null in lists, and before it was tried. */
  report: EntryReport | null;
}

export interface Trial {
  number: number;
  entrant: string;
  entry: number;
  house: string;
  side: 0 | 1;
  asked_ms: number;
  sentence: string | null;
}

export interface Entrant {
  name: string;
  status: EntrantStatus;
  reason: string;
  since_ms: number;
}

/** Two entries that are much alike. */
export interface Flag {
  entries: [number, number];
  names: [string, string];
  share_percent: number;
  identical: boolean;
  functions_shared: number;
  functions: number;
  house_percent: [number, number];
}

/** What who has a token may know. */
export interface Own {
  /** Null: it is the organiser's token. */
  name: string | null;
  entries: ContestEntry[];
  trials: Trial[];
  entrants: Entrant[];
  flags: Flag[];
  acts: { at_ms: number; text: string }[];
}

export interface OwnGames {
  arena: string;
  /** Names of the players, by number. */
  players: string[];
  games: ArenaGame[];
  next: string | null;
}
