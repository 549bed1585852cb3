// Checks a bundle and replays its games with the program. The file `exports/verify.rs` of the crate `browser` is the other
// side.
import { Program } from '../program/program';

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

/** One instance of the program, for verifying. After an error that is not a refusal, it is not used again. */
export class Verifier {
  private readonly program: Program;
  private onGame: (name: string) => void = () => undefined;

  /** Instantiates the program, synchronously. */
  constructor(module: WebAssembly.Module) {
    this.program = new Program(module, {
      onGame: (name) => {
        this.onGame(name);
      },
    });
  }

  /** Opens a bundle. Throws the reason if it is not one. */
  open(bytes: Uint8Array): BundleSummary {
    return this.program.call('sandboard_open', bytes);
  }

  /** Adds a module that the bundle lacks, or that single records need. */
  addModule(bytes: Uint8Array): void {
    this.program.call('sandboard_add_module', bytes);
  }

  /** What the open bundle is about. */
  summary(): BundleSummary {
    return this.program.call('sandboard_summary');
  }

  /** Checks everything but the calls of the engines. `onGame` gets the name of each game to replay. */
  check(onGame: (name: string) => void): Finding[] {
    this.onGame = onGame;
    return this.program.call('sandboard_check');
  }

  /** Replays a game. */
  replay(name: string): GameResult {
    return this.program.call('sandboard_replay', name);
  }

  /** Replays a single record, which is no game of the bundle. */
  replayRecord(record: Uint8Array): GameResult {
    return this.program.call('sandboard_replay_record', record);
  }

  /** Sums up. `commitment`: the one that was published; null: it is not compared. */
  verdict(findings: Finding[], outcomes: Outcome[], commitment: string | null): Verdict {
    return this.program.call('sandboard_verdict', JSON.stringify({ findings, outcomes, commitment }));
  }
}
