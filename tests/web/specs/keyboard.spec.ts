// The keyboard alone opens a game and plays it: every step is Tab, arrows, Enter and letters.
import type { Page } from '@playwright/test';
import { expect, test } from '../support/test';
import { openRoom, Table } from '../support/room';

/** Presses Tab until the focus is where it is wanted; a person would, too, but not for ever. */
async function tabTo(page: Page, role: string, name: RegExp): Promise<void> {
  for (let stop = 0; stop < 80; stop += 1) {
    await page.keyboard.press('Tab');
    const here = page.locator('*:focus');
    if ((await here.count()) === 0) continue;
    const found = page.getByRole(role as 'button', { name }).and(here);
    if ((await found.count()) > 0) return;
  }
  throw new Error(`no ${role} ${name} within 80 stops`);
}

test('the keyboard alone plays a game', async ({ server, page, person }) => {
  const room = await openRoom(server, {
    variant: 'freestyle-9',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  const { page: other } = await person();
  await page.goto(room.paths[0]!);
  await other.goto(room.paths[1]!);
  const [black, white] = [new Table(page), new Table(other)];

  // On the board: one tab stop, the middle; arrows from there.
  await expect(black.myMove).toBeVisible();
  await page.bringToFront();
  await tabTo(page, 'gridcell', /./);
  await page.keyboard.press('Control+Home');
  for (const column of ['a', 'b', 'c', 'd', 'e']) {
    const point = `${column}9`;
    await expect(black.myMove).toBeVisible();
    await expect(black.point(point)).toBeFocused();
    await page.keyboard.press('Enter');
    await black.expectOn(point, 'black');
    if (column === 'e') break;
    await white.lay(`${column}1`, 'white');
    await page.keyboard.press('ArrowRight');
  }
  await expect(page.getByText(/Anna \(black\) wins/i).first()).toBeVisible();
});

test('a move can be typed', async ({ server, page }) => {
  const room = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Chance', engine: { id: 'random-mover' }, budget: '1s/move' }],
  });
  const table = new Table(page);
  await page.goto(room.paths[0]!);
  await expect(table.myMove).toBeVisible();
  await tabTo(page, 'textbox', /^Move, typed/);
  await page.keyboard.type('z99');
  await page.keyboard.press('Enter');
  await expect(page.getByText('“z99” is not legal here.').first()).toBeVisible();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('h8');
  await page.keyboard.press('Enter');
  await table.expectOn('h8', 'black');
});
