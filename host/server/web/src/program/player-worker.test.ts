// The worker that plays: requests wait for each other, refusals leave it usable, and a late one ends it.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Answer, Request } from './messages';
import { PlayerWorker, WorkerEnded, type WorkerLike } from './player-worker';

const LIMIT_MS = 1000;

/** A worker that answers when a test wants it. */
class ScriptedWorker implements WorkerLike {
  onmessage: ((event: MessageEvent<Answer>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  readonly received: string[] = [];
  isTerminated = false;

  postMessage(request: Request): void {
    this.received.push(request.kind);
  }

  terminate(): void {
    this.isTerminated = true;
  }

  send(answer: Answer): void {
    this.onmessage?.({ data: answer } as MessageEvent<Answer>);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function opened(onReport = vi.fn()) {
  const script = new ScriptedWorker();
  return { script, onReport, worker: new PlayerWorker(script, LIMIT_MS, onReport) };
}

test('one request waits for the other', async () => {
  const { script, worker } = opened();
  const [first, second] = [worker.run(), worker.record('2026-07-01T12:34:56Z')];
  await vi.advanceTimersByTimeAsync(0);
  expect(script.received).toEqual(['run']);
  script.send({ kind: 'answer', value: 'state' });
  expect(await first).toBe('state');
  await vi.advanceTimersByTimeAsync(0);
  expect(script.received).toEqual(['run', 'record']);
  script.send({ kind: 'answer', value: 'text' });
  expect(await second).toBe('text');
});

test('reports arrive while a request is worked on', async () => {
  const { script, worker, onReport } = opened();
  const running = worker.run();
  await vi.advanceTimersByTimeAsync(0);
  const report = { type: 'log', player: 1, text: 'hello' } as const;
  script.send({ kind: 'report', report });
  expect(onReport).toHaveBeenCalledWith(report);
  script.send({ kind: 'answer', value: null });
  await running;
});

test('a refusal has its reason, and the next request is sent', async () => {
  const { script, worker } = opened();
  const refused = expect(worker.run()).rejects.toThrow('it is not your turn');
  const next = worker.run();
  await vi.advanceTimersByTimeAsync(0);
  script.send({ kind: 'failed', reason: 'it is not your turn' });
  await refused;
  await vi.advanceTimersByTimeAsync(0);
  script.send({ kind: 'answer', value: 1 });
  expect(await next).toBe(1);
});

test('a late request ends the worker, a punctual one does not', async () => {
  const { script, worker } = opened();
  const punctual = worker.run();
  await vi.advanceTimersByTimeAsync(LIMIT_MS - 1);
  script.send({ kind: 'answer', value: 1 });
  await punctual;
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(script.isTerminated).toBe(false);
  const late = worker.run().catch((error: unknown) => error);
  const behind = worker.run().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(await late).toEqual(new WorkerEnded('late'));
  expect(await behind).toBeInstanceOf(WorkerEnded);
  expect(script.isTerminated).toBe(true);
  expect(script.received).toEqual(['run', 'run']);
});

test('a worker that was stopped gets no request', async () => {
  const { script, worker } = opened();
  worker.stop();
  await expect(worker.run()).rejects.toThrow(WorkerEnded);
  expect(script.received).toEqual([]);
});
