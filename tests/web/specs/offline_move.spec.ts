// A move that is made without a connection is marked, said to wait, and sent when the connection is back; the browser's own
// notice that it has no network is enough to see that the connection is lost. Moves that were taken back look so.
import { expect, test } from '../support/test';
import { PageConnection } from '../support/connection';
import { openRoom, RoomPage } from '../support/room';

test.use({ serverOptions: { engines: [] } });

test('a move without a connection is sent later', async ({ server, person }) => {
  const opened = await openRoom(server, { variant: 'freestyle', seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  const [anna, bo] = [await person(), await person()];
  const connection = await PageConnection.of(anna.page);
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  const [black, white] = [new RoomPage(anna.page), new RoomPage(bo.page)];
  await black.place('h8', 'black');
  await white.place('h9', 'white');
  await expect(black.yourMove).toBeVisible();

  await connection.cut();
  const waits = anna.page.getByText('Your move i8 is sent when the connection is back.');
  await expect(anna.page.getByText('Connection lost', { exact: false }).first()).toBeVisible();
  await black.point('i8').click();
  await expect(waits).toBeVisible();
  await expect(black.point('i8')).toHaveAccessibleName(/hint/);
  // Another move is not added to it.
  await black.point('k8').click({ force: true });
  await white.expectOn('i8', 'empty');
  connection.restore();
  await white.expectOn('i8', 'black');
  await black.expectOn('i8', 'black');
  await expect(waits).toHaveCount(0);
  await white.expectOn('k8', 'empty');
  await expect(anna.page.getByRole('alert')).toHaveCount(0);
});

test('a browser without network says so at once', async ({ server, person }) => {
  const opened = await openRoom(server, { variant: 'freestyle', seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  const [anna, bo] = [await person(), await person()];
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  await new RoomPage(anna.page).place('h8', 'black');
  await expect(new RoomPage(bo.page).yourMove).toBeVisible();
  await anna.context.setOffline(true);
  await expect(anna.page.getByText('Connection lost', { exact: false }).first()).toBeVisible({ timeout: 15_000 });
  await new RoomPage(bo.page).place('h9', 'white');
  await anna.context.setOffline(false);
  await new RoomPage(anna.page).expectOn('h9', 'white');
});

test('moves that were taken back are struck out', async ({ server, person }) => {
  const opened = await openRoom(server, { variant: 'freestyle', seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  const [anna, bo] = [await person(), await person()];
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  const [black, white] = [new RoomPage(anna.page), new RoomPage(bo.page)];
  await black.place('h8', 'black');
  await white.place('h9', 'white');
  await black.button('Undo').click();
  await white.button('Accept').click();
  const list = anna.page.getByRole('group', { name: 'Moves' });
  await expect(list.getByRole('button', { name: /^h8 ?, undone$/ })).toBeVisible();
  await expect(list.locator('s')).toHaveText(['h8', 'h9']);
  await black.place('h8', 'black');
  await expect(list.locator('s')).toHaveText(['h9']);
  await white.place('i9', 'white');
  await expect(list.getByRole('button', { name: 'i9', exact: true })).toBeVisible();
  await expect(list.locator('s')).toHaveText(['h9']);
});
