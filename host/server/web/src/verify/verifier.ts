// The verifier: a program in WebAssembly that checks a bundle and replays its games. The file
// `exports.rs` of the crate `verifier` is the other side.
import { Runtime, type RuntimeHost } from './runtime';

/** A problem of a bundle. */
export interface Finding {
  /** A file, an arena, or a game (`arena/pair-000001-1`). */
  location: string;
  /** One sentence without its subject. */
  reason: string;
  kind: 'incomplete' | 'undecided' | 'differs';
}

/** The result of a game, from best to worst. */
export type Outcome = 'verified' | 'partly' | 'unverifiable' | 'differs';

/** The result of a game that was replayed. */
export interface GameResult {
  /** The name of the game. */
  record: string;
  verdict: Outcome;
  /** The report for people. */
  messages: string[];
}

/** A row of an arena's final table. */
export interface TableRow {
  place: number;
  player: string;
  half_points: number;
  games: number;
}

/** What a bundle is about. */
export interface BundleSummary {
  title: string;
  /** The version of the host that wrote it. */
  host: string;
  /** What counted the fuel of its games. */
  fuel_meter: string;
  /** The number of games. */
  games: number;
  arenas: {
    name: string;
    game: string;
    variant: string;
    games: number;
    players: string[];
    table: TableRow[];
  }[];
  /** The commitment of its contest; null: it is not that of a contest. */
  commitment: string | null;
  /** The hashes of modules that it does not contain. */
  missing_modules: string[];
}

/** The verdict on a whole bundle. */
export interface Verdict {
  verdict: Outcome | 'incomplete';
  games: number;
  replayed: number;
  not_verified: number;
  void_pairs: number;
  findings: Finding[];
  /** The verdict for people. */
  sentence: string;
}

interface VerifierExports extends RuntimeHost {
  sandboard_initialize(): void;
  sandboard_allocate(length: number): number;
  sandboard_result(): number;
  sandboard_result_length(): number;
  sandboard_open(bytes: number, length: number): void;
  sandboard_add_module(bytes: number, length: number): void;
  sandboard_summary(): void;
  sandboard_check(): void;
  sandboard_replay(name: number, length: number): void;
  sandboard_replay_record(record: number, length: number): void;
  sandboard_verdict(request: number, length: number): void;
}

/** A function that gets bytes. */
type BytesFunction =
  'sandboard_open' | 'sandboard_add_module' | 'sandboard_replay' | 'sandboard_replay_record' | 'sandboard_verdict';

/** One instance of the verifier. After an error that is not a refusal, it is not used again. */
export class Verifier {
  private exports: VerifierExports;
  private panic = '';
  private onGame: (name: string) => void = () => undefined;

  /** Instantiates the verifier, synchronously. */
  constructor(module: WebAssembly.Module) {
    const runtime = new Runtime();
    const instance = new WebAssembly.Instance(module, {
      'sandboard:runtime': runtime.imports,
      'sandboard:verifier': {
        on_game: (name: number, length: number) => {
          this.onGame(this.text(name, length));
        },
        on_panic: (message: number, length: number) => {
          this.panic = this.text(message, length);
        },
      },
    });
    this.exports = instance.exports as unknown as VerifierExports;
    runtime.attach(this.exports);
    this.exports.sandboard_initialize();
  }

  /** Opens a bundle. Throws the reason if it is not one. */
  open(bytes: Uint8Array): BundleSummary {
    return this.pass('sandboard_open', bytes);
  }

  /** Adds a module that the bundle lacks, or that single records need. */
  addModule(bytes: Uint8Array): void {
    this.pass('sandboard_add_module', bytes);
  }

  /** What the open bundle is about. */
  summary(): BundleSummary {
    return this.result(() => {
      this.exports.sandboard_summary();
    });
  }

  /** Checks everything but the calls of the engines. `onGame` gets the name of each game to replay. */
  check(onGame: (name: string) => void): Finding[] {
    this.onGame = onGame;
    return this.result(() => {
      this.exports.sandboard_check();
    });
  }

  /** Replays a game. */
  replay(name: string): GameResult {
    return this.pass('sandboard_replay', new TextEncoder().encode(name));
  }

  /** Replays a single record, which is no game of the bundle. */
  replayRecord(record: Uint8Array): GameResult {
    return this.pass('sandboard_replay_record', record);
  }

  /** Sums up. `commitment`: the one that was published; null: it is not compared. */
  verdict(findings: Finding[], outcomes: Outcome[], commitment: string | null): Verdict {
    const request = JSON.stringify({ findings, outcomes, commitment });
    return this.pass('sandboard_verdict', new TextEncoder().encode(request));
  }

  private pass<T>(callee: BytesFunction, bytes: Uint8Array): T {
    const address = this.exports.sandboard_allocate(bytes.length) >>> 0;
    new Uint8Array(this.exports.memory.buffer, address, bytes.length).set(bytes);
    return this.result(() => {
      this.exports[callee](address, bytes.length);
    });
  }

  private result<T>(call: () => void): T {
    try {
      call();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`the verifier failed: ${this.panic === '' ? reason : this.panic}`, {
        cause: error,
      });
    }
    const text = this.text(this.exports.sandboard_result(), this.exports.sandboard_result_length());
    const result = JSON.parse(text) as T & { error?: string };
    if (result.error !== undefined) {
      throw new Error(result.error);
    }
    return result;
  }

  private text(address: number, length: number): string {
    const bytes = new Uint8Array(this.exports.memory.buffer, address >>> 0, length >>> 0);
    return new TextDecoder().decode(bytes);
  }
}
