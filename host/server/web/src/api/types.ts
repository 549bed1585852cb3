// The JSON of the server's API, version 1: rooms, lobby, engines, stored games. Types only.
import type { Translations } from '../text/game-texts';
import type { ServerMessage } from '../text/messages';
import type { BoardData } from '../boards/generic/types';
import type { Interval, UnratedReason } from './arena';

/** A side of a game for two sides. */
export type Side = 0 | 1;

/** A position with everything that the rules know about it. */
export interface Position {
  position: string;
  /** The seat to move. */
  to_move: number;
  /** The side of the seat to move. */
  side: number;
  side_name: string;
  legal: string[];
  outcome: { winner: number | null; scores?: number[]; reason: string; message?: ServerMessage | null } | null;
  /** What the rules ask of the player to move beyond an ordinary move, in English. */
  prompt?: string | null;
  /** The opening that was played, where players have a name for it. */
  opening?: { latin: string; chinese?: string };
  /** Whether the rules have a null move here; only the answer about a position says so. */
  null_move?: boolean;
  /** The prompt with its code. */
  prompt_message?: ServerMessage | null;
  /** The board as data; absent: the game does not describe it. */
  board?: BoardData | null;
  /** Facts of the game: forbidden points, check, counts. */
  facts: Record<string, unknown>;
}

/** A position, as moves from another one. */
export interface PositionRequest {
  game: string;
  variant?: string;
  /** Absent: the variant's start position. */
  position?: string;
  moves?: string[];
  /** Draws the outcomes of chance that come next, such as a deal of cards. */
  chance_seed?: number;
}

/** The body of every error response (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  location?: string;
  message?: ServerMessage | null;
}

export interface ServerInfo {
  version: number | string;
  host_version: string;
  operator: boolean;
  login_needed: boolean;
  /** Whether the server requires a token of those who have no ticket. */
  token_required?: boolean;
  /** Whether the server has what a browser needs to run sandboxed engines. */
  device_engines?: boolean;
  /** Whether the server shows contests. */
  contests?: boolean;
}

export interface Variant {
  id: string;
  text: string;
  summary: string;
  size: { min: number; max: number; step?: number; default: number } | null;
  /** A number that can be set for the variant, as in `renju-contest:fifths=6`. */
  setting?: { name: string; summary: string; min: number; max: number; default: number } | null;
  /** The number of seats: the first ones of the game. */
  seats: number;
}

export interface Game {
  id: string;
  name: string;
  /** The largest number of seats of its variants. */
  seats: number;
  sides: string[];
  board: string;
  /** What the game has beside seats that move in turn and see everything. */
  features?: { chance: boolean; hidden_information: boolean; simultaneous: boolean };
  variants: Variant[];
  formats: { id: string; extensions: string[]; writes: boolean }[];
  start: string;
  /** The unit in which the server's exact solver counts; null or absent: there is no solver. */
  solver?: { unit: string } | null;
  /** Texts of a plugged-in game in other languages. */
  translations?: Translations;
}

/** The exact values of a position: the final result of the side to move under perfect play. */
export interface SolvedPosition {
  unit: string;
  side: Side;
  to_move: number;
  value: number;
  /** What each side has taken so far. */
  taken: [number, number];
  /** The value of each legal move. */
  moves: { move: string; value: number }[];
}

export interface EngineOption {
  name: string;
  type: 'check' | 'spin' | 'float' | 'combo' | 'string';
  default: unknown;
  min?: number;
  max?: number;
  choices?: string[];
  help?: string;
  /** Whether it is a weight that a tuner may vary. */
  tunable?: boolean;
}

export interface Engine {
  id: string;
  name: string;
  version: string;
  author: string;
  description: string;
  kind: 'wasm' | 'native' | 'external';
  /** `test`: the engine is for tests of hosts, or an example; it is not offered as an opponent. */
  purpose: 'play' | 'test';
  sha256: string;
  games: { id: string; variants: string[] | null }[];
  options: EngineOption[];
  abilities: string[];
  memory_bytes: number;
  threads_max: number;
  /** The uploaded file that contains the engine, and that can be deleted; null: none. */
  uploaded_file: string | null;
}

/** The rating of an engine in an arena. */
export interface EngineRating {
  /** The arena's id. */
  arena: string;
  arena_name: string;
  game: string;
  variant: string;
  created_at: string;
  /** Its name in the arena. */
  name: string;
  version: string;
  options: Record<string, string>;
  budget: string;
  /** The number of players in the arena. */
  players: number;
  place: number;
  games: number;
  /** In Elo, relative to the mean of the arena's players; null: see `unrated`. */
  rating: Interval | null;
  unrated: UnratedReason | null;
}

/** What an engine used in one stored bout. */
export interface BoutUsage {
  bout: string;
  ended_at: string;
  game: string;
  variant: string;
  version: string;
  sha256: string;
  moves: number;
  wall_ms: number;
  cpu_ms: number | null;
  fuel: number | null;
  memory_bytes: number | null;
  faults: string[];
  sentence: string;
  /** Null: no winner. */
  won: boolean | null;
}

