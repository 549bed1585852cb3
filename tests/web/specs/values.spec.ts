// What cards are worth by perfect play is shown on them: to who may know it, when he wants to.
import type { Page } from '@playwright/test';
import { expect, test } from '../support/test';
import { type Opening, openRoom, Table } from '../support/room';

test.use({ begin: { engines: ['bridge-dd'] } });

/**
 * South has to play to east's lead of a heart, and has none: `shared-e007` of tests/fixtures/bridge/endplay.json, whose
 * values another solver found.
 */
const ENDING: Opening = {
  game: 'bridge',
  variant: 'double-dummy-6',
  start: 'N:9765.4.8. .5.AJ43. Q..2.AJ96 JT.Q6.K.T S E H2',
  seats: [
    { name: 'Anna', seats: [0, 2] },
    { name: 'Bo', seats: [1, 3] },
  ],
};
const WORTH = [
  'south, queen of spades, 4 tricks, best',
  'south, two of diamonds, 3 tricks',
  ...['ace', 'jack', 'nine', 'six'].map((rank) => `south, ${rank} of clubs, 3 tricks`),
];

const toggle = (page: Page) => page.getByRole('button', { name: 'Double-dummy values' });
const card = (page: Page, name: string | RegExp) =>
  new Table(page).board.getByRole('gridcell', typeof name === 'string' ? { name, exact: true } : { name });

test('who looks on sees what each card is worth, and goes through the play', async ({ server, page }) => {
  const room = await openRoom(server, ENDING);
  await page.goto(room.watch);
  await expect(card(page, 'south, queen of spades')).toBeVisible();
  await toggle(page).click();
  for (const name of WORTH) await expect(card(page, name)).toBeVisible();
  await expect(card(page, /tricks/)).toHaveCount(WORTH.length);
  await expect(page.getByText('from here perfect play gives north-south 4')).toBeVisible();

  // South gives a trick away; east and west are to get one more of the six.
  await page.getByRole('button', { name: 'Try moves' }).click();
  await card(page, 'south, ace of clubs, 3 tricks').click();
  await expect(card(page, /^west, .*, 3 tricks, best/).first()).toBeVisible();
  await expect(card(page, /^south, .*tricks/)).toHaveCount(0);

  // The wish is kept, and can be given up.
  await page.reload();
  await expect(card(page, WORTH[0]!)).toBeVisible();
  await toggle(page).click();
  await expect(card(page, /tricks/)).toHaveCount(0);
  await expect(card(page, 'south, queen of spades')).toBeVisible();
});

test('who plays may know it when the game is over, or where hints are agreed', async ({ server, page, person }) => {
  const room = await openRoom(server, ENDING);
  await page.goto(room.paths[0]!);
  const bo = await person();
  await bo.page.goto(room.paths[1]!);
  await expect(new Table(page).myMove).toBeVisible();
  await expect(toggle(page)).toHaveCount(0);
  await new Table(page).resign();
  await toggle(page).click();
  await expect(card(page, WORTH[0]!)).toBeVisible();
  await page.getByRole('link', { name: 'Replay' }).click();
  await expect(toggle(page)).toHaveAttribute('aria-pressed', 'true');
  await expect(card(page, WORTH[0]!)).toBeVisible();

  const hint = { id: 'bridge-dd', options: {}, budget: '1s/move' };
  const helped = await openRoom(server, { ...ENDING, hint });
  await page.goto(helped.paths[0]!);
  await expect(card(page, WORTH[0]!)).toBeVisible();
});

test('a game that nobody can solve has no such button', async ({ server, page }) => {
  const room = await openRoom(server, { variant: 'freestyle', seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  await page.goto(room.watch);
  await expect(page.getByRole('button', { name: 'Turn the board' })).toBeVisible();
  await expect(toggle(page)).toHaveCount(0);
});
