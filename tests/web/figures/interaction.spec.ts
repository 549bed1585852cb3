// Measures how soon the page reacts in a game of 484 moves: the time from a key or a click to the next paint, as the browser
// reports it (Event Timing API). Compares nothing: the figures depend on the machine.
import type { Page } from '@playwright/test';
import { fullBoard } from '../support/moves';
import { openRoom, RoomPage } from '../support/room';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: [] } });
test.setTimeout(1_200_000);

/** The largest board that the client draws: 484 points. */
const SIZE = 22;
const VARIANT = `freestyle-${SIZE}`;
/** The moves that are played while the page is measured. */
const PLAYED = 30;
/** The browser reports nothing shorter. */
const THRESHOLD_MS = 16;

/** Starts to note the durations of interactions. */
async function observe(page: Page): Promise<void> {
  await page.evaluate((threshold) => {
    const durations = new Map<number, number>();
    Object.assign(window, { durations });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { interactionId: number })[]) {
        if (entry.interactionId > 0) {
          durations.set(entry.interactionId, Math.max(durations.get(entry.interactionId) ?? 0, entry.duration));
        }
      }
    }).observe({ type: 'event', durationThreshold: threshold } as PerformanceObserverInit);
  }, THRESHOLD_MS);
}

/** The durations since then, with the least for each interaction that was too short to be reported. */
async function durationsOf(page: Page, count: number): Promise<number[]> {
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)));
  const noted = await page.evaluate(() => [
    ...(window as unknown as { durations: Map<number, number> }).durations.values(),
  ]);
  const short = Array.from({ length: Math.max(0, count - noted.length) }, () => THRESHOLD_MS);
  return [...noted, ...short].sort((one, other) => one - other);
}

function report(what: string, durations: number[]): void {
  const at = (part: number) => durations[Math.min(durations.length - 1, Math.floor(durations.length * part))]!;
  console.log(
    `${what}: ${durations.length} interactions, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${durations.at(-1)} ms`,
  );
}

test('keys, clicks and moves in a game of 484 moves', async ({ server, page }) => {
  const all = fullBoard(SIZE);
  const moves = all.slice(0, -PLAYED);
  const seats = [{ name: 'Anna' }, { name: 'Bo' }];
  const opened = await openRoom(server, { variant: VARIANT, moves, seats });
  // Both players are at this browser.
  for (const path of opened.paths) {
    await page.goto(path);
    await expect(page.getByRole('grid')).toBeVisible();
    await page.goto('about:blank');
  }
  const open = async () => {
    await page.goto(opened.spectatorPath);
    await expect(page.getByText(/^Your move/)).toBeVisible();
    await observe(page);
  };

  await open();
  const keys = 200;
  for (let nth = 0; nth < keys; nth += 1) {
    await page.keyboard.press(nth % 40 < 30 ? 'ArrowLeft' : 'ArrowRight');
  }
  report('steps by key', await durationsOf(page, keys));

  await open();
  const clicks = 60;
  const buttons = page.getByRole('group', { name: 'Moves' }).locator('.move button');
  for (let nth = 0; nth < clicks; nth += 1) {
    await buttons.nth(moves.length - 1 - (nth % 10)).click();
  }
  report('clicks in the list of moves', await durationsOf(page, clicks));

  await open();
  const room = new RoomPage(page);
  for (const [nth, move] of all.slice(-PLAYED).entries()) {
    await room.point(move).click();
    await expect(buttons).toHaveCount(moves.length + nth + 1);
  }
  report('moves on the board', await durationsOf(page, PLAYED));
});
