// The resources that an engine used in a game are shown on its page, with a link to the game.
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

test.use({ serverOptions: { engines: ['random-mover'] } });

test('an engine shows its resource use after a game', async ({ server, page }) => {
  await page.goto('/engines/random-mover');
  await expect(page.getByText('No stored games.')).toBeVisible();

  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Chance', engine: { id: 'random-mover' }, budget: '1s/move' }],
  });
  const room = new RoomPage(page);
  await page.goto(opened.paths[0]!);
  for (const [nth, point] of ['a1', 'c3'].entries()) {
    await room.placeInRow(point, 'black');
    await expect(room.stones('white')).toHaveCount(nth + 1);
  }
  await room.resign();
  await expect(page.getByText('Chance (White) wins', { exact: true })).toBeVisible();

  await page.getByRole('link', { name: 'Engines' }).click();
  await page.getByRole('link', { name: 'random-mover' }).click();
  const row = page.getByRole('row').filter({ has: page.getByRole('cell') });
  await expect(row).toHaveCount(1);
  const heads = await page.getByRole('columnheader').allTextContents();
  const cell = (column: string) => row.getByRole('cell').nth(heads.indexOf(column));
  await expect(cell('Result')).toContainText(/^won.*resign/);
  await expect(cell('Moves')).toHaveText('2');
  await expect(cell('Time')).toHaveText(/^0:\d\d/);
  await expect(cell('Memory')).toHaveText(/^\d+ MiB$/);
  await expect(cell('Faults')).toHaveText('none');

  await row.getByRole('link', { name: /^Replay: Gomoku/ }).click();
  await expect(page).toHaveURL(new RegExp(`/replay/${opened.id}$`));
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Chance');
});
