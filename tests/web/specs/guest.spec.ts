// A server that requires a token, and a guest who has only an invite link.
import { readFile } from 'node:fs/promises';
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

test.use({ serverOptions: { engines: [], token: 'only-for-members-of-the-club' } });

test('a guest plays, navigates and saves with the link alone, and has no access to other pages', async ({
  server,
  person,
}) => {
  const opened = await openRoom(server, { variant: 'freestyle', seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  const [anna, bo] = [await person(), await person()];
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  const room = new RoomPage(anna.page);
  await room.place('h8', 'black');
  await new RoomPage(bo.page).place('i9', 'white');
  await room.expectOn('i9', 'white');
  const download = room.page.waitForEvent('download');
  await room.button('Download game').click();
  const record = JSON.parse(await readFile(await (await download).path(), 'utf8')) as { plies: unknown[] };
  expect(record.plies).toHaveLength(2);
  await room.button('To the start').click();
  await room.expectOn('h8', 'empty');
  // A new position in a variation, which the client requests from the server.
  await room.button('Try moves').click();
  await room.point('j10').click();
  await room.expectOn('j10', 'black');
  await expect(room.page.getByRole('alert')).toHaveCount(0);

  const stranger = await person();
  await stranger.page.goto(opened.spectatorPath);
  await expect(stranger.page.getByLabel('Token')).toBeVisible();
  await anna.page.goto('/games');
  await expect(anna.page.getByLabel('Token')).toBeVisible();
});
