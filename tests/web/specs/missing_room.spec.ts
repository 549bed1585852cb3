// Links of rooms that are gone, and links with a wrong ticket: a message, and a way back.
import { expect, test } from '../support/test';
import { openRoom } from '../support/room';

test('a dead link says so and leads back', async ({ server, page, person }) => {
  const { id } = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  for (const [path, reason] of [
    ['/room/0123456789abcdef', 'there is no such room'],
    ['/room/0123456789abcdef#a-ticket', 'there is no such room'],
    [`/room/${id}#of-another-room`, 'this is not a ticket of the room'],
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
