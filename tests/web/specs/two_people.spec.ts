// Two persons in two browsers play each other; one loses the connection and reconnects.
import { expect, test } from '../support/test';
import { PageConnection } from '../support/connection';
import { openRoom, RoomPage } from '../support/room';

test('two browsers play each other, and one is disconnected for a while', async ({ server, person }) => {
  const room = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  const [anna, bo] = [await person(), await person()];
  const connection = await PageConnection.of(bo.page);
  const [black, white] = [new RoomPage(anna.page), new RoomPage(bo.page)];
  await anna.page.goto(room.paths[0]!);
  await bo.page.goto(room.paths[1]!);

  await black.place('h8', 'black');
  await white.expectOn('h8', 'black');
  await white.place('h9', 'white');
  await black.expectOn('h9', 'white');

  await connection.cut();
  await expect(bo.page.getByText('Connection lost', { exact: false }).first()).toBeVisible();
  await expect(anna.page.getByText('Bo is away.').first()).toBeVisible();
  await black.place('i8', 'black');
  connection.restore();
  await white.expectOn('i8', 'black');
  await expect(anna.page.getByText('Bo is back.').first()).toBeAttached();

  for (const [whiteMove, blackMove] of [
    ['i9', 'j8'],
    ['j9', 'k8'],
    ['k9', 'l8'],
  ] as const) {
    await white.place(whiteMove, 'white');
    await black.place(blackMove, 'black');
  }
  for (const player of [black, white]) {
    await expect(player.page.getByText(/Anna \(black\) wins/i).first()).toBeVisible();
  }
});
