// A game of a published page: one worker plays it, another answers for positions, and a third analyses while it is wanted.
// The program in the workers knows all rules.
import { withLine } from '../analysis/engine-lines';
import { AnalysisStore, type GameSpec } from '../analysis/store.svelte';
import type { EngineLine } from '../api/types';
import { LEVEL_OPTION } from '../lib/opponents';
import { hasViews, seatsOfPlayers } from '../lib/seats';
import type { Action, BoutState, Report, Strength } from '../program/player';
import { PlayerWorker, WorkerEnded } from '../program/player-worker';
import type { PageFiles } from './page-files';

/** How long an engine may take for a move or an analysis before it is ended. */
const LIMIT_MS = 120_000;
/** A level limits an engine by its work. This is only so that a faulty one ends. */
const LEVEL_FUEL = 20e9;
/** What an analysis of one position may use, in units of fuel. */
const ANALYSIS_FUEL = 5e9;
const SEEDS = 2 ** 32;

/** What a new game is like. */
export interface GameChoice {
  variant: string;
  /** The person's index among the players. */
  own: number;
  /** Null: full strength. */
  level: number | null;
}

export class LocalGame {
  readonly choice: GameChoice;
  readonly analysis: AnalysisStore;
  /** The seats of each player. */
  readonly players: readonly number[][];
  state = $state.raw<BoutState | null>(null);
  /** Whether an engine is thinking about its move. */
  isThinking = $state.raw(false);
  /** Why the last action was refused, or why the engine cannot go on. */
  error = $state.raw<string | null>(null);
  /** Whether the engine was ended because it was late. */
  isLate = $state.raw(false);
  /** The lines of the engine that plays, after its move. */
  lines = $state.raw<EngineLine[]>([]);
  /** The lines of the analysis; null: there is none. */
  analysisLines = $state.raw<EngineLine[] | null>(null);
  readonly #files: PageFiles;
  readonly #bout: PlayerWorker;
  readonly #positions: PlayerWorker;
  #analyst: PlayerWorker | null = null;
  #analysed: string | null = null;

  constructor(files: PageFiles, choice: GameChoice) {
    const { game } = files.description;
    this.#files = files;
    this.choice = choice;
    this.players = seatsOfPlayers(
      game,
      game.variants.find(({ id }) => id === choice.variant),
    );
    this.#bout = this.#newWorker((report) => this.#receive(report));
    this.#positions = this.#newWorker(() => undefined);
    const spec: GameSpec = { game: game.id, variant: choice.variant, start: null };
    const hides = () => hasViews(game) && this.state?.result == null;
    this.analysis = new AnalysisStore(spec, [], null, hides, async ({ moves = [] }) => {
      await this.#loadedPositions;
      return this.#positions.position({ ...spec, moves });
    });
  }

  #newWorker(onReport: (report: Report) => void): PlayerWorker {
    return new PlayerWorker(this.#files.newWorker(), LIMIT_MS, onReport);
  }

  #loadedPositions: Promise<void> = Promise.resolve();

  get ownSeats(): readonly number[] {
    return this.players[this.choice.own] ?? [];
  }

  /** Whether the person is to move in the game itself. */
  get isOwnTurn(): boolean {
    return !this.isThinking && this.state?.to_move === this.choice.own;
  }

  #strength(level: number | null, fuel: number): Strength {
    const { options } = this.#files.description;
    return { fuel, options: level === null ? options : { ...options, [LEVEL_OPTION]: String(level) } };
  }

  /** Begins the game. `ownName` and `engineName` go into its record. */
  async begin(ownName: string, engineName: string): Promise<void> {
    const { program, engine, description } = this.#files;
    const { level, own, variant } = this.choice;
    this.#loadedPositions = this.#positions.load(program, engine);
    const strength = this.#strength(level, level === null ? description.fuel : LEVEL_FUEL);
    await this.#do(async () => {
      await this.#bout.load(program, engine);
      return this.#bout.begin({
        game: description.game.id,
        variant,
        start: null,
        moves: [],
        seed: Math.floor(Math.random() * SEEDS),
        date: new Date().toISOString(),
        players: this.players.map((seats, player) => ({
          name: player === own ? ownName : engineName,
          seats,
          engine: player === own ? null : strength,
        })),
      });
    });
  }

  play(move: string): Promise<void> {
    return this.#act({ type: 'move', move });
  }

  undo(): Promise<void> {
    return this.#act({ type: 'undo', player: this.choice.own });
  }

  resign(): Promise<void> {
    return this.#act({ type: 'resign', player: this.choice.own });
  }

  /** The record of the game, which `sandboard verify` accepts. */
  record(): Promise<string> {
    return this.#bout.record(new Date().toISOString());
  }

  #act(action: Action): Promise<void> {
    return this.#do(() => this.#bout.act(action));
  }

  /** Does something with the bout, shows it, and lets the engine move. */
  async #do(what: () => Promise<BoutState>): Promise<void> {
    this.error = null;
    try {
      this.#show(await what());
      // Chance may have to move even if the person moves next.
      this.isThinking = this.state?.to_move !== this.choice.own && this.state?.result === null;
      this.#show(await this.#bout.run());
    } catch (error) {
      this.isLate = error instanceof WorkerEnded && error.message === 'late';
      this.error = error instanceof WorkerEnded ? null : error instanceof Error ? error.message : String(error);
    } finally {
      this.isThinking = false;
    }
  }

  #show(state: BoutState): void {
    const moves = state.plies.map(({ move }) => move);
    this.state = state;
    // The deal of a game that begins at random.
    this.analysis.spec.start = state.start;
    this.analysis.addPosition(moves, state.position);
    this.analysis.updateGame(moves);
  }

  #receive(report: Report): void {
    if (report.type === 'line') {
      this.lines = withLine(this.lines, report.line);
    }
  }

  /** Analyses the shown position in this number of lines, or stops with 0. Call it again whenever the position changes. */
  async analyse(lines: number): Promise<void> {
    const { position, moves, spec } = this.analysis;
    const wanted = lines === 0 || position === null || position.outcome !== null ? null : moves.join(' ');
    if (wanted === this.#analysed) {
      return;
    }
    this.#analysed = wanted;
    // An engine cannot be interrupted, only ended.
    this.#analyst?.stop();
    this.#analyst = null;
    this.analysisLines = lines === 0 ? null : [];
    if (wanted === null) {
      return;
    }
    const analyst = this.#newWorker((report) => {
      if (report.type === 'analysis' && this.#analysed === wanted) {
        this.analysisLines = withLine(this.analysisLines ?? [], report.line);
      }
    });
    this.#analyst = analyst;
    try {
      await analyst.load(this.#files.program, this.#files.engine);
      await analyst.analyse({ ...spec, moves, lines, strength: this.#strength(null, ANALYSIS_FUEL) });
    } catch (error) {
      if (!(error instanceof WorkerEnded)) {
        this.error = error instanceof Error ? error.message : String(error);
      }
    } finally {
      analyst.stop();
    }
  }

  /** Ends all workers. */
  close(): void {
    this.#analyst?.stop();
    this.#bout.stop();
    this.#positions.stop();
  }
}
