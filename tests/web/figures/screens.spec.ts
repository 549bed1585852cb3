// Takes a picture of every screen in five sizes, light and dark, in English and Chinese, to be looked at: one sheet for each
// combination in target/screens. Compares nothing.
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { openRoom, RoomPage } from '../support/room';
import { listScreens, type Screen } from '../support/screens';
import { Server } from '../support/server';
import { listStoredScreens } from '../support/stored-screens';
import { expect, test } from '../support/test';

const folder = resolve(import.meta.dirname, '../../../target/screens');
const SIZES = [
  { width: 360, height: 740 },
  { width: 844, height: 390 },
  { width: 900, height: 480 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
];
/** The width of a picture on a sheet. */
const SHOWN_WIDTH = 480;

/** Rooms of plugged-in games, and how many players each has. */
const PLUGGED_IN = { chess: 2, hearts: 4, 'kuhn-poker': 2, goofspiel: 2, 'liars-dice': 2, 'chinese-checkers': 2 };

test.use({
  serverOptions: { engines: ['gomoku-alpha', 'random-mover', 'faulty'], games: Object.keys(PLUGGED_IN) },
});
test.setTimeout(1_200_000);

for (const viewport of SIZES) {
  test(`${viewport.width}x${viewport.height}`, async ({ server, person }) => {
    const login = await Server.start({ engines: [], token: 'a-token-of-the-figures' });
    const screens = [
      ...(await listScreens(server)),
      ...(await listStoredScreens(server, {
        people: ['Anna', 'Bo'],
        engine: 'random-walker',
        arena: 'autumn',
        contest: 'Autumn cup',
        entrant: 'Ann Lee',
      })),
      ...(await listPluggedIn(server)),
      {
        name: 'login',
        open: async (page: Page) => {
          await page.goto(login.address);
          await expect(page.locator('input[type=password]')).toBeVisible();
        },
      },
    ];
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const locale of ['en-GB', 'zh-CN']) {
        const { page } = await person({ viewport, colorScheme, locale });
        const name = `${viewport.width}x${viewport.height}-${colorScheme}-${locale.slice(0, 2)}`;
        const pictures = await takePictures(page, screens, join(folder, name));
        const sheet = (await person({ viewport: { width: 2000, height: 1200 } })).page;
        await sheet.setContent(sheetOf(pictures, viewport.width < 500 ? SHOWN_WIDTH / 2 : SHOWN_WIDTH));
        await sheet.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
        await sheet.close();
        await page.close();
      }
    }
    await login.dispose();
  });
}

async function listPluggedIn(server: Server): Promise<Screen[]> {
  const rules = await fetch(`${server.address}/api/v1/games`);
  const games = (await rules.json()) as { id: string; variants: { id: string }[] }[];
  return Promise.all(
    Object.entries(PLUGGED_IN).map(async ([game, players]) => {
      const seats = ['Anna', 'Bo', 'Cy', 'Di'].slice(0, players).map((name) => ({ name }));
      const variant = games.find(({ id }) => id === game)!.variants[0]!.id;
      const room = await openRoom(server, { game, variant, seats });
      return {
        name: game,
        open: async (page: Page) => {
          await page.goto(room.paths[0]!);
          await expect(new RoomPage(page).board).toBeVisible();
        },
      };
    }),
  );
}

/** Writes a picture of each screen into a new folder. Returns the pictures with their names. */
async function takePictures(page: Page, screens: Screen[], folder: string): Promise<[string, Buffer][]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const pictures: [string, Buffer][] = [];
  for (const { name, open } of screens) {
    await open(page);
    await expect(page.getByText(/^(Loading …|加载中…)$/).filter({ visible: true })).toHaveCount(0);
    await page.evaluate(() => document.fonts.ready);
    pictures.push([name, await page.screenshot({ path: join(folder, `${name}.png`) })]);
  }
  return pictures;
}

/** The HTML of a page that shows all pictures in this width. */
function sheetOf(pictures: [string, Buffer][], width: number): string {
  const figures = pictures.map(
    ([name, bytes]) =>
      `<figure><img src="data:image/png;base64,${bytes.toString('base64')}"><figcaption>${name}</figcaption></figure>`,
  );
  return `<!doctype html><style>
    body { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px; font: 16px sans-serif; background: #888 }
    figure { margin: 0 }
    img { display: block; width: ${width}px }
    </style>${figures.join('')}`;
}
