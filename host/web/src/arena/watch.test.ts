// A watch over scripted answers and a clock that is turned by hand.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Told, Version } from '../api/arena';
import { ApiError } from '../api/client';
import { Watch } from './watch.svelte';

const CALM_MS = 500;
let visible: DocumentVisibilityState = 'visible';

beforeEach(() => {
  vi.useFakeTimers();
  visible = 'visible';
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visible);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Asked for what, with what that answers it. */
function script() {
  const asked: { since: Version | null; signal: AbortSignal; tell: (told: Told<string> | null) => void; fail: (error: unknown) => void }[] = [];
  const ask = (since: Version | null, signal: AbortSignal) =>
    new Promise<Told<string> | null>((tell, fail) => asked.push({ since, signal, tell, fail }));
  return { asked, ask };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

async function see(state: DocumentVisibilityState) {
  visible = state;
  document.dispatchEvent(new Event('visibilitychange'));
  await settle();
}

test('asks with what it knows, calmly', async () => {
  const { asked, ask } = script();
  const watch = new Watch(ask, { calm_ms: CALM_MS });
  expect(asked.map(({ since }) => since)).toEqual([null]);
  asked[0]!.tell({ version: 7, value: 'one' });
  await settle();
  expect(watch.value).toBe('one');
  await vi.advanceTimersByTimeAsync(CALM_MS - 1);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked[1]!.since).toBe(7);

  // Nothing new: the same is asked again.
  asked[1]!.tell(null);
  await vi.advanceTimersByTimeAsync(CALM_MS);
  expect([asked[2]!.since, watch.value]).toEqual([7, 'one']);
  watch.leave();
  expect(asked[2]!.signal.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(3);
});

test('what fails is asked again, later and later; what is refused never', async () => {
  const { asked, ask } = script();
  const watch = new Watch(ask, { calm_ms: CALM_MS });
  for (const [nth, pause] of [1000, 2000, 4000].entries()) {
    asked[nth]!.fail(new ApiError(0, 'network', 'nobody there'));
    await settle();
    expect(watch.error).toBe('nobody there');
    await vi.advanceTimersByTimeAsync(pause - 1);
    expect(asked).toHaveLength(nth + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(nth + 2);
  }
  asked[3]!.tell({ version: 1, value: 'back' });
  await settle();
  expect([watch.value, watch.error, watch.over]).toEqual(['back', null, false]);

  await vi.advanceTimersByTimeAsync(CALM_MS);
  asked[4]!.fail(new ApiError(404, 'not-found', 'no such arena'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect([asked.length, watch.error, watch.over]).toEqual([5, 'no such arena', true]);
});

test('a page that nobody sees asks nothing, and goes on when it is seen', async () => {
  const { asked, ask } = script();
  const watch = new Watch(ask, { calm_ms: CALM_MS });
  await see('hidden');
  expect(asked[0]!.signal.aborted).toBe(true);
  // Too late: it was given up.
  asked[0]!.tell({ version: 1, value: 'late' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect([asked.length, watch.value]).toEqual([1, null]);
  await see('visible');
  expect(asked).toHaveLength(2);
  watch.leave();
});

test('one that is held asks once, and again when it is let go', async () => {
  const { asked, ask } = script();
  const watch = new Watch(ask, { calm_ms: CALM_MS, held: true });
  asked[0]!.tell({ version: 1, value: 'still' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect([asked.length, watch.value]).toEqual([1, 'still']);
  watch.hold(false);
  expect(asked[1]!.since).toBe(1);
  watch.hold(true);
  expect(asked[1]!.signal.aborted).toBe(true);
  watch.leave();
});
