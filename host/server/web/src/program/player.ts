// Plays and analyses with the program. The file `exports/play.rs` of the crate `browser` is the other side.
import type { EngineLine, Ply, Position, Result } from '../api/types';
import { Program } from './program';

/** What an engine is made of: its module, its own files, and the rules of its game if they are plugged in. */
export interface EngineFiles {
  module: Uint8Array;
  /** The size of all memories of an instance together. */
  memoryBytes: number;
  /** Files that the engine may read, by name. */
  assets: Record<string, Uint8Array>;
  /** The rules of a plugged-in game; null: the game is built in. */
  rules: { description: unknown; module: Uint8Array } | null;
}

/** A position: the start, and the moves from there. */
export interface PositionQuery {
  game: string;
  variant: string;
  /** Null: the variant's own. */
  start: string | null;
  moves: readonly string[];
}

/** How an engine thinks. */
export interface Strength {
  /** What a move may use, in units of fuel. */
  fuel: number;
  options: Record<string, string>;
}

/** A bout to begin. */
export interface BoutQuery extends PositionQuery {
  seed: number;
  /** The date, as RFC 3339. */
  date: string;
  /** A player without a strength is a person. */
  players: { name: string; seats: readonly number[]; engine: Strength | null }[];
}

/** A position to analyse. */
export interface AnalysisQuery extends PositionQuery {
  strength: Strength;
  /** The number of lines. */
  lines: number;
}

/** What a person does. */
export type Action = { type: 'move'; move: string } | { type: 'undo' | 'resign'; player: number };

/** A bout as the person sees it. */
export interface BoutState {
  /** The position text of the start; null: the variant's own. */
  start: string | null;
  position: Position;
  plies: Ply[];
  /** The player to move; null: the bout is over. */
  to_move: number | null;
  result: Result | null;
  can_undo: boolean;
}

/** What an engine reports while it thinks. */
export type Report =
  | { type: 'line'; player: number; line: EngineLine }
  | { type: 'analysis'; line: EngineLine }
  | { type: 'log'; player: number; text: string };

/** One instance of the program, for playing. */
export class Player {
  private readonly program: Program;
  /** When the bout began, on the clock of `performance`. */
  private began = 0;

  /** Instantiates the program, synchronously. `onReport` is called while an engine thinks. */
  constructor(module: WebAssembly.Module, onReport: (report: Report) => void) {
    this.program = new Program(module, {
      onReport: (report) => {
        onReport(JSON.parse(report) as Report);
      },
    });
  }

  /** Loads an engine. Throws why it cannot play. */
  load({ module, memoryBytes, assets, rules }: EngineFiles): void {
    if (rules !== null) {
      this.addFile('rules', rules.module);
      this.call('sandboard_play_load_game', { description: rules.description, file: 'rules' });
    }
    this.addFile('engine', module);
    for (const [name, bytes] of Object.entries(assets)) {
      this.addFile(name, bytes);
    }
    const request = { file: 'engine', memory_bytes: memoryBytes, assets: Object.keys(assets) };
    this.call('sandboard_play_load_engine', request);
  }

  /** The position after the moves. Throws why there is none. */
  position(query: PositionQuery): Position {
    return this.call('sandboard_play_position', query);
  }

  /** Begins a bout. */
  begin(query: BoutQuery): BoutState {
    this.began = performance.now();
    return this.call('sandboard_play_begin', query);
  }

  /** Hands an action of the person to the bout. Throws why it is refused. */
  act(action: Action): BoutState {
    return this.call('sandboard_play_act', { now_us: this.nowUs(), action });
  }

  /** Lets engines move until the person is to act. */
  run(): BoutState {
    return this.call('sandboard_play_run', { now_us: this.nowUs() });
  }

  /** The record of the bout so far, as the text of its file. */
  record(date: string): string {
    return this.call('sandboard_play_record', { now_us: this.nowUs(), date });
  }

  /** The engine's move; null: it resigns. */
  analyse(query: AnalysisQuery): string | null {
    return this.call('sandboard_play_analyse', query);
  }

  private nowUs(): number {
    return Math.round((performance.now() - this.began) * 1000);
  }

  private addFile(name: string, bytes: Uint8Array): void {
    this.program.call('sandboard_play_add_file', name, bytes);
  }

  private call<T>(callee: string, request: unknown): T {
    return this.program.call(callee, JSON.stringify(request));
  }
}
