// The JSON of the server's API about contests. Types only.
import type { ArenaGame, Interval, LiveGame } from './arena';

export type Phase = 'announced' | 'open' | 'closed';
export type EntryState = 'waiting' | 'accepted' | 'retrying' | 'refused' | 'undecided';
export type EntrantStatus = 'in' | 'withdrawn' | 'disqualified';
export type StageOutcome = 'passed' | 'warned' | 'failed' | 'skipped';

/** A contest in the list of contests. Dates are RFC 3339 texts; fields that end in `_ms` are milliseconds since 1970. */
export interface ContestSummary {
  id: string;
  name: string;
  game: string;
  variant: string;
  phase: Phase;
  opens_at: string | null;
  closes_at: string | null;
  /** When the last game ended; null: games remain. */
  ended_at: string | null;
  running: boolean;
  entrants: number;
  /** The server's time at the response. */
  server_time: string;
}

/** The rules of a contest for its entries. */
export interface EntryRules {
  budget: string;
  memory_bytes: number;
  entry_bytes: number;
  house: string[];
  openings: string | null;
  ladder: boolean;
  final_cycles: number;
  entries_per_day: number;
  publish_modules: boolean;
}

export interface ContestStanding {
  /** Null: the entry is withdrawn or disqualified. */
  place: number | null;
  name: string;
  /** Null: a house engine. */
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

export interface ContestView extends ContestSummary {
  rules: EntryRules;
  commitment: string;
  seed: string | null;
  tables: ContestTable[];
}

export interface Finding {
  sentence: string;
  request: string;
  response: string;
  expected: string;
  advice: string;
}

export interface StageReport {
  number: number;
  name: string;
  outcome: StageOutcome;
  sentence: string;
  duration_ms: number;
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
  tested_ms: number | null;
  /** Null in lists, and before the entry was tested. */
  report: EntryReport | null;
}

export interface Trial {
  number: number;
  entrant: string;
  entry: number;
  house: string;
  side: 0 | 1;
  requested_ms: number;
  sentence: string | null;
}

export interface Entrant {
  name: string;
  status: EntrantStatus;
  reason: string;
  since_ms: number;
}

/** Two entries with similar code. */
export interface SimilarityFlag {
  entries: [number, number];
  names: [string, string];
  share_percent: number;
  identical: boolean;
  functions_shared: number;
  functions: number;
  house_percent: [number, number];
}

/** An entry that is a copy of a house engine. */
export interface HouseCopy {
  entry: number;
  name: string;
  house: string;
  share_percent: number;
  identical: boolean;
}

/** An invitation for entrants. */
export interface Invitation {
  number: number;
  places: number;
  /** How many entrants have registered with it. */
  used: number;
  ends_ms: number;
  is_revoked: boolean;
}

/** What the bearer of a token may see. */
export interface TokenView {
  /** Null: the organiser's token. */
  name: string | null;
  entries: ContestEntry[];
  trials: Trial[];
  entrants: Entrant[];
  similar_entries: SimilarityFlag[];
  house_copies: HouseCopy[];
  /** For the organiser only. */
  invitations: Invitation[];
  activity: { at_ms: number; text: string }[];
}

export interface OwnGames {
  arena: string;
  /** The players' names, by number. */
  players: string[];
  games: ArenaGame[];
  next: string | null;
}

/** The games in progress of a token's bearer. */
export interface OwnLiveGames {
  /** The players' names, by number. */
  players: string[];
  games: LiveGame[];
  /** Whether the contest's game is hidden from entrants until its end. */
  after_end_only: boolean;
}
