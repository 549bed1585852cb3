// Arenas in the browser: a finished one, from the list to a single game; a running one, which updates and is stopped.
import type { Page } from '@playwright/test';
import { findViolations, injectAxe } from '../support/axe';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: ['random-mover', 'gomoku-simple', 'faulty'] } });

/** A strong engine, a random one, and one that crashes in every game. */
const threePlayers =
  'round-robin gomoku-simple random-mover faulty:fault=panic:at=2 --cycles 2 --variant freestyle-9 --budget nodes:100 --seed 1';

const standings = (page: Page) => page.getByRole('region', { name: 'Standings' });
const names = (page: Page) => standings(page).getByRole('rowheader');

/** The cell of a player in the standings, by the column's head. */
async function cell(page: Page, player: string, column: string) {
  await expect(names(page).first()).toBeVisible();
  const heads = await standings(page).getByRole('columnheader').allTextContents();
  const row = standings(page)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: player }) });
  return row
    .getByRole('rowheader')
    .or(row.getByRole('cell'))
    .nth(heads.findIndex((head) => head.trim().startsWith(column)));
}

test('a round robin, from the list to a single game', async ({ server, page }) => {
  const result = await server.runArena('three', threePlayers.split(' '));
  expect(result.code, result.errorOutput).toBe(0);

  await page.goto('/');
  await page.getByRole('link', { name: 'Arenas' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'three' });
  await expect(row).toContainText('complete');
  await expect(row).toContainText('6 of 6 pairs');
  await page.getByRole('link', { name: 'three', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'three' })).toBeVisible();

  await expect(names(page)).toHaveText([/^gomoku-simple/, /^random-mover/, /^faulty/]);
  await expect(await cell(page, 'gomoku-simple', 'Points')).toHaveText('8');
  await expect(await cell(page, 'faulty', 'Games')).toHaveText('8');
  await expect(await cell(page, 'faulty', 'Faults')).toHaveText(/^8/);
  await expect(await cell(page, 'random-mover', 'Faults')).toHaveText('0');

  // Sorting by keyboard.
  await standings(page).getByRole('button', { name: 'Faults' }).press('Enter');
  await expect(names(page).first()).toHaveText(/^faulty/);
  await expect(standings(page).getByRole('columnheader', { name: 'Faults' })).toHaveAttribute(
    'aria-sort',
    'descending',
  );

  // From a fault to its game.
  const faults = page.getByRole('region', { name: 'Faults' });
  await expect(faults.getByRole('row').filter({ has: page.getByRole('cell') })).toHaveCount(1);
  await faults.getByRole('link', { name: /^pair-\d{6}-[12]$/ }).click();
  await expect(page.getByRole('grid')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('faulty');
  await page.getByRole('link', { name: 'Back to the arena' }).click();

  // From the cross table to the games of two players, and through one of them.
  await page
    .getByRole('grid', { name: 'Crosstable' })
    .getByRole('link', { name: /^gomoku-simple against random-mover: 4 \+4 =0 −0/ })
    .click();
  await expect(page).toHaveURL(/\/arenas\/[0-9a-f]{16}\/games\?player=\d&opponent=\d$/);
  const games = page.getByRole('main').getByRole('listitem');
  await expect(games).toHaveCount(4);
  const linkText = await games.first().getByRole('link').innerText();
  await games.first().getByRole('link').click();
  await expect(page).toHaveURL(/\/arenas\/[0-9a-f]{16}\/games\/pair-\d{6}-[12]$/);
  // The player of the first seat comes first in both places.
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/gomoku-simple/);
  expect(linkText).toContain(await page.getByRole('heading', { level: 1 }).innerText());
  await page.getByRole('button', { name: 'To the start' }).click();
  await expect(page.getByRole('gridcell', { name: /^[a-i]\d, empty/ })).toHaveCount(81);
  await page.getByRole('button', { name: 'To the last move' }).click();
  await expect(page.getByRole('gridcell', { name: /^[a-i]\d, black/ }).first()).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);

  // Without games that ended by a fault only those between the other two players count.
  await page.getByRole('link', { name: 'Back to the arena' }).click();
  await page.getByText('Filter games').click();
  await page.getByRole('checkbox', { name: 'exclude games that ended by a fault' }).check();
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page).toHaveURL(/\?no_faults=true$/);
  await expect(page.getByText('The tables count only the filtered games.')).toBeVisible();
  await expect(await cell(page, 'faulty', 'Games')).toHaveText('0');
  await expect(await cell(page, 'gomoku-simple', 'Games')).toHaveText('4');
  await page.reload();
  await expect(await cell(page, 'gomoku-simple', 'Games')).toHaveText('4');
  await page.goBack();
  await expect(await cell(page, 'gomoku-simple', 'Games')).toHaveText('8');

  for (const [link, file] of [
    ['Report (HTML)', /\.html$/],
    ['Table (CSV)', /\.csv$/],
    ['Games (CSV)', /\.csv$/],
  ] as const) {
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: link }).click();
    expect((await saving).suggestedFilename(), link).toMatch(file);
  }
});

