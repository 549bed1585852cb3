// The server is killed in mid-game and started again: both people go on where they were.
import { expect, test } from '../support/test';
import { openRoom, Table } from '../support/room';

const lost = /The connection is lost/;

test('a killed server brings the game back, with its clocks', async ({ server, person }) => {
  const room = await openRoom(server, {
    variant: 'freestyle',
    seats: [
      { name: 'Anna', budget: '1h+1m' },
      { name: 'Bo', budget: '1h+1m' },
    ],
  });
  const [black, white] = [new Table((await person()).page), new Table((await person()).page)];
  await black.page.goto(room.paths[0]!);
  await white.page.goto(room.paths[1]!);
  await black.lay('h8', 'black');
  await white.lay('h9', 'white');

  await server.kill();
  await expect(black.page.getByText(lost).first()).toBeVisible();
  await server.restart();
  await expect(black.page.getByText(lost)).toHaveCount(0);

  await black.expectOn('h9', 'white');
  await black.lay('i8', 'black');
  await white.lay('i9', 'white');
  await black.expectOn('i9', 'white');
  // A minute is won at each move: nobody can have less than he began with, or much more.
  await expect(black.page.getByRole('timer').first()).toHaveText(/1:0[0-3]:/);
});
