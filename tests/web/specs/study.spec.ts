// A game against an engine is paused, taken back by three, saved as a record, looked at again after
// reloading, and gone on with.
import { readFile } from 'node:fs/promises';
import { expect, test } from '../support/test';
import { openRoom, Table } from '../support/room';

test('pause, take back three, save, reload, resume', async ({ server, page }) => {
  const room = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Chance', engine: { id: 'random-mover' }, budget: '1s/move' }],
    settings: { undo: true, draw_offers: true },
  });
  const table = new Table(page);
  await page.goto(room.paths[0]!);
  for (const point of ['a1', 'c3', 'e5']) await table.layAnywhere(point, 'black');
  await expect(table.stones('black')).toHaveCount(3);
  await expect(table.stones('white')).toHaveCount(3);

  await table.button('Pause').click();
  await expect(table.button('Resume')).toBeVisible();
  await page.getByRole('spinbutton', { name: 'How many moves' }).fill('3');
  await table.button('Take back').click();
  // The engine has the move: it stands still until the game goes on.
  await expect(table.stones('black')).toHaveCount(2);
  await expect(table.stones('white')).toHaveCount(1);

  const saving = page.waitForEvent('download');
  await table.button('Save the record').click();
  const record = JSON.parse(await readFile(await (await saving).path(), 'utf8'));
  expect(record.plies).toHaveLength(3);

  await page.reload();
  await expect(table.stones('black')).toHaveCount(2);
  await table.button('Resume').click();
  await expect(table.stones('white')).toHaveCount(2);
  await expect(table.myMove).toBeVisible();
});
