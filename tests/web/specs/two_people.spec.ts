// Two people in two browsers play each other over a link; one loses the connection and comes back.
import { expect, test } from '../support/test';
import { Line } from '../support/line';
import { openRoom, Table } from '../support/room';

test('two browsers play over a link, and one is away for a while', async ({ server, person }) => {
  const room = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  const [anna, bo] = [await person(), await person()];
  const line = await Line.of(bo.page);
  const [black, white] = [new Table(anna.page), new Table(bo.page)];
  await anna.page.goto(room.paths[0]!);
  await bo.page.goto(room.paths[1]!);

  await black.lay('h8', 'black');
  await white.expectOn('h8', 'black');
  await white.lay('h9', 'white');
  await black.expectOn('h9', 'white');

  await line.cut();
  await expect(bo.page.getByText('The connection is lost', { exact: false }).first()).toBeVisible();
  await expect(anna.page.getByText('Bo is away.').first()).toBeVisible();
  await black.lay('i8', 'black');
  line.mend();
  await white.expectOn('i8', 'black');
  await expect(anna.page.getByText('Bo is back.').first()).toBeAttached();

  for (const [his, hers] of [['i9', 'j8'], ['j9', 'k8'], ['k9', 'l8']] as const) {
    await white.lay(his, 'white');
    await black.lay(hers, 'black');
  }
  for (const table of [black, white]) {
    await expect(table.page.getByText(/Anna \(black\) wins/i).first()).toBeVisible();
  }
});
