// How games are shared among workers, with workers that answer by a script.
import { expect, test } from 'vitest';
import type { Answer, Request } from './messages';
import { Verification, type Listener, type WorkerLike } from './verification';
import type { BundleSummary, Outcome } from './verifier';

const SUMMARY: BundleSummary = {
  title: 'a bundle',
  host: '',
  fuel_meter: '',
  games: 3,
  arenas: [],
  commitment: null,
  missing_modules: [],
};

/** A worker that answers at once; replaying a game of `lost` fails. */
class ScriptedWorker implements WorkerLike {
  onmessage: ((event: MessageEvent<Answer>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  isTerminated = false;

  constructor(
    private readonly names: string[],
    private readonly lost: string[],
    private readonly opens: boolean,
  ) {}

  postMessage(request: Request): void {
    queueMicrotask(() => {
      this.answer(request);
    });
  }

  terminate(): void {
    this.isTerminated = true;
  }

  private send(data: Answer): void {
    this.onmessage?.({ data } as MessageEvent<Answer>);
  }

  private answer(request: Request): void {
    switch (request.kind) {
      case 'open':
        this.send(this.opens ? { kind: 'opened', summary: SUMMARY } : { kind: 'failed', reason: 'no bundle' });
        break;
      case 'check':
        for (const name of this.names) {
          this.send({ kind: 'game', name });
        }
        this.send({ kind: 'checked', findings: [] });
        break;
      case 'replay':
        if (this.lost.includes(request.name)) {
          this.send({ kind: 'failed', reason: 'the verifier failed' });
        } else {
          this.send({ kind: 'replayed', result: { record: request.name, verdict: 'verified', messages: [] } });
        }
        break;
      case 'verdict': {
        const verdict = request.outcomes.includes('unverifiable') ? 'unverifiable' : 'verified';
        this.send({
          kind: 'verdict',
          verdict: {
            verdict,
            games: 3,
            replayed: request.outcomes.length,
            not_verified: 0,
            void_pairs: 0,
            findings: [],
            sentence: '',
          },
        });
      }
    }
  }
}

async function run(count: number, lost: string[], opens = true) {
  const workers: ScriptedWorker[] = [];
  const replayed: [string, Outcome][] = [];
  const listener: Listener = {
    opened: () => undefined,
    progress: () => undefined,
    finding: () => undefined,
    replayed: ({ record, verdict }) => replayed.push([record, verdict]),
  };
  const newWorker = () => {
    const worker = new ScriptedWorker(['a', 'b', 'c'], lost, opens);
    workers.push(worker);
    return worker;
  };
  const program = {} as WebAssembly.Module;
  const input = { program, bundle: new ArrayBuffer(0), modules: [], commitment: null };
  const verification = new Verification(input, newWorker, listener);
  const verdict = await verification.run(count).catch((error: unknown) => String(error));
  return { verdict, replayed: replayed.sort(), workers };
}

test('every game is replayed once, whatever the number of workers', async () => {
  for (const count of [1, 2, 5]) {
    const { verdict, replayed, workers } = await run(count, []);
    expect(verdict).toMatchObject({ verdict: 'verified', replayed: 3 });
    expect(replayed.map(([name]) => name)).toEqual(['a', 'b', 'c']);
    expect(workers.length).toBeLessThanOrEqual(count);
    expect(workers.every((worker) => worker.isTerminated)).toBe(true);
  }
});

test('a worker whose verifier is lost is replaced, and its game is unverifiable', async () => {
  for (const count of [1, 2]) {
    const { verdict, replayed } = await run(count, ['b']);
    expect(verdict).toMatchObject({ verdict: 'unverifiable', replayed: 3 });
    expect(replayed).toEqual([
      ['a', 'verified'],
      ['b', 'unverifiable'],
      ['c', 'verified'],
    ]);
  }
});

test('what is not a bundle has a reason', async () => {
  const { verdict, workers } = await run(2, [], false);
  expect(verdict).toBe('Error: no bundle');
  expect(workers.every((worker) => worker.isTerminated)).toBe(true);
});
