// Long polling over scripted responses and a manual clock.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Version, Versioned } from '../api/arena';
import { ApiError } from '../api/client';
import { LongPoll } from './long-poll.svelte';

const INTERVAL_MS = 500;
let visibility: DocumentVisibilityState = 'visible';

beforeEach(() => {
  vi.useFakeTimers();
  visibility = 'visible';
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface ScriptedRequest {
  since: Version | null;
  signal: AbortSignal;
  respond: (response: Versioned<string> | null) => void;
  fail: (error: unknown) => void;
}

/** Requests that the test answers. */
function scriptedRequests() {
  const requests: ScriptedRequest[] = [];
  const requestState = (since: Version | null, signal: AbortSignal) =>
    new Promise<Versioned<string> | null>((respond, fail) => requests.push({ since, signal, respond, fail }));
  return { requests, requestState };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

async function setVisibility(state: DocumentVisibilityState) {
  visibility = state;
  document.dispatchEvent(new Event('visibilitychange'));
  await settle();
}

test('requests name the last version and keep the interval', async () => {
  const { requests, requestState } = scriptedRequests();
  const poll = new LongPoll(requestState, { intervalMs: INTERVAL_MS });
  expect(requests.map(({ since }) => since)).toEqual([null]);
  requests[0]!.respond({ version: 7, value: 'one' });
  await settle();
  expect(poll.value).toBe('one');
  await vi.advanceTimersByTimeAsync(INTERVAL_MS - 1);
  expect(requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(requests[1]!.since).toBe(7);

  // Without a new state the next request names the same version.
  requests[1]!.respond(null);
  await vi.advanceTimersByTimeAsync(INTERVAL_MS);
  expect([requests[2]!.since, poll.value]).toEqual([7, 'one']);
  poll.stop();
  expect(requests[2]!.signal.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(requests).toHaveLength(3);
});

test('failures are retried after growing pauses, permanent errors never', async () => {
  const { requests, requestState } = scriptedRequests();
  const poll = new LongPoll(requestState, { intervalMs: INTERVAL_MS });
  for (const [nth, pauseMs] of [1000, 2000, 4000].entries()) {
    requests[nth]!.fail(new ApiError(0, 'network', 'no answer'));
    await settle();
    expect(poll.error).toBe('no answer');
    await vi.advanceTimersByTimeAsync(pauseMs - 1);
    expect(requests).toHaveLength(nth + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(requests).toHaveLength(nth + 2);
  }
  requests[3]!.respond({ version: 1, value: 'back' });
  await settle();
  expect([poll.value, poll.error, poll.isStopped]).toEqual(['back', null, false]);

  await vi.advanceTimersByTimeAsync(INTERVAL_MS);
  requests[4]!.fail(new ApiError(404, 'not-found', 'no such arena'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect([requests.length, poll.error, poll.isStopped]).toEqual([5, 'no such arena', true]);
});

test('a hidden page sends no requests, and continues when it is visible', async () => {
  const { requests, requestState } = scriptedRequests();
  const poll = new LongPoll(requestState, { intervalMs: INTERVAL_MS });
  await setVisibility('hidden');
  expect(requests[0]!.signal.aborted).toBe(true);
  // The response to an aborted request is ignored.
  requests[0]!.respond({ version: 1, value: 'late' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect([requests.length, poll.value]).toEqual([1, null]);
  await setVisibility('visible');
  expect(requests).toHaveLength(2);
  poll.stop();
});

test('a paused poll sends one request, and continues when the pause ends', async () => {
  const { requests, requestState } = scriptedRequests();
  const poll = new LongPoll(requestState, { intervalMs: INTERVAL_MS, isPaused: true });
  requests[0]!.respond({ version: 1, value: 'still' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect([requests.length, poll.value]).toEqual([1, 'still']);
  poll.setPaused(false);
  expect(requests[1]!.since).toBe(1);
  poll.setPaused(true);
  expect(requests[1]!.signal.aborted).toBe(true);
  poll.stop();
});
