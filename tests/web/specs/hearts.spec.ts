// Hearts: four seats, made in the dialog for a new game. One person plays a whole hand against three engines.
import type { Locator, Page } from '@playwright/test';
import { findViolations, injectAxe } from '../support/axe';
import { openRoom, RoomPage } from '../support/room';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: ['random-legal', 'kuhn-equilibrium'], games: ['hearts', 'kuhn-poker'] } });

const SIDES = ['South', 'West', 'North', 'East'];

/** The cards that the person can play now. */
const playable = (page: Page): Locator => page.locator('[role=gridcell]:not([aria-disabled=true])');

/** The number of moves that the page shows. */
const movesOf = (page: Page): Promise<number> => page.getByRole('group', { name: 'Moves' }).getByRole('button').count();

async function selectHearts(page: Page): Promise<Locator> {
  await page.goto('/');
  await page.getByRole('button', { name: 'New game' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: /^Game/ }).selectOption('hearts');
  return dialog;
}

test('one person and three engines play a hand to its end', async ({ page }) => {
  await injectAxe(page);
  const dialog = await selectHearts(page);
  for (const [seat, side] of SIDES.entries()) {
    const kind = seat === 0 ? 'You' : 'Engine';
    const group = dialog.getByRole('group', { name: side, exact: true });
    await expect(group.getByRole('radio', { name: kind })).toBeChecked();
  }
  await dialog.getByRole('group', { name: 'South', exact: true }).getByLabel('Name').fill('Anna');
  expect(await findViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Start game' }).click();

  const room = new RoomPage(page);
  await expect(room.yourMove).toBeVisible();
  await expect(page.getByText('Choose card 1 of 3 to pass to the left')).toHaveCount(1);
  for (const side of SIDES) {
    await expect(page.getByRole('group', { name: new RegExp(`, ${side}$`) })).toBeVisible();
  }
  expect(await findViolations(page)).toEqual([]);

  // The pass: by click, by keyboard, by typing.
  await playable(page).first().click();
  await expect(page.getByText('Choose card 2 of 3 to pass to the left')).toBeVisible();
  await playable(page).first().focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Choose card 3 of 3 to pass to the left')).toBeVisible();
  const last = await playable(page).first().getAttribute('data-cell');
  await page.getByLabel('Type a move').fill(last!);
  await room.button('Play').click();
  await expect(page.getByText(/Choose card/)).toHaveCount(0);

  // Thirteen cards, by click and by keyboard in turn.
  for (let card = 0; card < 13; card += 1) {
    await expect(room.yourMove).toBeVisible();
    const moves = await movesOf(page);
    if (card % 2 === 0) {
      await playable(page).first().click();
    } else {
      await playable(page).first().focus();
      await page.keyboard.press('Enter');
    }
    await expect.poll(() => movesOf(page)).toBeGreaterThan(moves);
  }

  const scores = page.getByRole('table', { name: 'Scores' });
  await expect(scores).toBeVisible();
  await expect(scores.getByRole('row')).toHaveCount(5);
  for (const side of SIDES) {
    await expect(scores.getByRole('rowheader', { name: new RegExp(`${side}$`) })).toHaveCount(1);
  }
  const cells = await scores.locator('td.number').allTextContents();
  const sum = cells.reduce((total, text) => total + Number(text.trim().replace('−', '-')), 0);
  // All 26 points, or 26 for each of the others if one seat has taken all.
  expect([-26, -78]).toContain(sum);
  await expect(room.button('Rematch (rotate seats)')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Evaluation' })).toHaveCount(0);
  expect(await findViolations(page)).toEqual([]);

  // In the next game everybody sits one seat further.
  await room.button('Rematch (rotate seats)').click();
  await expect(page.getByRole('group', { name: 'Anna, West' })).toBeVisible();
  await expect(page.getByText('Choose card 1 of 3 to pass to the left')).toBeVisible();
  await page.goBack();
  await page.getByRole('link', { name: 'Replay' }).click();
  await expect(page.getByRole('table', { name: 'Scores' }).getByRole('row')).toHaveCount(5);
});

test('four people join by links and play at the same table, on phones', async ({ server, person }) => {
  const people = ['Anna', 'Bo', 'Cy', 'Di'];
  const opened = await openRoom(server, {
    game: 'hearts',
    variant: 'no-pass',
    seats: people.map((name) => ({ name })),
  });
  const pages: Page[] = [];
  for (const path of opened.paths) {
    const { page } = await person({ viewport: { width: 390, height: 844 } });
    await injectAxe(page);
    await page.goto(path);
    pages.push(page);
  }
  for (const [seat, page] of pages.entries()) {
    await expect(page.getByRole('group', { name: new RegExp(`^${people[seat]}, `) })).toContainText('you');
    await expect(page.getByRole('gridcell', { name: new RegExp(`^${SIDES[seat]}, `) })).toHaveCount(13);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await findViolations(page)).toEqual([]);
    // To resign needs another side that wins.
    await expect(new RoomPage(page).button('Resign')).toHaveCount(0);
  }
  // The one with the two of clubs leads, and the next one follows.
  for (let card = 0; card < 2; card += 1) {
    await expect.poll(async () => Promise.all(pages.map((page) => new RoomPage(page).yourMove.count()))).toContain(1);
    const turns = await Promise.all(pages.map((page) => new RoomPage(page).yourMove.count()));
    const page = pages[turns.indexOf(1)]!;
    const moves = await movesOf(page);
    await playable(page).first().click();
    await expect.poll(() => movesOf(page)).toBeGreaterThan(moves);
    await expect(new RoomPage(page).yourMove).toHaveCount(0);
  }
});

test('a game that the host aborts has no scores', async ({ server, person }) => {
  const opened = await openRoom(server, {
    game: 'hearts',
    variant: 'no-pass',
    seats: [
      { name: 'Anna' },
      { name: 'Bo' },
      ...['X', 'Y'].map((name) => ({ name, engine: { id: 'random-legal' }, budget: '5s/move' })),
    ],
  });
  const [anna, bo] = [await person(), await person()];
  await bo.page.goto(opened.paths[1]!);
  await anna.page.goto(opened.paths[0]!);
  const room = new RoomPage(anna.page);
  await expect(room.board).toBeVisible();
  // The deal is one entry of the list; within it the start keeps the tab stop.
  const moves = anna.page.getByRole('group', { name: 'Moves' });
  await expect(moves.getByRole('button', { name: 'Deal', exact: true })).toHaveCount(1);
  await room.button('To the start').click();
  await room.button('One move forward').click();
  await expect(moves.getByRole('button', { name: 'Start' })).toHaveAttribute('tabindex', '0');
  await anna.page.getByRole('button', { name: 'Abort game' }).click();
  await anna.page
    .getByRole('group', { name: 'Really abort the game without a result?' })
    .getByRole('button', { name: 'yes' })
    .click();
  await expect(anna.page.getByText('No result')).toBeVisible();
  await expect(anna.page.getByRole('table', { name: 'Scores' })).toHaveCount(0);
});

test.describe('a player leaves', () => {
  test.use({ serverOptions: { engines: ['random-legal'], games: ['hearts'], grace: 1 } });

  test('the one opposite claims the game, and all have scores', async ({ server, person }) => {
    const engine = { engine: { id: 'random-legal' }, budget: '5s/move' };
    const seats = [{ name: 'Anna' }, { name: 'X', ...engine }, { name: 'Cy' }, { name: 'Y', ...engine }];
    const opened = await openRoom(server, { game: 'hearts', variant: 'pass-left', seats });
    const [anna, cy] = [await person(), await person()];
    await anna.page.goto(opened.paths[0]!);
    await cy.page.goto(opened.paths[1]!);
    await expect(new RoomPage(anna.page).yourMove).toBeVisible();
    await cy.context.close();
    await new RoomPage(anna.page).button('Claim the win').click();
    const scores = anna.page.getByRole('table', { name: 'Scores' });
    await expect(scores.getByRole('row')).toContainText([/Score/, /1/, /1/, /1/, /4\s*Cy, North\s*−1/]);
    await expect(anna.page.getByText('First place shared: Anna, X, Y')).toBeVisible();
  });
});

test('a quick game is for two players', async ({ page }) => {
  await page.goto('/');
  const form = page.getByRole('region', { name: 'Quick game' });
  await form.getByLabel('Game').selectOption('hearts');
  await expect(form.getByText('A quick game is for two players.')).toBeVisible();
  await expect(form.getByRole('button', { name: 'Find an opponent' })).toBeDisabled();
  await form.getByLabel('Game').selectOption('kuhn-poker');
  await expect(form.getByRole('button', { name: 'Find an opponent' })).toBeEnabled();
});

test('an arena of four players has tables, skills and scores, and fits a phone', async ({ server, person }) => {
  const players = ['1s/move', '2s/move', '3s/move', '4s/move'].map((budget) => `random-legal@${budget}`);
  const result = await server.runArena('four', [
    'match',
    ...players,
    '--game',
    'hearts',
    '--pairs',
    '2',
    '--seed',
    '1',
  ]);
  expect(result.code, result.errorOutput).toBe(0);
  const { page } = await person({ viewport: { width: 390, height: 844 } });
  await injectAxe(page);
  await page.goto('/arenas');
  await expect(page.getByRole('listitem').filter({ hasText: 'four' })).toContainText('2 of 2 tables');
  await page.getByRole('link', { name: 'four', exact: true }).click();
  await expect(page.getByText('Hearts, pass-left · match of 2 tables')).toBeVisible();
  const standings = page.getByRole('region', { name: 'Standings' });
  await expect(standings.getByRole('rowheader')).toHaveCount(4);
  await expect(standings.getByRole('columnheader')).toContainText([/Skill/, /Mean score/]);
  await expect(page.getByRole('heading', { name: /^Rating/ })).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'By seat' }).getByRole('columnheader')).toHaveText([
    'Player',
    /South/i,
    /West/i,
    /North/i,
    /East/i,
  ]);
  await expect(page.getByText('table 2, round 2').first()).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('region', { name: 'Latest games' }).getByRole('link').first().click();
  await expect(page.getByRole('table', { name: 'Scores' }).getByRole('row')).toHaveCount(5);
});
