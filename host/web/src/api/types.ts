// The words of the contract between server and client, version 1. Types only: nothing here runs.

export type Side = 0 | 1;

/** A position with what the rules say of it. */
export interface Position {
  position: string;
  /** The seat whose turn it is. */
  to_move: number;
  side: Side;
  side_name: string;
  legal: string[];
  outcome: { winner: Side | null; reason: string } | null;
  /** What else the rules of the game tell: forbidden points, check, counts. */
  facts: Record<string, unknown>;
}

/** RFC 9457, as the server answers every error. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  place?: string;
}

export interface Info {
  version: number | string;
  host_version: string;
  operator: boolean;
  login_needed: boolean;
  /** Whether contests are shown. */
  contests?: boolean;
}

export interface Variant {
  id: string;
  text: string;
  summary: string;
  size: { min: number; max: number; step?: number; default: number } | null;
  /** A number that the players agree on, as in `renju-contest:fifths=6`. */
  setting?: { name: string; summary: string; min: number; max: number; default: number } | null;
}

export interface Game {
  id: string;
  name: string;
  seats: number;
  sides: [string, string];
  board: string;
  variants: Variant[];
  formats: { id: string; extensions: string[]; writes: boolean }[];
  start: string;
  /** Whether the server can solve its positions exactly, and what it counts then. */
  solver?: { unit: string } | null;
}

/** What perfect play comes to, for the side that moves: at the end of the game, with what it has by then. */
export interface Solved {
  unit: string;
  side: Side;
  to_move: number;
  value: number;
  /** What each side has so far. */
  taken: [number, number];
  /** One for each legal move. */
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
}

export interface Engine {
  id: string;
  name: string;
  version: string;
  author: string;
  description: string;
  kind: 'wasm' | 'native' | 'process';
  sha256: string;
  games: { id: string; variants: string[] | null }[];
  options: EngineOption[];
  abilities: string[];
  memory_bytes: number;
  threads_max: number;
  uploaded: boolean;
}

/** What an engine used in one stored bout. */
export interface Receipt {
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
  /** Null: nobody won. */
  won: boolean | null;
}

export interface Unusable {
  name: string;
  place: string;
  reasons: string[];
}

export interface NeedsTrust {
  id: string;
  kind: string;
  path: string;
  sha256: string;
  reasons: string[];
}

export interface Engines {
  engines: Engine[];
  unusable: Unusable[];
  needs_trust: NeedsTrust[];
}

export interface Uploaded {
  engines: string[];
  unusable: Unusable[];
  needs_trust: NeedsTrust[];
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
  person: Record<string, never> | null;
  engine: EngineSeat | null;
  ponders?: boolean;
}

export interface NewRoom {
  game: string;
  variant: string;
  start?: string;
  moves?: string[];
  players: NewPlayer[];
  settings?: { undo?: boolean; draw_offers?: boolean };
  hint?: EngineSeat & { budget: string };
  record?: unknown;
  ply?: number;
  /** The player whose ticket may pause, end and seat engines; absent: the first person. */
  host?: number;
}

export interface Ticket {
  /** Null: the ticket of a room's host who plays nobody. */
  player: number | null;
  ticket: string;
}

export interface Opened {
  room: string;
  tickets: Ticket[];
}

export interface QuickOpened {
  room: string;
  player: number;
  ticket: string;
  waiting: boolean;
}

export type RoomPhase = 'waiting' | 'playing' | 'paused' | 'over';

export interface RoomCard {
  id: string;
  game: string;
  variant: string;
  state: RoomPhase;
  names: string[];
  plies: number;
  spectators: number;
  waiting_for: number;
  quick: boolean;
  budget: string;
  created_at: string;
}

export interface Clock {
  move_ms_left: number | null;
  game_ms_left: number | null;
  unit: 'wall' | 'cpu' | 'fuel' | 'none';
  running: boolean;
}

export type Presence = 'open' | 'present' | 'absent' | 'gone';

export interface Player {
  player: number;
  name: string;
  kind: 'person' | 'engine';
  seats: number[];
  side: Side;
  side_name: string;
  budget: string;
  clock: Clock | null;
  state: Presence;
  absent_since_ms?: number;
  engine?: { id: string; version: string; options: Record<string, string> };
}

