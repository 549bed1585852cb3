// What an engine took in a game stands on its card afterwards, with the way to that game.
import { expect, test } from '../support/test';
import { openRoom, Table } from '../support/room';

test.use({ begin: { engines: ['random-mover'] } });

test('an engine has a receipt for a game, and none before', async ({ server, page }) => {
  const title = page.getByText('Last games and what they took');
  await page.goto('/engines');
  await title.click();
  await expect(page.getByText('It has played no game that is kept.')).toBeVisible();

  const room = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Chance', engine: { id: 'random-mover' }, budget: '1s/move' }],
  });
  const table = new Table(page);
  await page.goto(room.paths[0]!);
  for (const [nth, point] of ['a1', 'c3'].entries()) {
    await table.layAnywhere(point, 'black');
    await expect(table.stones('white')).toHaveCount(nth + 1);
  }
  await table.resign();
  await expect(page.getByText('Chance (White) wins', { exact: true })).toBeVisible();

  await page.getByRole('link', { name: 'Engines' }).click();
  await title.click();
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
  await expect(page).toHaveURL(new RegExp(`/replay/${room.id}$`));
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Chance');
});
