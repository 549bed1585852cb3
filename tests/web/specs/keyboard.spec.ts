// A game is played with the keyboard alone: Tab, arrows, Enter and letters.
import type { Page } from '@playwright/test';
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

/** Presses Tab until an element has the focus, at most 80 times. */
async function tabTo(page: Page, role: string, name: RegExp): Promise<void> {
  for (let count = 0; count < 80; count += 1) {
    await page.keyboard.press('Tab');
    const focused = page.locator('*:focus');
    if ((await focused.count()) === 0) {
      continue;
    }
    const target = page.getByRole(role as 'button', { name }).and(focused);
    if ((await target.count()) > 0) {
      return;
    }
  }
  throw new Error(`no ${role} ${name} within 80 tab stops`);
}

test('Tab begins with the link to the content, on every page of the row', async ({ page }) => {
  for (const path of ['/', '/engines', '/operator']) {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to content' }), path).toBeFocused();
  }
});

test('the keyboard alone plays a game', async ({ server, page, person }) => {
  const opened = await openRoom(server, {
    variant: 'freestyle-9',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  const { page: other } = await person();
  await page.goto(opened.paths[0]!);
  await other.goto(opened.paths[1]!);
  const [black, white] = [new RoomPage(page), new RoomPage(other)];

  // The board has one tab stop; arrow keys go on from there.
  await expect(black.yourMove).toBeVisible();
  await page.bringToFront();
  await tabTo(page, 'gridcell', /./);
  await page.keyboard.press('Control+Home');
  for (const column of ['a', 'b', 'c', 'd', 'e']) {
    const point = `${column}9`;
    await expect(black.yourMove).toBeVisible();
    await expect(black.point(point)).toBeFocused();
    await page.keyboard.press('Enter');
    await black.expectOn(point, 'black');
    if (column === 'e') {
      break;
    }
    await white.place(`${column}1`, 'white');
    await page.keyboard.press('ArrowRight');
  }
  await expect(page.getByText(/Anna \(black\) wins/i).first()).toBeVisible();
});

test('a move can be typed', async ({ server, page }) => {
  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Chance', engine: { id: 'random-mover' }, budget: '1s/move' }],
  });
  const room = new RoomPage(page);
  await page.goto(opened.paths[0]!);
  await expect(room.yourMove).toBeVisible();
  await tabTo(page, 'textbox', /^Type a move/);
  await page.keyboard.type('z99');
  await page.keyboard.press('Enter');
  await expect(page.getByText('“z99” is not a legal move.').first()).toBeVisible();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('h8');
  await page.keyboard.press('Enter');
  await room.expectOn('h8', 'black');
});

for (const viewport of [
  { width: 360, height: 740 },
  { width: 740, height: 360 },
]) {
  test(`the button of the dialog covers no field that has the focus, in ${viewport.width}×${viewport.height}`, async ({
    person,
  }) => {
    const { page } = await person({ viewport });
    await page.goto('/');
    await page.getByRole('button', { name: 'New game' }).click();
    const dialog = page.getByRole('dialog');
    const start = dialog.getByRole('button', { name: 'Start game' });
    await expect(start).toBeInViewport({ ratio: 1 });
    for (const summary of await dialog.locator('summary').all()) {
      await summary.click();
    }
    await dialog.getByRole('button', { name: 'Close' }).focus();
    const covered: string[] = [];
    // An engine may have a hundred weights.
    for (let presses = 0; presses < 300; presses += 1) {
      await page.keyboard.press('Tab');
      if (await start.evaluate((button) => button === document.activeElement)) {
        break;
      }
      const name = await page.evaluate(() => {
        const focused = document.activeElement;
        const { left, top, width, height } = focused?.getBoundingClientRect() ?? new DOMRect();
        // Of a text of several lines, the browser shows the current one.
        const above = document.elementFromPoint(left + width / 2, top + Math.min(height, 40) - 3);
        return above?.closest('.end') == null ? null : (focused?.outerHTML ?? '');
      });
      if (name !== null) {
        covered.push(name);
      }
    }
    await expect(start).toBeFocused();
    expect(covered).toEqual([]);
    await expect(start).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/room\//);
  });
}
