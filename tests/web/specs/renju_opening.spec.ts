// The opening of renju contests by two people: three stones, announced fifths, the swap, the fourth
// stone, the offers and the pick, each asked of the one whose turn it is.
import { expect, test } from '../support/test';
import { openRoom, Table } from '../support/room';

test('a renju contest opens with a swap and two offered fifth moves', async ({ server, person }) => {
  const room = await openRoom(server, {
    variant: 'renju-contest',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  const [first, second] = [new Table((await person()).page), new Table((await person()).page)];
  await first.page.goto(room.paths[0]!);
  await second.page.goto(room.paths[1]!);

  await first.lay('h8', 'black');
  await first.lay('h9', 'white');
  await first.lay('i9', 'black');
  const announcing = first.page.getByRole('group', { name: 'How many points for the fifth stone?' });
  await announcing.getByRole('button', { name: '2', exact: true }).click();

  await expect(second.page.getByText('Exchange the colours?')).toBeVisible();
  await expect(first.button('Exchange colours')).toBeHidden();
  await second.button('Exchange colours').click();

  // Anna is white now.
  await first.lay('j9', 'white');
  for (const offer of ['h7', 'g7']) {
    const asked = second.page.getByText('Offer a point for the fifth stone.', { exact: false });
    await expect(asked).toBeVisible();
    await second.point(offer).click();
    await expect(first.point(offer)).toHaveAccessibleName(/offer/);
  }
  await first.point('h7').click();
  await second.expectOn('h7', 'black');
  await second.expectOn('g7', 'empty');
  await first.lay('a1', 'white');
  await second.lay('o15', 'black');
});
