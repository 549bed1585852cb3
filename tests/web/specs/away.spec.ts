// Somebody goes and does not come back. In a game without clocks the other may claim the win or have an
// engine sit down instead; where the time runs, it decides.
import { expect, test } from '../support/test';
import { type Opened, openRoom, Table } from '../support/room';
import type { Person } from '../support/test';
import type { Server } from '../support/server';

test.use({ begin: { engines: ['random-mover'], grace: 1 } });

const GONE = 'Bo has gone.';

/** A room of Anna's and Bo's in which Bo is to move, and has closed his browser. */
async function leftAlone(server: Server, person: () => Promise<Person>, budget: string): Promise<[Table, Opened]> {
  const room = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna', budget }, { name: 'Bo', budget }],
  });
  const [anna, bo] = [await person(), await person()];
  const table = new Table(anna.page);
  await anna.page.goto(room.paths[0]!);
  await bo.page.goto(room.paths[1]!);
  await table.lay('h8', 'black');
  await new Table(bo.page).expectOn('h8', 'black');
  await expect(table.button('Claim the win')).toHaveCount(0);
  await bo.context.close();
  return [table, room];
}

test('the win is claimed against somebody gone', async ({ server, person }) => {
  const [table] = await leftAlone(server, person, 'none');
  await expect(table.page.getByText(GONE)).toBeVisible();
  await table.button('Claim the win').click();
  await expect(table.page.getByText('Anna (Black) wins', { exact: true })).toBeVisible();
  await expect(table.button('Claim the win')).toHaveCount(0);
});

test('an engine sits down for somebody gone, and plays', async ({ server, person }) => {
  const [table] = await leftAlone(server, person, 'none');
  await expect(table.page.getByText(GONE)).toBeVisible();
  await table.button('Seat an engine for White').click();
  const dialog = table.page.getByRole('dialog', { name: 'Seat an engine for White' });
  await dialog.getByRole('combobox', { name: 'Engine' }).selectOption('random-mover');
  await dialog.getByRole('button', { name: 'Seat the engine' }).click();
  await expect(table.stones('white')).toHaveCount(1);
  await expect(table.page.getByText(GONE)).toHaveCount(0);
  await table.layAnywhere('a1', 'black');
  await expect(table.stones('white')).toHaveCount(2);
});

test('where his time runs, nothing can be claimed', async ({ server, person }) => {
  const [table] = await leftAlone(server, person, '60m');
  await expect(table.page.getByText(GONE)).toBeVisible();
  await expect(table.button('Seat an engine for White')).toBeVisible();
  await expect(table.button('Claim the win')).toHaveCount(0);
});
