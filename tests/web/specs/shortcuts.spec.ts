// The keys of pages with a board: steps, flip, zen mode, back to the game, help. They work wherever the focus is, but not in
// fields, and letters can be switched off.
import { openRoom, RoomPage } from '../support/room';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: [] } });

const MOVES = ['h8', 'i9', 'h9', 'h7'];

test('keys step through the game, flip the board and hide what is not the game', async ({ server, page, person }) => {
  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
    moves: MOVES,
  });
  await page.goto(opened.paths[0]!);
  await (await person()).page.goto(opened.paths[1]!);
  const room = new RoomPage(page);
  await expect(room.yourMove).toBeVisible();
  const current = page.getByRole('group', { name: 'Moves' }).locator('[aria-current]').first();
  const press = async (key: string, expected: string) => {
    await page.keyboard.press(key);
    await expect(current, key).toHaveText(expected);
  };
  await press('ArrowLeft', 'h9');
  await press('ArrowLeft', 'i9');
  await press('ArrowRight', 'h9');
  await press('ArrowUp', 'Start');
  await press('ArrowDown', 'h7');
  await press('ArrowLeft', 'h9');
  await press(' ', 'h7');

  const firstCell = page.getByRole('gridcell').first();
  await expect(firstCell).toHaveAccessibleName(/^a15,/);
  await page.keyboard.press('f');
  await expect(firstCell).toHaveAccessibleName(/^o1,/);
  await page.keyboard.press('f');
  await expect(firstCell).toHaveAccessibleName(/^a15,/);

  const header = page.getByRole('banner');
  const size = async () => (await page.getByRole('grid').boundingBox())?.height ?? 0;
  const before = await size();
  await page.keyboard.press('z');
  await expect(header).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Game log' })).toBeHidden();
  await expect(room.yourMove).toBeVisible();
  expect(await size()).toBeGreaterThan(before);
  await page.getByRole('button', { name: /^Zen mode/ }).click();
  await expect(header).toBeVisible();

  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard' });
  await expect(help.getByText('Flip board')).toBeVisible();
  // In a dialog the keys of the page do nothing.
  await page.keyboard.press('f');
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
  await expect(firstCell).toHaveAccessibleName(/^a15,/);

  // A field has all letters for itself.
  await page.getByRole('textbox', { name: 'Type a move' }).fill('f');
  await page.keyboard.press('z');
  await expect(header).toBeVisible();
  await expect(firstCell).toHaveAccessibleName(/^a15,/);
});

test('after a click on the board, keys are those of the page', async ({ server, page, person }) => {
  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
    moves: MOVES,
  });
  await page.goto(opened.paths[0]!);
  const { page: boPage } = await person();
  await boPage.goto(opened.paths[1]!);
  const [room, bo] = [new RoomPage(page), new RoomPage(boPage)];
  await room.place('j10', 'black');
  await bo.place('j11', 'white');
  await expect(room.yourMove).toBeVisible();
  const list = page.getByRole('group', { name: 'Moves' });
  const current = list.locator('[aria-current]').first();
  await page.keyboard.press('ArrowLeft');
  await expect(current).toHaveText('j10');
  await page.keyboard.press('ArrowLeft');
  await expect(current).toHaveText('h7');
  await page.keyboard.press('Space');
  await expect(current).toHaveText('j11');
  // Enter does nothing: on this cell it would say why no stone can be placed there.
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowLeft');
  await expect(current).toHaveText('j10');
  await page.keyboard.press('Space');
  await expect(current).toHaveText('j11');
  await expect(page.locator('.refusal')).toHaveCount(0);
  // The tab key leads to the cells, which then have the keys.
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await expect(room.point('j10')).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(room.point('i10')).toBeFocused();
  await expect(current).toHaveText('j11');
  await page.keyboard.press('Space');
  await room.expectOn('i10', 'black');
});

test('letters can be switched off', async ({ server, page, person }) => {
  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
    moves: MOVES,
  });
  await page.goto(opened.paths[0]!);
  await (await person()).page.goto(opened.paths[1]!);
  const firstCell = page.getByRole('gridcell').first();
  await expect(firstCell).toHaveAccessibleName(/^a15,/);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('checkbox', { name: /letters and the space key/ }).uncheck();
  await page.keyboard.press('Escape');
  await page.keyboard.press('f');
  await page.keyboard.press('ArrowLeft');
  const current = page.getByRole('group', { name: 'Moves' }).locator('[aria-current]').first();
  await expect(current).toHaveText('h9');
  await expect(firstCell).toHaveAccessibleName(/^a15,/);
});
