// The exported page of a game works from the disk, without a server: its buttons, its keys and its list of moves.
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import { openRoom } from '../support/room';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: ['random-mover', 'connect-four-mcts'], games: ['connect-four'] } });

const texts = {
  en: { save: 'Web page (HTML)', buttons: ['To the start', 'One move back', 'One move forward', 'To the last move'] },
  zh: { save: '网页（HTML）', buttons: ['回到起始局面', '后退一步', '前进一步', '到最后一步'] },
} as const;
const games = [
  // The board of a built-in game, and one that its game describes.
  { game: 'gomoku', variant: 'freestyle', engine: 'random-mover', cells: 225 },
  { game: 'connect-four', variant: 'standard', engine: 'connect-four-mcts', cells: 42 },
] as const;

/** The players with their sides. A plugged-in game names its sides in English. */
const sides = {
  gomoku: { en: 'Anna (Black) – Bo (White)', zh: 'Anna (黑方) – Bo (白方)' },
  'connect-four': { en: 'Anna (Red) – Bo (Yellow)', zh: /^Anna \(.+\) – Bo \(.+\)$/ },
} as const;

/** The number of cells of the exported board with something on them, by their names. */
async function occupied(page: Page): Promise<number> {
  const names = await page
    .locator('#board [role="gridcell"]')
    .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label') ?? ''));
  return names.filter((name) => !/empty|空/.test(name)).length;
}

for (const { game, variant, engine, cells } of games) {
  for (const language of ['en', 'zh'] as const) {
    test(`${game} in ${language}`, async ({ server, person }, testInfo) => {
      await openRoom(server, {
        game,
        variant,
        seats: ['Anna', 'Bo'].map((name) => ({ name, engine: { id: engine }, budget: 'nodes:50' })),
      });
      const bouts = async () =>
        ((await (await fetch(`${server.address}/api/v1/bouts`)).json()) as { bouts: { id: string; plies: number }[] })
          .bouts;
      await expect.poll(async () => (await bouts()).length).toBe(1);
      const { id, plies } = (await bouts())[0]!;

      const { page } = await person({ locale: language === 'en' ? 'en-GB' : 'zh-CN' });
      const { save, buttons } = texts[language];
      await page.goto(`/replay/${id}`);
      const blocked: string[] = [];
      page.on('console', (message) => message.type() === 'error' && blocked.push(message.text()));
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: save }).click();
      const file = testInfo.outputPath('game.html');
      await (await saving).saveAs(file);
      expect(blocked, 'what the policy of the page blocked').toEqual([]);

      const { page: saved } = await person();
      const errors: string[] = [];
      const requests: string[] = [];
      saved.on('pageerror', (error) => errors.push(error.message));
      saved.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      saved.on('request', (request) => requests.push(request.url()));
      const address = pathToFileURL(file).href;
      await saved.goto(address);
      await expect(saved.locator('html')).toHaveAttribute('lang', language === 'en' ? 'en' : 'zh-Hans');
      await expect(saved.locator('#board [role="gridcell"]')).toHaveCount(cells);
      const box = await saved.locator('#board svg').first().boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThan(200);

      // The sides are named in the page's language, and the buttons are in the window.
      await expect(saved.locator('main > p').first()).toHaveText(sides[game][language]);
      await expect(saved.locator('#last')).toBeInViewport();
      const where = saved.getByRole('status');
      const [start, back, forward, end] = buttons.map((name) => saved.getByRole('button', { name, exact: true }));
      const expectAt = async (ply: number) => {
        await expect(where).toHaveText(`${ply} / ${plies}`);
        expect(await occupied(saved)).toBe(ply);
        const current = saved.locator('#moves [aria-current="step"]');
        await expect(current).toHaveCount(ply === 0 ? 0 : 1);
      };
      await expectAt(plies);
      await start!.click();
      await expectAt(0);
      await back!.click();
      await expectAt(0);
      await forward!.click();
      await forward!.click();
      await expectAt(2);
      await back!.click();
      await expectAt(1);
      await end!.click();
      await expectAt(plies);
      // Keys, wherever the focus is.
      await saved.keyboard.press('ArrowLeft');
      await expectAt(plies - 1);
      await saved.keyboard.press('Home');
      await expectAt(0);
      await saved.keyboard.press('ArrowRight');
      await expectAt(1);
      await saved.keyboard.press('End');
      await expectAt(plies);
      // The list of moves.
      await saved.locator('#moves button').nth(2).click();
      await expectAt(3);
      expect(errors).toEqual([]);
      expect(requests).toEqual([address]);
      await saved.screenshot({ path: testInfo.outputPath('page.png') });
    });
  }
}

test('the list of moves has the notation of the page that it was saved from', async ({ server, person }, testInfo) => {
  const opened = await openRoom(server, {
    game: 'xiangqi',
    variant: 'computer',
    moves: ['h2e2', 'h9g7'],
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  const { page } = await person({ locale: 'zh-CN' });
  await page.goto(opened.spectatorPath);
  const listed = page.locator('[role=group].moves').getByRole('button');
  await expect(listed.nth(1)).toHaveText('炮二平五');
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: texts.zh.save }).click();
  const file = testInfo.outputPath('game.html');
  await (await saving).saveAs(file);
  const { page: saved } = await person();
  await saved.goto(pathToFileURL(file).href);
  await expect(saved.locator('#moves button')).toHaveText((await listed.allInnerTexts()).slice(1));
});
