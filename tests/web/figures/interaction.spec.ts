// Measures how soon the page reacts in a game of 500 moves: the time from a key or a click to the next paint, as the browser
// reports it (Event Timing API). Compares nothing: the figures depend on the machine.
import type { Page } from '@playwright/test';
import { openRoom, RoomPage } from '../support/room';
import type { Server } from '../support/server';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: [] } });
test.setTimeout(1_200_000);

const GAME = { game: 'xiangqi', variant: 'computer' };
const PLIES = 500;
/** A capture follows this number of moves without one: the rules could end the game. */
const QUIET_PLIES = 60;
/** The browser reports nothing shorter. */
const THRESHOLD_MS = 16;

interface Position {
  legal: string[];
  outcome: unknown;
  position: string;
}

async function positionAfter(server: Server, moves: string[]): Promise<Position> {
  const response = await fetch(`${server.address}/api/v1/position`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...GAME, moves }),
  });
  return (await response.json()) as Position;
}

/** The pieces in a position text. */
const countPieces = ({ position }: Position) => position.split(' ')[0]!.replace(/[^a-z]/gi, '').length;

/** A game of this many legal moves that is not over: captures are rare, and no position repeats soon. */
async function longGame(server: Server): Promise<string[]> {
  const moves: string[] = [];
  let before = await positionAfter(server, moves);
  let quiet = 0;
  for (let seed = 1; moves.length < PLIES; seed = (seed * 48271) % 2147483647) {
    const candidates = before.legal.map((_, at) => before.legal[(at * 7 + seed) % before.legal.length]!);
    for (const move of candidates) {
      const after = await positionAfter(server, [...moves, move]);
      const isCapture = countPieces(after) < countPieces(before);
      if (after.outcome === null && after.legal.length > 0 && isCapture === quiet >= QUIET_PLIES) {
        moves.push(move);
        before = after;
        quiet = isCapture ? 0 : quiet + 1;
        break;
      }
    }
  }
  return moves;
}

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

test('keys, clicks and moves in a game of 500 moves', async ({ server, page }) => {
  const moves = await longGame(server);
  const opened = await openRoom(server, { ...GAME, moves, seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  // Both players are at this browser.
  await page.goto(opened.paths[0]!);
  await expect(page.getByRole('grid')).toBeVisible();
  await page.goto('about:blank');
  await page.goto(opened.paths[1]!);
  await expect(new RoomPage(page).board).toBeVisible();
  await expect(page.getByText(/^Your move/)).toBeVisible();

  await observe(page);
  const keys = 200;
  for (let nth = 0; nth < keys; nth += 1) {
    await page.keyboard.press(nth % 40 < 30 ? 'ArrowLeft' : 'ArrowRight');
  }
  report('steps by key', await durationsOf(page, keys));

  await page.reload();
  await expect(page.getByText(/^Your move/)).toBeVisible();
  await observe(page);
  const clicks = 60;
  const buttons = page.getByRole('group', { name: 'Moves' }).locator('.move button');
  await expect(buttons).toHaveCount(PLIES);
  for (let nth = 0; nth < clicks; nth += 1) {
    await buttons.nth(PLIES - 1 - (nth % 10)).click();
  }
  report('clicks in the list of moves', await durationsOf(page, clicks));

  await page.reload();
  await expect(page.getByText(/^Your move/)).toBeVisible();
  await observe(page);
  const played = [...moves];
  const plies = 30;
  for (let nth = 0; nth < plies; nth += 1) {
    const { legal } = await positionAfter(server, played);
    const move = legal[(nth * 13) % legal.length]!;
    const room = new RoomPage(page);
    await room.point(move.slice(0, 2)).click();
    await room.point(move.slice(2)).click();
    played.push(move);
    await expect(buttons).toHaveCount(played.length);
  }
  report('moves on the board', await durationsOf(page, plies * 2));
});
