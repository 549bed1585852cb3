// The operator starts an arena in the browser, watches it, stops it and resumes it. Others cannot.
import type { Page } from '@playwright/test';
import { findViolations, injectAxe } from '../support/axe';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: ['gomoku-alpha', 'gomoku-simple'] } });

const progress = (page: Page) => page.getByRole('region', { name: 'Progress' });
const player = (page: Page, number: number) => page.getByRole('group', { name: `Player ${number}`, exact: true });

/** Fills the form: a long match on a small board, whose games take some time. */
async function fillForm(page: Page) {
  await page.goto('/arenas');
  await page.getByRole('button', { name: 'New arena' }).click();
  await page.getByRole('combobox', { name: 'Game', exact: true }).selectOption('gomoku');
  await page.getByRole('combobox', { name: 'Rules', exact: true }).selectOption('freestyle');
  await page.getByLabel('Size').fill('9');
  await page.getByLabel('Pairs of games').fill('5000');
  await page.getByRole('combobox', { name: 'Time of each player' }).selectOption({ label: 'other …' });
  await page.getByLabel('Time, as text').fill('nodes:200');
  await player(page, 1).getByRole('combobox', { name: 'Engine', exact: true }).selectOption('gomoku-alpha');
  await player(page, 2).getByRole('combobox', { name: 'Engine', exact: true }).selectOption('gomoku-alpha');
  await player(page, 1).getByRole('combobox', { name: 'Level', exact: true }).selectOption('3');
  await player(page, 2).getByRole('combobox', { name: 'Level', exact: true }).selectOption('5');
  await page.getByLabel('Games at once').fill('1');
}

test('a new arena has different engines', async ({ page }) => {
  // By its address: the engines are not known yet.
  await page.goto('/arenas/new');
  const chosen = (number: number) => player(page, number).getByRole('combobox', { name: 'Engine', exact: true });
  await expect(chosen(1)).toHaveValue('gomoku-alpha');
  await expect(chosen(2)).toHaveValue('gomoku-simple');
});

test('an arena is started, watched, stopped and resumed', async ({ server, page }) => {
  await fillForm(page);

  // The server checks the form; the page says which field is wrong.
  await page.getByLabel('Time, as text').fill('none');
  await page.getByRole('button', { name: 'Start arena' }).click();
  await expect(page.getByRole('alert')).toContainText('Time of each player: the budget `none` has no limit');
  await page.getByLabel('Time, as text').fill('nodes:200');
  await page.getByLabel('Name (blank').fill('../evil');
  await page.getByRole('button', { name: 'Start arena' }).click();
  await expect(page.getByRole('alert')).toContainText('a name has at most 60 letters');
  await page.getByLabel('Name (blank').fill('');
  await page.getByRole('button', { name: 'Start arena' }).click();

  // Boards first, then standings, with names for people.
  const title = 'gomoku-alpha, level 3 – gomoku-alpha, level 5';
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
  await expect(progress(page)).toContainText('running');
  const live = page.getByRole('region', { name: 'Live games' });
  await expect(live.getByRole('listitem').first()).toContainText('gomoku-alpha, level 3');
  const [boards, standings] = await Promise.all(
    [live, page.getByRole('region', { name: 'Standings' })].map(async (part) => (await part.boundingBox())!.y),
  );
  expect(boards!).toBeLessThan(standings!);
  await expect(progress(page)).toContainText(/about .* left/);

  await progress(page).getByRole('button', { name: 'Stop after the current games' }).click();
  await progress(page).getByRole('button', { name: 'yes' }).click();
  await expect(progress(page)).toContainText('paused');
  await progress(page).getByRole('button', { name: 'Resume' }).click();
  await expect(progress(page)).toContainText('running');

  // A server that is killed takes the process with it; the arena can be resumed.
  await server.kill();
  await server.restart();
  await page.reload();
  await expect(progress(page)).toContainText('paused');
  await progress(page).getByRole('button', { name: 'Resume' }).click();
  await expect(progress(page)).toContainText('running');
  await expect(live.getByRole('listitem').first()).toBeVisible();

  // The list has the same title, and the name of the folder as its tooltip.
  await page.getByRole('link', { name: 'Arenas' }).first().click();
  const link = page.getByRole('link', { name: 'gomoku-alpha (1) – gomoku-alpha (2)' });
  await expect(link).toHaveAttribute('title', /^gomoku-alpha-\d{8}-\d{6}$/);
});

test('who is not the operator starts nothing', async ({ server, page }) => {
  await page.route('**/api/v1/info', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...((await answer.json()) as object), operator: false } });
  });
  await page.goto('/arenas');
  await expect(page.getByText('There are no arenas yet.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'New arena' })).toHaveCount(0);
  const result = await server.runArena(
    'two',
    'match gomoku-simple gomoku-simple --pairs 1 --budget nodes:5'.split(' '),
  );
  expect(result.code, result.errorOutput).toBe(0);
  await page.reload();
  await page.getByRole('link', { name: 'two' }).click();
  await expect(progress(page)).toContainText('complete');
  await expect(progress(page).getByRole('button')).toHaveCount(0);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no accessibility violations in the form, ${colorScheme}`, async ({ person }) => {
    const { page } = await person({ colorScheme, reducedMotion: 'reduce' });
    await injectAxe(page);
    await page.goto('/arenas/new');
    await expect(player(page, 2)).toBeVisible();
    await fillForm(page);
    await page.getByText('Openings', { exact: true }).click();
    await page.getByRole('checkbox', { name: 'end by a sequential test (SPRT)' }).check();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect(await findViolations(page), 'narrow').toEqual([]);
  });
}
