// The first page: tiles of games with boards, the computer at a level with one click, a friend by a link, games in progress
// as small boards, and a place for engine files.
import { readFile } from 'node:fs/promises';
import { builtEngine, engineFileName } from '../support/server';
import { openRoom, RoomPage } from '../support/room';
import { expect, test } from '../support/test';
import type { Locator, Page } from '@playwright/test';

test.use({
  serverOptions: { engines: ['gomoku-alpha', 'connect-four-mcts'], games: ['connect-four', 'kuhn-poker'] },
});

interface PlayerOfRoom {
  engine?: { id: string; options: Record<string, string> };
  budget: string;
  side_name: 'black' | 'white';
}

const tile = (page: Page, game: string): Locator => page.getByRole('article', { name: game, exact: true });
const levels = (page: Page, game: string): Locator =>
  tile(page, game).getByRole('toolbar', { name: /Play the computer, level$/ });
/** The picture of a small board. */
const picture = (place: Locator): Locator => place.locator('.thumbnail svg').first();

test('every game has a tile with a board, plugged-in games too', async ({ page }) => {
  await page.goto('/');
  for (const game of ['Gomoku and renju', 'Reversi', 'Xiangqi', 'Bridge, double dummy', 'Connect Four']) {
    await expect(picture(tile(page, game)), game).toBeAttached();
  }
  // The cards of a game are dealt. The text in the corner of a card is its first one.
  const corners = picture(tile(page, 'Kuhn poker')).locator('g > text:first-of-type');
  await expect(corners).toHaveText([/^[JQK]$/, /^[JQK]$/]);
  // They can be read.
  for (const corner of await corners.all()) {
    expect((await corner.boundingBox())!.height).toBeGreaterThan(12);
  }
  // No engine plays reversi here.
  await expect(tile(page, 'Reversi').getByText('No engine plays this game yet.')).toBeVisible();
  await expect(levels(page, 'Gomoku and renju').getByRole('button')).toHaveCount(10);
});

test('a click on a level starts a game at this level', async ({ server, page }) => {
  await page.goto('/');
  await levels(page, 'Gomoku and renju').getByRole('button', { name: 'Level 3', exact: true }).click();
  await expect(page).toHaveURL(/\/room\//);
  const snapshot = (await (await fetch(`${server.address}/api/v1/rooms/${page.url().split('/').pop()}`)).json()) as {
    players: PlayerOfRoom[];
  };
  const engine = snapshot.players.find((player) => player.engine !== undefined)?.engine;
  expect(engine).toMatchObject({ id: 'gomoku-alpha', options: { level: '3' } });
  expect(snapshot.players.find((player) => player.engine === undefined)?.budget).toBe('none');
  // Chance decides who begins.
  const own = snapshot.players.find((player) => player.engine === undefined)!.side_name;
  await new RoomPage(page).placeInRow('a1', own);
});

test('the levels share one tab stop, and keys reach all of them', async ({ page }) => {
  await page.goto('/');
  const group = levels(page, 'Gomoku and renju');
  const level = (n: number) => group.getByRole('button', { name: `Level ${n}`, exact: true });
  await level(1).focus();
  for (const [key, expected] of [
    ['ArrowRight', 2],
    ['End', 10],
    ['ArrowRight', 10],
    ['ArrowLeft', 9],
    ['Home', 1],
    ['ArrowLeft', 1],
  ] as const) {
    await page.keyboard.press(key);
    await expect(level(expected), key).toBeFocused();
  }
  await page.keyboard.press('Tab');
  await expect(tile(page, 'Gomoku and renju').getByRole('button', { name: /Play a friend$/ })).toBeFocused();
  await level(1).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/room\//);
});

test('an engine without levels plays with one click', async ({ page }) => {
  await page.goto('/');
  await expect(levels(page, 'Connect Four')).toHaveCount(0);
  await tile(page, 'Connect Four').getByRole('button', { name: 'Connect Four: Play the computer' }).click();
  await expect(page).toHaveURL(/\/room\//);
  await expect(page.getByText('Your move', { exact: true })).toBeVisible();
});

test('a friend gets a link, to copy or as a QR code', async ({ page, person }) => {
  await page.goto('/');
  await page.getByRole('textbox', { name: 'Your name' }).fill('Anna');
  await tile(page, 'Reversi').getByRole('button', { name: 'Reversi: Play a friend' }).click();
  const link = page.getByRole('textbox', { name: /^Invite link for / });
  await expect(link).toHaveValue(/\/room\/.+#.+/);
  await expect(page.getByRole('img', { name: /^QR code: Invite link for / })).toBeVisible();
  const { page: friend } = await person();
  await friend.goto(await link.inputValue());
  await friend.getByRole('textbox', { name: 'Your name' }).fill('Bo');
  await friend.getByRole('button', { name: 'Join the game' }).click();
  await expect(page.getByRole('group', { name: /^Bo, / })).toBeVisible();
  await expect(friend.getByRole('group', { name: /^Anna, / })).toBeVisible();
});

test('games in progress are small boards that follow the moves', async ({ server, page, person }) => {
  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  const rooms = page.getByRole('region', { name: 'Rooms' });
  await page.goto('/');
  await expect(picture(rooms)).toBeAttached();

  const [anna, bo] = [await person(), await person()];
  await bo.page.goto(opened.paths[1]!);
  await anna.page.goto(opened.paths[0]!);
  await new RoomPage(anna.page).place('h8', 'black');
  await expect(rooms.getByText('1 move')).toBeVisible();
  const discs = rooms.locator('.thumbnail circle');
  const before = await discs.count();
  await new RoomPage(bo.page).place('i9', 'white');
  await expect(rooms.getByText('2 moves')).toBeVisible();
  await expect.poll(() => discs.count()).toBeGreaterThan(before);
  // The tile of the game shows it, too.
  await expect(tile(page, 'Gomoku and renju').getByRole('link', { name: 'Watch Anna – Bo' })).toBeVisible();
  await rooms.getByRole('link', { name: 'Anna – Bo' }).click();
  await expect(page).toHaveURL(new RegExp(`/room/${opened.id}$`));
});

test('an engine that is dropped on the page is an opponent at once', async ({ page }) => {
  await page.goto('/');
  await expect(tile(page, 'Reversi').getByText('No engine plays this game yet.')).toBeVisible();
  await page.getByLabel(/^Drop a file here/).setInputFiles({
    name: engineFileName('reversi-simple'),
    mimeType: 'application/wasm',
    buffer: await readFile(builtEngine('reversi-simple')),
  });
  await expect(page.getByRole('status').filter({ hasText: 'reversi-simple is loaded.' }).first()).toBeAttached();
  await levels(page, 'Reversi').getByRole('button', { name: 'Level 1', exact: true }).click();
  await expect(page.getByText('Your move', { exact: true })).toBeVisible();
});

test('the first load is small', async ({ person }) => {
  const { page } = await person();
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    if (['document', 'script', 'stylesheet'].includes(request.resourceType())) {
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    }
  });
  await page.goto('/');
  // With the boards of all tiles.
  await expect(page.locator('article .board svg')).toHaveCount(6);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(250_000);
  test.info().annotations.push({ type: 'bytes', description: String(bytes) });
  console.log(`first load: ${bytes} bytes`);
});
