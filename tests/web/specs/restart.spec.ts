// The server is killed during a game and started again: both players continue.
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

const CONNECTION_LOST = /Connection lost/;

test('a restarted server restores the game and its clocks', async ({ server, person }) => {
  const room = await openRoom(server, {
    variant: 'freestyle',
    seats: [
      { name: 'Anna', budget: '1h+1m' },
      { name: 'Bo', budget: '1h+1m' },
    ],
  });
  const [black, white] = [new RoomPage((await person()).page), new RoomPage((await person()).page)];
  await black.page.goto(room.paths[0]!);
  await white.page.goto(room.paths[1]!);
  await black.place('h8', 'black');
  await white.place('h9', 'white');

  await server.kill();
  await expect(black.page.getByText(CONNECTION_LOST).first()).toBeVisible();
  await server.restart();
  await expect(black.page.getByText(CONNECTION_LOST)).toHaveCount(0);

  await black.expectOn('h9', 'white');
  await black.place('i8', 'black');
  await white.place('i9', 'white');
  await black.expectOn('i9', 'white');
  // Each move adds a minute, so the clock shows a little more than an hour.
  await expect(black.page.getByRole('timer').first()).toHaveText(/1:0[0-3]:/);
});
