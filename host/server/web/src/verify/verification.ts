// Verifies a bundle with several workers: one checks it, and all replay its games.
import type { Answer, Request } from './messages';
import type { BundleSummary, Finding, GameResult, Verdict } from './verifier';

/** The part of a worker that is used here. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent<Answer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: Request): void;
  terminate(): void;
}

/** What a verification is about. */
export interface Input {
  program: WebAssembly.Module;
  bundle: ArrayBuffer;
  /** Modules that the bundle may lack. */
  modules: ArrayBuffer[];
  /** The commitment that was published, in hexadecimal; null: it is not compared. */
  commitment: string | null;
}

/** What a verification tells while it runs. */
export interface Listener {
  opened(summary: BundleSummary): void;
  /** How many games are replayed, and how many there are. */
  progress(replayed: number, games: number): void;
  finding(finding: Finding): void;
  /** A game that was replayed. */
  replayed(result: GameResult): void;
}

/** A worker with one request at a time. */
class Assistant {
  private waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;

  constructor(
    private readonly worker: WorkerLike,
    onGame: (name: string) => void,
  ) {
    worker.onmessage = ({ data }) => {
      if (data.kind === 'game') {
        onGame(data.name);
      } else if (data.kind === 'failed') {
        this.take()?.reject(new Error(data.reason));
      } else {
        this.take()?.resolve(data);
      }
    };
    worker.onerror = (event) => {
      this.take()?.reject(new Error(`a worker failed: ${event.message}`));
    };
  }

  /** Sends a request and waits for its answer. Throws the reason if it fails. */
  async ask<Kind extends Answer['kind']>(request: Request, kind: Kind): Promise<Extract<Answer, { kind: Kind }>> {
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.worker.postMessage(request);
    });
    if (answer.kind !== kind) {
      throw new Error(`a worker answered ${answer.kind} instead of ${kind}`);
    }
    return answer as Extract<Answer, { kind: Kind }>;
  }

  terminate(): void {
    this.worker.terminate();
    this.take()?.reject(new Error('stopped'));
  }

  private take(): typeof this.waiting {
    const { waiting } = this;
    this.waiting = undefined;
    return waiting;
  }
}

/** A verification that can be stopped. */
export class Verification {
  private readonly assistants = new Set<Assistant>();
  private readonly queue: string[] = [];
  private wake: (() => void)[] = [];
  private checked = false;
  private stopped = false;

  constructor(
    private readonly input: Input,
    private readonly newWorker: () => WorkerLike,
    private readonly listener: Listener,
  ) {}

  /** Ends all workers. `run` throws. */
  stop(): void {
    this.stopped = true;
    for (const assistant of this.assistants) {
      assistant.terminate();
    }
    this.assistants.clear();
    this.wakeAll();
  }

  /** Verifies with this number of workers. Throws if the file is not a bundle. */
  async run(workers: number): Promise<Verdict> {
    try {
      return await this.verify(workers);
    } finally {
      this.stop();
    }
  }

  private async verify(workers: number): Promise<Verdict> {
    const checker = await this.assistant();
    const games = this.summary?.games ?? 0;
    const results: GameResult[] = [];
    // Returns the worker that it used last, if there is one.
    const replay = async (opened?: Assistant): Promise<Assistant | undefined> => {
      let own = opened;
      for (let name = await this.next(); name !== undefined; name = await this.next()) {
        try {
          own ??= await this.assistant();
          const { result } = await own.ask({ kind: 'replay', name }, 'replayed');
          results.push(result);
        } catch (error) {
          if (this.stopped) {
            throw error;
          }
          // The verifier of this worker is lost, and another takes its place.
          this.discard(own);
          own = undefined;
          const reason = error instanceof Error ? error.message : String(error);
          results.push({ record: name, verdict: 'unverifiable', messages: [`${name}: ${reason}`] });
        }
        const last = results.at(-1);
        if (last !== undefined) {
          this.listener.replayed(last);
        }
        this.listener.progress(results.length, games);
      }
      return own;
    };
    const others = Array.from({ length: Math.max(0, workers - 1) }, () => replay());
    const check = async (): Promise<Finding[]> => {
      const { findings } = await checker.ask({ kind: 'check' }, 'checked');
      for (const finding of findings) {
        this.listener.finding(finding);
      }
      this.checked = true;
      this.wakeAll();
      return findings;
    };
    // The worker that checks replays games when it has finished.
    const all = check().then(async (findings) => ({ findings, last: await replay(checker) }));
    const [{ findings, last }] = await Promise.all([all, ...others]);
    const outcomes = results.map(({ verdict }) => verdict);
    const { commitment } = this.input;
    const summing = last ?? (await this.assistant());
    const request: Request = { kind: 'verdict', findings, outcomes, commitment };
    return (await summing.ask(request, 'verdict')).verdict;
  }

  /** What the bundle is about; known after the first worker has opened it. */
  private summary: BundleSummary | undefined;

  /** A worker that has opened the bundle. */
  private async assistant(): Promise<Assistant> {
    if (this.stopped) {
      throw new Error('stopped');
    }
    const assistant = new Assistant(this.newWorker(), (name) => {
      this.queue.push(name);
      this.wake.shift()?.();
    });
    this.assistants.add(assistant);
    const { program, bundle, modules } = this.input;
    const { summary } = await assistant.ask({ kind: 'open', program, bundle, modules }, 'opened');
    if (this.summary === undefined) {
      this.summary = summary;
      this.listener.opened(summary);
    }
    return assistant;
  }

  private discard(assistant: Assistant | undefined): void {
    if (assistant !== undefined && this.assistants.delete(assistant)) {
      assistant.terminate();
    }
  }

  /** The next game to replay, as soon as there is one; undefined: there are no more. */
  private async next(): Promise<string | undefined> {
    while (this.queue.length === 0 && !this.checked && !this.stopped) {
      await new Promise<void>((resolve) => {
        this.wake.push(resolve);
      });
    }
    return this.stopped ? undefined : this.queue.shift();
  }

  private wakeAll(): void {
    const waiting = this.wake;
    this.wake = [];
    for (const resolve of waiting) {
      resolve();
    }
  }
}
