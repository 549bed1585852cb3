// The engine that follows the shown position: which requests it makes, and which of the lines it shows.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../api/client';
import type { AnalysedPosition } from '../api/types';
import { LiveAnalysis, type AnalysisTarget } from './live-analysis.svelte';

const target = (moves: string, more: Partial<AnalysisTarget> = {}): AnalysisTarget => ({
  moves: moves.split(' '),
  engine: 'e',
  lines: 2,
  threat: false,
  ...more,
});
const found = (pv: string, rank: number, depth: number, more: Partial<AnalysedPosition> = {}): AnalysedPosition => ({
  ply: 0,
  pv: pv.split(' '),
  rank,
  depth,
  ...more,
});

interface Request {
  moves: string;
  budget: string;
  send: (position: AnalysedPosition) => void;
  end: () => void;
  fail: (error: unknown) => void;
  signal: AbortSignal;
}
let requests: Request[] = [];
let live: LiveAnalysis;
const pvs = () => live.lines.map(({ pv, depth }) => `${pv.join(' ')} ${depth}`);

beforeEach(() => {
  vi.useFakeTimers();
  requests = [];
  live = new LiveAnalysis(
    { game: 'gomoku', variant: 'x', start: null },
    (body, onPosition, signal) =>
      new Promise((resolve, reject) => {
        const { moves, budget } = body;
        requests.push({ moves: moves.join(' '), budget, send: onPosition, end: resolve, fail: reject, signal });
      }),
  );
});
afterEach(() => vi.useRealTimers());

test('it thinks longer and longer, and keeps the deepest line of each rank', async () => {
  live.show(target('a'));
  await vi.advanceTimersByTimeAsync(1000);
  const [first] = requests;
  first!.send(found('x', 2, 3));
  first!.send(found('b c', 1, 5, { thinking: true }));
  first!.send(found('b d', 1, 6));
  expect([pvs(), live.isThinking]).toEqual([['b d 6', 'x 3'], true]);
  first!.end();
  await vi.advanceTimersByTimeAsync(0);
  const second = requests[1]!;
  second.send(found('z', 1, 2, { thinking: true }));
  expect(pvs()[0]).toBe('b d 6');
  second.send(found('z', 1, 7, { thinking: true }));
  expect(pvs()[0]).toBe('z 7');
  second.end();
  await vi.advanceTimersByTimeAsync(0);
  requests[2]!.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(requests.map(({ budget }) => budget)).toEqual(['1s/move', '4s/move', '15s/move']);
  expect(live.isThinking).toBe(false);
});

test('it follows the position, and remembers the lines of an earlier one', async () => {
  live.show(target('a'));
  live.show(target('a b'));
  await vi.advanceTimersByTimeAsync(1000);
  // No request for a position that was shown for a moment.
  expect(requests.map(({ moves }) => moves)).toEqual(['a b']);
  requests[0]!.send(found('c', 1, 4));
  live.show(target('a'));
  expect([pvs(), requests[0]!.signal.aborted]).toEqual([[], true]);
  requests[0]!.send(found('late', 1, 9));
  expect(pvs()).toEqual([]);
  live.show(target('a b'));
  expect(pvs()).toEqual(['c 4']);
  live.show(target('a b', { threat: true }));
  expect(pvs()).toEqual([]);
  live.show(null);
  expect([pvs(), live.isThinking]).toEqual([[], false]);
});

test('it tries again while the server is busy, and shows other errors', async () => {
  live.show(target('a'));
  await vi.advanceTimersByTimeAsync(1000);
  requests[0]!.fail(new ApiError(429, 'too-many', 'busy'));
  await vi.advanceTimersByTimeAsync(1000);
  expect([requests.length, live.error]).toEqual([2, null]);
  requests[1]!.fail(new Error('broken'));
  await vi.advanceTimersByTimeAsync(0);
  expect([live.error, live.isThinking]).toEqual(['broken', false]);
});

test('an engine that cannot leave out moves gives one line; one that gives none has failed', async () => {
  live.show(target('a'));
  await vi.advanceTimersByTimeAsync(1000);
  requests[0]!.send(found('b', 1, 1));
  requests[0]!.send({ ply: 0, error: 'barred' });
  expect([pvs(), live.error]).toEqual([['b 1'], null]);
  live.show(target('c'));
  await vi.advanceTimersByTimeAsync(1000);
  requests[1]!.send({ ply: 0, error: 'crashed' });
  expect(live.error).toBe('crashed');
});
