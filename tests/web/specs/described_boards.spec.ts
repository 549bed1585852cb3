// Plugged-in games whose boards are data are played by mouse, by keyboard and on a phone.
import type { Page } from '@playwright/test';
import { findViolations, injectAxe } from '../support/axe';
import { openRoom, RoomPage, type RoomOptions } from '../support/room';
import type { Server } from '../support/server';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: [], games: ['connect-four', 'hex', 'chess'] } });

/** A room in which this browser plays both seats. */
async function openForBoth(server: Server, page: Page, options: Omit<RoomOptions, 'seats'>): Promise<RoomPage> {
  const opened = await openRoom(server, { ...options, seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  const room = new RoomPage(page);
  for (const path of opened.paths) {
    await page.goto('/');
    await page.goto(path);
    await expect(room.board).toBeVisible();
  }
  await expect(page.getByText('Your move (Anna)', { exact: true })).toBeVisible();
  return room;
}

/** Expects the name of a place to continue so after its id. */
async function expectPlace(room: RoomPage, id: string, rest: string): Promise<void> {
  await expect(room.point(id)).toHaveAccessibleName(new RegExp(`^${id}, ${rest}`));
}

test('connect-four is played by mouse to its end', async ({ server, page }) => {
  const room = await openForBoth(server, page, { game: 'connect-four', variant: 'standard' });
  await expect(room.board.getByRole('gridcell')).toHaveCount(42);
  // A click anywhere in a column drops a disc; its lowest free place gets it.
  for (const [clicked, place, color] of [
    ['d6', 'd1', 'red'],
    ['e2', 'e1', 'yellow'],
    ['d1', 'd2', 'red'],
    ['e6', 'e2', 'yellow'],
    ['d5', 'd3', 'red'],
    ['e3', 'e3', 'yellow'],
    ['d4', 'd4', 'red'],
  ] as const) {
    await room.point(clicked).click();
    await expectPlace(room, place, `${color}, last move`);
    await expect(page.getByText(`${color === 'red' ? 'Anna' : 'Bo'}: ${place[0]}.`)).toBeAttached();
  }
  await expect(page.getByText(/Anna \(red\) wins/i).first()).toBeVisible();
  await expect(room.point('a1')).toHaveAttribute('aria-disabled', 'true');
});

test('a typed move is read by the rules of the game', async ({ server, page }) => {
  const room = await openForBoth(server, page, { game: 'chess', variant: 'standard' });
  const type = async (text: string) => {
    await page.getByLabel('Type a move').fill(text);
    await page.getByLabel('Type a move').press('Enter');
  };
  await type('Nf3');
  await expectPlace(room, 'f3', 'white knight, last move');
  await type('Nf3');
  await expect(page.getByText(/Nf3/).first()).toBeVisible();
  await expectPlace(room, 'f6', 'empty');
  await type('Nf6');
  await expectPlace(room, 'f6', 'black knight, last move');
});

test('connect-four is played by keyboard', async ({ server, page }) => {
  const room = await openForBoth(server, page, { game: 'connect-four', variant: 'standard' });
  await room.point('a6').focus();
  await page.keyboard.press('Control+Home');
  await expect(room.point('a6')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await expect(room.point('b5')).toBeFocused();
  await page.keyboard.press('Enter');
  await expectPlace(room, 'b1', 'red, last move');
  await expect(room.point('b5')).toBeFocused();
  await page.keyboard.press('End');
  await expect(room.point('g5')).toBeFocused();
  await page.keyboard.press('Space');
  await expectPlace(room, 'g1', 'yellow, last move');
});

test('hex is played by mouse, with a swap by a button', async ({ server, page }) => {
  const room = await openForBoth(server, page, { game: 'hex', variant: 'pie-3' });
  await room.point('b2').click();
  await expectPlace(room, 'b2', 'red, last move');
  await room.button('Swap sides').click();
  await expect(room.button('Swap sides')).toHaveCount(0);
  // Anna is blue now and moves next; Bo connects the top with the bottom edge.
  for (const [place, color] of [
    ['a1', 'blue'],
    ['b1', 'red'],
    ['a2', 'blue'],
    ['b3', 'red'],
  ] as const) {
    await room.point(place).click();
    await expectPlace(room, place, color);
  }
  await expect(page.getByText(/Bo \(red\) wins/i).first()).toBeVisible();
});

test('hex is played by keyboard on a phone, and fits', async ({ server, person }) => {
  const { page } = await person({ viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true });
  const room = await openForBoth(server, page, { game: 'hex', variant: 'plain-5' });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(320);
  const cell = (await room.point('a1').boundingBox())!;
  expect(Math.min(cell.width, cell.height)).toBeGreaterThanOrEqual(24);
  // A cell is so small that the first tap only aims.
  await room.point('c3').tap();
  await expect(page.getByText('c3: tap again to play.')).toBeVisible();
  await room.point('c3').tap();
  await expectPlace(room, 'c3', 'red, last move');
  // The row below begins half a place further to the right. A cell that was tapped leaves the keys to the page.
  await room.point('b3').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  const focused = await page.locator('*:focus').getAttribute('data-cell');
  expect(focused).toMatch(/^[cd]4$/);
  await page.keyboard.press('Enter');
  await expectPlace(room, focused!, 'blue, last move');
});

test('described boards have no accessibility violations in both themes', async ({ server, page }) => {
  await injectAxe(page);
  for (const [game, variant, moves] of [
    ['connect-four', 'standard', ['d', 'e']],
    ['hex', 'pie-5', ['c3']],
  ] as const) {
    const opened = await openRoom(server, {
      game,
      variant,
      moves: [...moves],
      seats: [{ name: 'Anna' }, { name: 'Bo' }],
    });
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.goto(opened.paths[0]!);
      await expect(new RoomPage(page).board).toBeVisible();
      expect(await findViolations(page), `${game}, ${theme}`).toEqual([]);
    }
  }
});
