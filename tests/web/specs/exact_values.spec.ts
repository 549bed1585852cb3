// The exact values of cards are shown on them to viewers who may see them and switched them on.
import type { Page } from '@playwright/test';
import { expect, test } from '../support/test';
import { type RoomOptions, openRoom, RoomPage } from '../support/room';

test.use({ serverOptions: { engines: ['bridge-dd'] } });

/**
 * South must play to east's lead of a heart and has none: `shared-e007` of tests/fixtures/bridge/endplay.json, whose values
 * come from another solver.
 */
const ENDING: RoomOptions = {
  game: 'bridge',
  variant: 'double-dummy-6',
  start: 'N:9765.4.8. .5.AJ43. Q..2.AJ96 JT.Q6.K.T S E H2',
  seats: [
    { name: 'Anna', seats: [0, 2] },
    { name: 'Bo', seats: [1, 3] },
  ],
};
const VALUED_CARDS = [
  'south, queen of spades, 4 tricks, best',
  'south, two of diamonds, 3 tricks',
  ...['ace', 'jack', 'nine', 'six'].map((rank) => `south, ${rank} of clubs, 3 tricks`),
];

const toggle = (page: Page) => page.getByRole('button', { name: 'Double-dummy values' });
const card = (page: Page, name: string | RegExp) =>
  new RoomPage(page).board.getByRole('gridcell', typeof name === 'string' ? { name, exact: true } : { name });

test('a spectator sees the values and tries moves', async ({ server, page }) => {
  const room = await openRoom(server, ENDING);
  await page.goto(room.spectatorPath);
  await expect(card(page, 'south, queen of spades')).toBeVisible();
  await toggle(page).click();
  for (const name of VALUED_CARDS) {
    await expect(card(page, name)).toBeVisible();
  }
  await expect(card(page, /tricks/)).toHaveCount(VALUED_CARDS.length);
  await expect(page.getByText('from here with perfect play: north-south 4')).toBeVisible();

  // South loses a trick: east-west get one more of the six.
  await page.getByRole('button', { name: 'Try moves' }).click();
  await card(page, 'south, ace of clubs, 3 tricks').click();
  await expect(card(page, /^west, .*, 3 tricks, best/).first()).toBeVisible();
  await expect(card(page, /^south, .*tricks/)).toHaveCount(0);

  // The choice survives a reload, and can be switched off.
  await page.reload();
  await expect(card(page, VALUED_CARDS[0]!)).toBeVisible();
  await toggle(page).click();
  await expect(card(page, /tricks/)).toHaveCount(0);
  await expect(card(page, 'south, queen of spades')).toBeVisible();
});

test('a player sees the values after the game, or with hints', async ({ server, page, person }) => {
  const room = await openRoom(server, ENDING);
  await page.goto(room.paths[0]!);
  const bo = await person();
  await bo.page.goto(room.paths[1]!);
  await expect(new RoomPage(page).yourMove).toBeVisible();
  await expect(toggle(page)).toHaveCount(0);
  await new RoomPage(page).resign();
  await toggle(page).click();
  await expect(card(page, VALUED_CARDS[0]!)).toBeVisible();
  await page.getByRole('link', { name: 'Replay' }).click();
  await expect(toggle(page)).toHaveAttribute('aria-pressed', 'true');
  await expect(card(page, VALUED_CARDS[0]!)).toBeVisible();

  const hint = { id: 'bridge-dd', options: {}, budget: '1s/move' };
  const withHints = await openRoom(server, { ...ENDING, hint });
  await page.goto(withHints.paths[0]!);
  await expect(card(page, VALUED_CARDS[0]!)).toBeVisible();
});

test('a game without a solver has no button for values', async ({ server, page }) => {
  const room = await openRoom(server, { variant: 'freestyle', seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  await page.goto(room.spectatorPath);
  await expect(page.getByRole('button', { name: 'Flip board' })).toBeVisible();
  await expect(toggle(page)).toHaveCount(0);
});
