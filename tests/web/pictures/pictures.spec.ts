// Takes the screenshots of docs/images for `cargo xtask web --screenshots`, and measures the first contentful paint.
// Compares nothing.
import { join, resolve } from 'node:path';
import { openRoom, RoomPage } from '../support/room';
import { expect, test } from '../support/test';

const images = resolve(import.meta.dirname, '../../../docs/images');
const desktop = { width: 1120, height: 960 };
const phone = { width: 360, height: 740 };

test.use({ serverOptions: { engines: ['gomoku-alpha'] } });

const seats = [{ name: 'Anna' }, { name: 'Bo' }];

test('a game of gomoku against the engine, and the lobby', async ({ server, person }) => {
  const opened = await openRoom(server, {
    variant: 'renju',
    seats: [{ name: 'Anna' }, { name: 'Gomoku Alpha', engine: { id: 'gomoku-alpha' }, budget: '1s/move' }],
    moves: ['h8', 'h9', 'i9', 'g7', 'i7', 'i8'],
  });
  const { page } = await person({ viewport: desktop, colorScheme: 'light' });
  const room = new RoomPage(page);
  await page.goto(opened.paths[0]!);
  await room.placeInRow('g9', 'black');
  await expect(room.yourMove).toBeVisible();
  await page.screenshot({ path: join(images, 'room.png') });
  await page.goto('/');
  await expect(page.getByRole('link', { name: /Anna/ }).first()).toBeVisible();
  await expect(page.getByText('Loading …')).toHaveCount(0);
  await page.screenshot({ path: join(images, 'lobby.png') });
});

const boards = [
  {
    game: 'xiangqi',
    variant: 'computer',
    moves: ['h2e2', 'h9g7', 'h0g2', 'i9h9'],
    viewport: desktop,
    colorScheme: 'dark',
  },
  {
    game: 'reversi',
    variant: 'standard',
    moves: ['d3', 'c3', 'c4', 'c5', 'b4', 'd2'],
    viewport: phone,
    colorScheme: 'light',
  },
] as const;

for (const { game, variant, moves, viewport, colorScheme } of boards) {
  test(game, async ({ server, person }) => {
    const room = await openRoom(server, { game, variant, moves: [...moves], seats });
    const [{ page }, other] = [await person({ viewport, colorScheme }), await person()];
    await page.goto(room.paths[0]!);
    await other.page.goto(room.paths[1]!);
    await expect(new RoomPage(page).board).toBeVisible();
    await expect(page.getByText('Waiting for players')).toHaveCount(0);
    await page.screenshot({ path: join(images, `${game}.png`) });
  });
}

test('bridge with exact values', async ({ server, person }) => {
  const room = await openRoom(server, {
    game: 'bridge',
    variant: 'double-dummy',
    start: 'N:KQ86.T76.A42.AK7 J5.J985.J963.643 932..KQT75.QT952 AT74.AKQ432.8.J8 S W -',
    seats: [
      { name: 'Anna', seats: [0, 2] },
      { name: 'Bo', seats: [1, 3] },
    ],
  });
  for (const path of room.paths) {
    await (await person()).page.goto(path);
  }
  const { page } = await person({ viewport: desktop, colorScheme: 'light' });
  await page.goto(room.spectatorPath);
  await expect(page.getByText('Waiting for players')).toHaveCount(0);
  await page.getByRole('button', { name: 'Double-dummy values' }).click();
  await expect(page.getByRole('gridcell', { name: /best/ }).first()).toBeVisible();
  await page.screenshot({ path: join(images, 'bridge.png') });
});

test('first contentful paint', async ({ person }) => {
  const times: number[] = [];
  for (let run = 0; run < 5; run += 1) {
    const { page } = await person();
    await page.goto('/');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    times.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0));
  }
  times.sort((a, b) => a - b);
  console.log(`first contentful paint on this machine: ${times.map((time) => time.toFixed(0)).join(', ')} ms`);
});
