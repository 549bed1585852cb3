// An engine that follows the shown position: it analyses one position at a time, first briefly, then longer and longer. It
// keeps the lines of earlier positions. Does not draw, and does not decide which position is shown.
import { api, ApiError, errorMessage } from '../api/client';
import type { AnalysedPosition, EngineLine } from '../api/types';
import { withLine } from './engine-lines';
import type { GameSpec } from './store.svelte';

/** What to analyse, and how. */
export interface AnalysisTarget {
  /** The moves to the position. */
  moves: string[];
  engine: string;
  /** The number of lines. */
  lines: number;
  /** Whether the side to move passes: what does the other side threaten? */
  threat: boolean;
}

/** The budgets of one line, one after the other. */
const BUDGETS = ['1s/move', '4s/move', '15s/move'];
/** A viewer who steps through a game does not start an analysis of every position. */
const DELAY_MS = 150;
const RETRY_MS = 400;
const MAX_CACHED = 200;

type Analyse = typeof api.analyse;

export class LiveAnalysis {
  /** The lines of the position, the best first. */
  lines = $state.raw<EngineLine[]>([]);
  isThinking = $state.raw(false);
  error = $state.raw<string | null>(null);
  readonly #spec: GameSpec;
  readonly #analyse: Analyse;
  readonly #cache = new Map<string, EngineLine[]>();
  #key: string | null = null;
  #controller: AbortController | null = null;

  constructor(spec: GameSpec, analyse: Analyse = api.analyse) {
    this.#spec = spec;
    this.#analyse = analyse;
  }

  /** Analyses a position; null: none. Stops the analysis of another one. */
  show(target: AnalysisTarget | null): void {
    const key = target === null ? null : JSON.stringify(target);
    if (key === this.#key) {
      return;
    }
    this.#key = key;
    this.#controller?.abort();
    this.#controller = null;
    this.error = null;
    this.isThinking = target !== null;
    this.lines = key === null ? [] : (this.#cache.get(key) ?? []);
    if (target !== null && key !== null) {
      const controller = new AbortController();
      this.#controller = controller;
      void this.#run(target, key, controller.signal);
    }
  }

  async #run(target: AnalysisTarget, key: string, signal: AbortSignal): Promise<void> {
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    await pause(DELAY_MS);
    try {
      for (const budget of BUDGETS) {
        while (!signal.aborted && !(await this.#request(target, key, budget, signal))) {
          // The server is busy.
          await pause(RETRY_MS);
        }
        if (signal.aborted || this.error !== null) {
          break;
        }
      }
    } catch (thrown) {
      if (!signal.aborted) {
        this.error = errorMessage(thrown);
      }
    } finally {
      if (!signal.aborted) {
        this.isThinking = false;
      }
    }
  }

  /** Returns whether the server has answered. */
  async #request(target: AnalysisTarget, key: string, budget: string, signal: AbortSignal): Promise<boolean> {
    const { game, variant, start } = this.#spec;
    const { moves, engine, lines, threat } = target;
    try {
      await this.#analyse(
        {
          game,
          variant,
          moves,
          first: moves.length,
          engine: { id: engine, options: {} },
          budget,
          lines,
          updates: true,
          threat,
          ...(start === null ? {} : { start }),
        },
        (found) => {
          if (!signal.aborted) {
            this.#add(found, key);
          }
        },
        signal,
      );
      return true;
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 429) {
        return false;
      }
      throw thrown;
    }
  }

  #add(found: AnalysedPosition, key: string): void {
    if (found.error !== undefined) {
      // An engine that cannot leave moves out gives one line.
      this.error = this.lines.length === 0 ? found.error : null;
      return;
    }
    const pv = found.pv ?? (found.move == null ? [] : [found.move]);
    if (pv.length === 0) {
      return;
    }
    const line: EngineLine = {
      ...(found.score == null ? {} : { score: found.score }),
      depth: found.depth ?? 0,
      nodes: found.nodes ?? 0,
      pv,
      rank: found.rank ?? 1,
    };
    const known = this.lines.find(({ rank }) => rank === line.rank);
    // A longer search begins with what a shorter one has found before.
    if (known !== undefined && found.thinking === true && line.depth < known.depth) {
      return;
    }
    this.lines = withLine(this.lines, line);
    if (this.#cache.size >= MAX_CACHED) {
      this.#cache.clear();
    }
    this.#cache.set(key, this.lines);
  }
}
