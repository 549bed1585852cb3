// A server that wants a token, and somebody who was given no more than the link to a seat.
import { readFile } from 'node:fs/promises';
import { expect, test } from '../support/test';
import { openRoom, Table } from '../support/room';

test.use({ begin: { engines: [], token: 'only-for-members-of-the-club' } });

test('a guest plays by the link alone, looks back, saves, and sees nothing else', async ({ server, person }) => {
  const room = await openRoom(server, { variant: 'freestyle', seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  const [anna, bo] = [await person(), await person()];
  await anna.page.goto(room.paths[0]!);
  await bo.page.goto(room.paths[1]!);
  const table = new Table(anna.page);
  await table.lay('h8', 'black');
  await new Table(bo.page).lay('i9', 'white');
  await table.expectOn('i9', 'white');
  const saving = table.page.waitForEvent('download');
  await table.button('Save the record').click();
  expect(JSON.parse(await readFile(await (await saving).path(), 'utf8')).plies).toHaveLength(2);
  await table.button('To the start').click();
  await table.expectOn('h8', 'empty');
  // A try that nobody has told the position of, so that the rules are asked.
  await table.button('Try moves').click();
  await table.point('j10').click();
  await table.expectOn('j10', 'black');
  await expect(table.page.getByRole('alert')).toHaveCount(0);

  const stranger = await person();
  await stranger.page.goto(room.watch);
  await expect(stranger.page.getByLabel('Token')).toBeVisible();
  await anna.page.goto('/games');
  await expect(anna.page.getByLabel('Token')).toBeVisible();
});