export interface Line {
  /** From the mover's side, in the game's own unit. */
  score?: number;
  bound?: string;
  depth: number;
  nodes: number;
  pv: string[];
  rank: number;
}

export interface Ply {
  ply: number;
  seat: number;
  player: number;
  move: string;
  spent_ms: number;
  clock_ms_left?: number;
  line?: Line;
  mark?: string;
}

export interface LogEntry {
  at_ply: number;
  kind: string;
  text: string;
}

export interface Result {
  winner: Side | null;
  termination: string;
  sentence: string;
  score?: unknown;
}

export interface Snapshot {
  room: string;
  seq: number;
  now_ms: number;
  created_at: string;
  game: string;
  variant: string;
  start: string | null;
  seed: number | string;
  state: RoomPhase;
  players: Player[];
  you: number | null;
  plies: Ply[];
  position: Position;
  thinking: number | null;
  draw_offered_by: number | null;
  undo_asked?: { player: number; plies: number } | null;
  result: Result | null;
  bout?: string | null;
  rematch?: string | null;
  log: LogEntry[];
  may: { undo: boolean; draw: boolean; pause: boolean; hint: boolean; host?: boolean };
  spectators: number;
}

export interface ClockOf {
  player: number;
  clock: Clock | null;
}

/** What the server says in a room. Those with `seq` are kept by it, the others pass by. */
export type RoomEvent =
  | ({ type: 'snapshot' } & Snapshot)
  | { type: 'moved'; seq: number; ply: Ply; position: Position; players: ClockOf[]; thinking: number | null }
  | { type: 'undone'; seq: number; plies: number; position: Position; players: ClockOf[]; thinking?: number | null }
  | { type: 'undo-asked'; seq: number; player: number; plies: number }
  | { type: 'undo-declined'; seq: number; player: number }
  | { type: 'refused'; seq: number; player: number; move: string; reason: string }
  | { type: 'faulted'; seq: number; player: number; sentence: string; code: string }
  | { type: 'draw-offered'; seq: number; player: number }
  | { type: 'draw-declined'; seq: number; player: number }
  | { type: 'swapped'; seq: number; players: { player: number; side_name: string; side?: Side }[] }
  | { type: 'paused'; seq: number; players: ClockOf[] }
  | { type: 'resumed'; seq: number; players: ClockOf[] }
  | { type: 'began'; seq: number; position: Position; players: (ClockOf & Partial<Player>)[]; state: RoomPhase }
  | { type: 'seated'; seq: number; player: number; name: string; kind: 'person' | 'engine'; engine?: Player['engine'] }
  | { type: 'ended'; seq: number; result: Result; players: ClockOf[]; bout: string | null }
  | { type: 'rematch'; seq: number; room: string }
  | { type: 'thinking'; player: number | null; players: ClockOf[] }
  | { type: 'line'; player: number; ply: number; line: Line }
  | { type: 'log'; at_ply: number; kind: string; text: string }
  | { type: 'presence'; players: { player: number; state: Presence }[]; spectators: number }
  | { type: 'hint'; move?: string; line?: Line; error?: string }
  | { type: 'ack'; id: string }
  | { type: 'error'; id: string | null; kind: string; detail: string }
  | { type: 'pong' };

/** What a client says in a room, without its envelope (`v` and `id`). */
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
        | 'claim'
        | 'step'
        | 'ping';
    };

export interface QuickWaiting {
  game: string;
  variant: string;
  budget: string;
}

export type LobbyEvent =
  | { type: 'rooms'; rooms: RoomCard[] }
  | ({ type: 'engines' } & Engines)
  | { type: 'quick'; waiting: QuickWaiting[] }
  | { type: 'error'; id: string | null; kind: string; detail: string }
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
  record?: unknown;
}

export interface AnalysedPly {
  ply: number;
  move?: string | null;
  score?: number | null;
  bound?: string | null;
  depth?: number;
  nodes?: number;
  pv?: string[];
  error?: string;
}

export interface BoutCard {
  id: string;
  game: string;
  variant: string;
  names: string[];
  sentence: string;
  plies: number;
  ended_at: string;
}

export interface BoutPage {
  bouts: BoutCard[];
  next: string | null;
}

export interface Operator {
  started_at: string;
  connections: number;
  rooms: number;
  bouts: number;
  moves: number;
  memory_bytes: number;
  log: { at: string; level: string; text: string }[];
}