export interface UnusableEngine {
  name: string;
  location: string;
  reasons: string[];
  /** The uploaded file that contains it; null: none. */
  uploaded_file: string | null;
}

export interface UntrustedEngine {
  id: string;
  kind: string;
  path: string;
  sha256: string;
  reasons: string[];
  /** The uploaded file that contains the engine; null: none. */
  uploaded_file: string | null;
}

export interface Engines {
  engines: Engine[];
  unusable: UnusableEngine[];
  needs_trust: UntrustedEngine[];
}

export interface UploadResult {
  engines: string[];
  unusable: UnusableEngine[];
  needs_trust: UntrustedEngine[];
}

export interface EngineSeat {
  id: string;
  options: Record<string, string>;
  threads?: number;
}

export interface NewPlayer {
  name: string;
  seats: number[];
  budget: string;
  /** `chooses_name`: the person gives the name when joining. */
  person: { chooses_name?: boolean } | null;
  engine: EngineSeat | null;
  ponders?: boolean;
}

export interface NewRoom {
  game: string;
  variant: string;
  start?: string;
  moves?: string[];
  players: NewPlayer[];
  /** Whether the players exchange their seats by chance. */
  random_seats?: boolean;
  settings?: { undo?: boolean; draw_offers?: boolean; grace_ms?: number; first_move_ms?: number };
  hint?: EngineSeat & { budget: string };
  record?: unknown;
  ply?: number;
  /** The player whose ticket may pause and end the game and seat engines; absent: the first person. */
  host?: number;
}

export interface Ticket {
  /** Null: the ticket of a host who does not play. */
  player: number | null;
  ticket: string;
}

export interface OpenedRoom {
  room: string;
  tickets: Ticket[];
}

export interface QuickGameSeat {
  room: string;
  player: number;
  ticket: string;
  waiting: boolean;
}

export type RoomPhase = 'waiting' | 'playing' | 'paused' | 'over';

export interface RoomSummary {
  id: string;
  game: string;
  variant: string;
  state: RoomPhase;
  names: string[];
  plies: number;
  spectators: number;
  open_seats: number;
  quick_game: boolean;
  budget: string;
  created_at: string;
}

/** The current board of a room, as spectators see it. */
export interface RoomBoard {
  state: RoomPhase;
  plies: number;
  last_move: string | null;
  position: Position;
}

export interface Clock {
  move_ms_left: number | null;
  game_ms_left: number | null;
  unit: 'wall' | 'cpu' | 'fuel' | 'none';
  running: boolean;
  /** How long until a running clock begins to count. */
  starts_in_ms: number;
}

export type Presence = 'open' | 'present' | 'absent' | 'gone';

export interface Player {
  player: number;
  name: string;
  kind: 'person' | 'engine';
  seats: number[];
  side: number;
  side_name: string;
  budget: string;
  clock: Clock | null;
  state: Presence;
  /** Whether the name is a placeholder: the person gives one when joining. */
  chooses_name?: boolean;
  absent_since_ms?: number;
  engine?: { id: string; version: string; options: Record<string, string> };
}

export interface EngineLine {
  /** From the view of the side to move, in the game's score unit. */
  score?: number;
  bound?: string;
  depth: number;
  nodes: number;
  pv: string[];
  rank: number;
}

export interface Ply {
  ply: number;
  /** Null: chance. */
  seat: number | null;
  /** Null: chance. */
  player: number | null;
  move: string;
  spent_ms: number;
  clock_ms_left?: number;
  line?: EngineLine;
  origin?: string;
}

/** A move before the game itself, which began after it. */
export interface OpeningMove {
  /** Null: chance. */
  seat: number | null;
  move: string;
}

export interface LogEntry {
  at_ply: number;
  kind: string;
  text: string;
  message?: ServerMessage | null;
}

export interface Result {
  /** The side that won alone; null: none. */
  winner: number | null;
  termination: string;
  sentence: string;
  message?: ServerMessage | null;
  /** The score of each seat; absent: the bout was aborted. */
  scores?: number[];
}

export interface Snapshot {
  room: string;
  seq: number;
  now_ms: number;
  created_at: string;
  game: string;
  variant: string;
  /** The start position, before the moves of `opening`; null: the variant's own. */
  start: string | null;
  /** The moves that led from `start` to where the game began. */
  opening: OpeningMove[];
  /** Null while a bout with chance is in progress. */
  seed: number | string | null;
  state: RoomPhase;
  players: Player[];
  own_player: number | null;
  plies: Ply[];
  position: Position;
  thinking: number | null;
  draw_offered_by: number | null;
  undo_request?: { player: number; plies: number } | null;
  result: Result | null;
  bout?: string | null;
  rematch?: string | null;
  log: LogEntry[];
  permissions: { undo: boolean; draw: boolean; host: boolean; pause: boolean; close: boolean; hint: boolean };
  spectators: number;
  /** How late a move may be, and how long a person may think about the first move before the clock counts. */
  time_rules: { grace_ms: number; first_move_ms: number };
}

