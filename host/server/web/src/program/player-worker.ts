// A worker that plays, as a page uses it: one request after another, each with a time limit after which the worker is
// ended. An engine cannot be interrupted in any other way.
import type { Answer, Request } from './messages';
import type { Action, AnalysisQuery, BoutQuery, BoutState, EngineFiles, PositionQuery, Report } from './player';
import type { Position } from '../api/types';

/** The part of a worker that is used here. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent<Answer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: Request): void;
  terminate(): void;
}

/** Thrown if the worker was ended: by `stop`, or because it was late. */
export class WorkerEnded extends Error {}

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

/** A worker with a loaded engine. */
export class PlayerWorker {
  private waiting: Waiting | null = null;
  /** The request that is worked on; those behind it wait. */
  private last: Promise<unknown> = Promise.resolve();
  private ended: WorkerEnded | null = null;

  /** `limitMs`: how long a request may take. */
  constructor(
    private readonly worker: WorkerLike,
    private readonly limitMs: number,
    private readonly onReport: (report: Report) => void,
  ) {
    worker.onmessage = ({ data }) => {
      if (data.kind === 'report') {
        this.onReport(data.report);
      } else if (data.kind === 'failed') {
        this.take()?.reject(new Error(data.reason));
      } else {
        this.take()?.resolve(data.value);
      }
    };
    worker.onerror = (event) => {
      this.take()?.reject(new Error(event.message));
    };
  }

  load(program: WebAssembly.Module | Uint8Array, engine: EngineFiles): Promise<void> {
    return this.ask({ kind: 'load', program, engine });
  }

  position(query: PositionQuery): Promise<Position> {
    return this.ask({ kind: 'position', query });
  }

  begin(query: BoutQuery): Promise<BoutState> {
    return this.ask({ kind: 'begin', query });
  }

  act(action: Action): Promise<BoutState> {
    return this.ask({ kind: 'act', action });
  }

  run(): Promise<BoutState> {
    return this.ask({ kind: 'run' });
  }

  record(date: string): Promise<string> {
    return this.ask({ kind: 'record', date });
  }

  analyse(query: AnalysisQuery): Promise<string | null> {
    return this.ask({ kind: 'analyse', query });
  }

  /** Ends the worker with all that it does. What waits for it gets a `WorkerEnded`. */
  stop(reason = 'stopped'): void {
    this.ended = new WorkerEnded(reason);
    this.worker.terminate();
    this.take()?.reject(this.ended);
  }

  private ask<T>(request: Request): Promise<T> {
    const answer = this.last.then(
      () =>
        new Promise<unknown>((resolve, reject) => {
          if (this.ended !== null) {
            reject(this.ended);
            return;
          }
          const timer = setTimeout(() => this.stop('late'), this.limitMs);
          this.waiting = { resolve, reject, timer };
          this.worker.postMessage(request);
        }),
    );
    this.last = answer.catch(() => undefined);
    return answer as Promise<T>;
  }

  private take(): Waiting | null {
    const { waiting } = this;
    this.waiting = null;
    if (waiting !== null) {
      clearTimeout(waiting.timer);
    }
    return waiting;
  }
}
