// The opening of a renju contest: three stones, the number of fifth moves, the swap, the fourth stone, the offers and the
// choice, each by the player who must decide.
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

test('a renju contest opens with a swap and two offered fifth moves', async ({ server, person }) => {
  const room = await openRoom(server, {
    variant: 'renju-contest',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  const [first, second] = [new RoomPage((await person()).page), new RoomPage((await person()).page)];
  await first.page.goto(room.paths[0]!);
  await second.page.goto(room.paths[1]!);

  await first.place('h8', 'black');
  await first.place('h9', 'white');
  await first.place('i9', 'black');
  const announcing = first.page.getByRole('group', { name: 'How many fifth moves do you offer?' });
  await announcing.getByRole('button', { name: '2', exact: true }).click();

  await expect(second.page.getByText('Swap colours?')).toBeVisible();
  await expect(first.button('Swap colours')).toBeHidden();
  await second.button('Swap colours').click();

  // Anna plays white now.
  await first.place('j9', 'white');
  for (const offer of ['h7', 'g7']) {
    const question = second.page.getByText('Offer a point for the fifth move.', { exact: false });
    await expect(question).toBeVisible();
    await second.point(offer).click();
    await expect(first.point(offer)).toHaveAccessibleName(/offer/);
  }
  await first.point('h7').click();
  await second.expectOn('h7', 'black');
  await second.expectOn('g7', 'empty');
  await first.place('a1', 'white');
  await second.place('o15', 'black');
});