test('the ratings of two players are the Elo difference of their match', async ({ server, page }) => {
  const setup = 'match random-mover random-mover --pairs 12 --variant freestyle-7 --budget nodes:2 --seed 4';
  const result = await server.runArena('duel', setup.split(' '));
  expect(result.code, result.errorOutput).toBe(0);
  const [arena] = (await (await fetch(`${server.address}/api/v1/arenas`)).json()) as { id: string }[];
  const { view } = (await (await fetch(`${server.address}/api/v1/arenas/${arena!.id}`)).json()) as {
    view: {
      players: { rating: { value: number } | null }[];
      match_statistics: { elo: number | null; superiority: number };
      head_to_head: { superiority: number }[];
    };
  };
  const { elo, superiority } = view.match_statistics;
  expect(view.head_to_head[0]!.superiority).toBeCloseTo(superiority, 6);
  // Neither player has won every game.
  expect(elo).not.toBeNull();
  const [first, second] = view.players.map(({ rating }) => rating!.value);
  expect(first! - second!).toBeCloseTo(elo!, 6);

  await page.goto(`/arenas/${arena!.id}`);
  const number = (text: string | null) => Number(/^\s*([+−]?\d+(\.\d+)?)/.exec(text ?? '')![1]!.replace('−', '-'));
  const shown = number(await page.getByRole('definition').nth(1).textContent());
  const ratings = await Promise.all(
    ['random-mover (1)', 'random-mover (2)'].map(async (player) =>
      number(await (await cell(page, player, 'Rating')).textContent()),
    ),
  );
  // Ratings are rounded to whole numbers.
  expect(Math.abs(ratings[0]! - ratings[1]! - shown)).toBeLessThanOrEqual(1.1);
});

test('an unknown arena shows an error', async ({ page }) => {
  await page.goto('/arenas/0000000000000000');
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: 'Arenas' })).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no accessibility violations in an arena, ${colorScheme}`, async ({ server, person }) => {
    expect((await server.runArena('three', threePlayers.split(' '))).code).toBe(0);
    const { page } = await person({ colorScheme, reducedMotion: 'reduce' });
    await injectAxe(page);
    await page.goto('/arenas');
    const link = page.getByRole('link', { name: 'three', exact: true });
    await expect(link).toBeVisible();
    const arena = (await link.getAttribute('href'))!;
    for (const path of ['/arenas', arena, `${arena}/games`, `${arena}/games/pair-000001-1`]) {
      await page.goto(path);
      await expect(page.getByRole('listitem').or(page.getByRole('gridcell')).first()).toBeVisible();
      expect(await findViolations(page), path).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(360);
      expect(await findViolations(page), `${path}, narrow`).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  });
}

test('a running arena updates and can be stopped', async ({ server, page }) => {
  const args = 'match random-mover gomoku-simple --pairs 20000 --variant freestyle-9 --budget nodes:100 --seed 2';
  const running = server.runArena('running', args.split(' '));
  await page.goto('/arenas');
  await page.getByRole('link', { name: 'running', exact: true }).click();
  const progress = page.getByRole('region', { name: 'Progress' });
  await expect(progress).toContainText('running');
  await expect(page.getByRole('region', { name: 'Live games' }).getByRole('listitem').first()).toContainText(
    /\d+ moves?/,
  );
  await expect(page.getByRole('heading', { name: 'random-mover against gomoku-simple' })).toBeVisible();

  // The page updates without a reload.
  const countedPairs = async () =>
    Number(/([\d,]+) of 20,000 pairs/.exec(await progress.innerText())?.[1]?.replaceAll(',', '') ?? NaN);
  let before = NaN;
  await expect.poll(async () => (before = await countedPairs())).toBeGreaterThan(0);
  await expect.poll(countedPairs).toBeGreaterThan(before);

  await progress.getByRole('button', { name: 'Stop after the current games' }).click();
  await progress
    .getByRole('group', { name: 'Really start no more games?' })
    .getByRole('button', { name: 'yes' })
    .click();
  await running;
  await expect(progress).toContainText('paused');
  await expect(page.getByRole('region', { name: 'Live games' })).toHaveCount(0);
});
