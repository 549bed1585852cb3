// Links of rooms that are gone, and links with a wrong ticket: a message, and a way back.
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

test('a dead link says so and leads back', async ({ server, page, person }) => {
  const { id } = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  for (const [path, reason] of [
    ['/room/0123456789abcdef', 'there is no such room'],
    ['/room/0123456789abcdef#a-ticket', 'there is no such room'],
  ] as const) {
    const { page } = await person();
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This room does not exist, or it is closed.');
    await expect(page.getByRole('alert')).toContainText(reason);
    await page.getByRole('main').getByRole('link').click();
    await expect(page.getByRole('button', { name: 'New game' }).first()).toBeVisible();
  }
  await page.goto(`/room/${id}`);
  await expect(page.getByRole('grid')).toBeVisible();
});

test('a link with a wrong ticket says so, and the game can be watched', async ({ server, page }) => {
  const { id } = await openRoom(server, { variant: 'freestyle', seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  await page.goto(`/room/${id}#of-another-room`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This link is not valid for this room.');
  await expect(page.getByRole('alert')).toContainText('this is not a ticket of the room');
  await page.getByRole('button', { name: 'Watch the game' }).click();
  await expect(page.getByRole('grid')).toBeVisible();
  await page.goto(`/room/${id}`);
  await expect(page.getByRole('grid')).toBeVisible();
});

test('a link that was cut does not take the place of the one that was used before', async ({ server, person }) => {
  const opened = await openRoom(server, { variant: 'freestyle', seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  const [{ page }, { page: other }] = [await person(), await person()];
  await page.goto(opened.paths[0]!);
  await other.goto(opened.paths[1]!);
  const room = new RoomPage(page);
  await expect(room.yourMove).toBeVisible();
  for (const path of [opened.paths[0]!.slice(0, -3), opened.spectatorPath]) {
    await page.goto('about:blank');
    await page.goto(path);
    await expect(room.yourMove).toBeVisible();
  }
  await room.place('h8', 'black');
});
