// A player looks at an earlier position while the game goes on. A click on the board tries a move only after “Try moves”.
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

test('a player who looks back must choose to try moves', async ({ server, person }) => {
  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  const [anna, bo] = [await person(), await person()];
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  const room = new RoomPage(anna.page);
  await room.place('h8', 'black');
  await new RoomPage(bo.page).place('h9', 'white');
  await expect(room.yourMove).toBeVisible();

  await room.button('One move back').click();
  await room.expectOn('h9', 'empty');
  await expect(room.yourMove).toHaveCount(0);
  await expect(anna.page.getByText('It is your move in the game. The board shows another position.')).toBeVisible();
  await expect(anna.page.getByText('To try some here, choose “Try moves”.')).toBeVisible();
  await room.point('j8').click({ force: true });
  // The answer to a click comes in this page alone: after another control has worked, it has been handled.
  await room.button('One move back').click();
  await room.button('One move forward').click();
  await room.expectOn('h8', 'black');
  await room.expectOn('h9', 'empty');
  await expect(anna.page.getByRole('group', { name: 'Moves' }).getByRole('button', { name: 'j8' })).toHaveCount(0);
  await expect(anna.page.getByText('Analysis: these moves are not sent.')).toHaveCount(0);

  await room.button('Try moves').click();
  await room.point('j8').click();
  await room.expectOn('j8', 'white');
  await expect(anna.page.getByText('Analysis: these moves are not sent.')).toBeVisible();

  await room.button('Back to the game').click();
  await room.expectOn('j8', 'empty');

  // After the last trial the player is back in the game.
  await room.button('Try moves').click();
  await room.point('k8').click();
  await room.expectOn('k8', 'black');
  await room.button('Try moves').click();
  await room.expectOn('k8', 'empty');
  await expect(anna.page.getByText('Analysis: these moves are not sent.')).toHaveCount(0);
  await room.place('i8', 'black');
  await new RoomPage(bo.page).expectOn('i8', 'black');
});