export interface PlayerClock {
  player: number;
  clock: Clock | null;
}

/** Messages of the server in a room. Those with `seq` are replayed after a reconnect, the others are not. */
export type RoomEvent =
  | ({ type: 'snapshot' } & Snapshot)
  | { type: 'moved'; seq: number; ply: Ply; position: Position; players: PlayerClock[]; thinking: number | null }
  | { type: 'undone'; seq: number; plies: number; position: Position; players: PlayerClock[]; thinking?: number | null }
  | { type: 'undo-requested'; seq: number; player: number; plies: number }
  | { type: 'undo-declined'; seq: number; player: number }
  | { type: 'refused'; seq: number; player: number; move: string; reason: string; message?: ServerMessage | null }
  | { type: 'faulted'; seq: number; player: number; sentence: string; code: string; message?: ServerMessage | null }
  | { type: 'draw-offered'; seq: number; player: number }
  | { type: 'draw-declined'; seq: number; player: number }
  | { type: 'swapped'; seq: number; players: { player: number; side_name: string; side?: number }[] }
  | { type: 'paused'; seq: number; players: PlayerClock[] }
  | { type: 'resumed'; seq: number; players: PlayerClock[] }
  | { type: 'began'; seq: number; position: Position; players: (PlayerClock & Partial<Player>)[]; state: RoomPhase }
  | { type: 'seated'; seq: number; player: number; name: string; kind: 'person' | 'engine'; engine?: Player['engine'] }
  | { type: 'ended'; seq: number; result: Result; players: PlayerClock[]; bout: string | null }
  | { type: 'rematch'; seq: number; room: string }
  | { type: 'thinking'; player: number | null; players: PlayerClock[] }
  | { type: 'line'; player: number; ply: number; line: EngineLine }
  | { type: 'log'; at_ply: number; kind: string; text: string; message?: ServerMessage | null }
  | { type: 'presence'; players: { player: number; state: Presence }[]; spectators: number }
  | { type: 'hint'; move?: string; line?: EngineLine; error?: string; message?: ServerMessage | null }
  | { type: 'ack'; id: string }
  | { type: 'error'; id: string | null; kind: string; detail: string; message?: ServerMessage | null }
  | { type: 'pong' };

/** Messages of a client in a room, without their envelope (`v` and `id`). */
export type RoomCommand =
  | { type: 'move'; move: string; ply: number }
  | { type: 'undo'; plies?: number }
  | { type: 'seat-engine'; player: number; engine: EngineSeat }
  | {
      type:
        | 'accept-undo'
        | 'decline-undo'
        | 'resign'
        | 'offer-draw'
        | 'accept-draw'
        | 'decline-draw'
        | 'pause'
        | 'resume'
        | 'hint'
        | 'move-now'
        | 'abort'
        | 'claim-win'
        | 'step'
        | 'ping';
    };

export interface QuickWaiting {
  game: string;
  variant: string;
  budget: string;
}

export type LobbyEvent =
  | { type: 'rooms'; rooms: RoomSummary[] }
  | ({ type: 'engines' } & Engines)
  | { type: 'quick-games'; requests: QuickWaiting[] }
  | { type: 'error'; id: string | null; kind: string; detail: string; message?: ServerMessage | null }
  | { type: 'pong' };

export interface FileGame {
  label: string;
  game: string;
  variant: string;
  start: string | null;
  moves: string[];
  names: string[];
  result: string | null;
  comments?: { ply: number; text: string }[];
  /** On the whole game. */
  comment?: string;
  /** All moves, as in a study; absent: the file has only `moves`. */
  nodes?: { depth: number; move: string; comment?: string; mark?: string }[];
}

export interface AnalysedPosition {
  ply: number;
  move?: string | null;
  score?: number | null;
  bound?: string | null;
  depth?: number;
  nodes?: number;
  pv?: string[];
  /** The rank of the line, from 1. */
  rank?: number;
  /** Whether the engine still thinks about this line. */
  thinking?: boolean;
  /** Why there is nothing to analyse: the game is over in this position. */
  over?: string;
  error?: string;
}

/** Addresses of the files with which a browser runs an engine. */
export interface EngineFileList {
  worker: string;
  /** Compressed by gzip. */
  program: string;
  module: string;
  memory_bytes: number;
  assets: Record<string, string>;
  rules: { description: unknown; module: string } | null;
  options: Record<string, string>;
}

export interface BoutSummary {
  id: string;
  game: string;
  variant: string;
  names: string[];
  sentence: string;
  plies: number;
  ended_at: string;
}

export interface BoutPage {
  bouts: BoutSummary[];
  next: string | null;
}

export interface OperatorStatus {
  started_at: string;
  connections: number;
  rooms: number;
  bouts: number;
  moves: number;
  memory_bytes: number;
  log: { at: string; level: string; text: string }[];
}
