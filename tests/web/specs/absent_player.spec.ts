// A player leaves for good. Without clocks the opponent may claim the win or let an engine play; with clocks the time
// decides.
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';
import type { Person } from '../support/test';
import type { Server } from '../support/server';

test.use({ serverOptions: { engines: ['random-mover'], grace: 1 } });

const GONE = 'Bo has left the game.';

/** A room of Anna and Bo in which Bo is to move and has closed the browser. Returns Anna's page. */
async function openAbandonedRoom(server: Server, person: () => Promise<Person>, budget: string): Promise<RoomPage> {
  const room = await openRoom(server, {
    variant: 'freestyle',
    seats: [
      { name: 'Anna', budget },
      { name: 'Bo', budget },
    ],
  });
  const [anna, bo] = [await person(), await person()];
  const page = new RoomPage(anna.page);
  await anna.page.goto(room.paths[0]!);
  await bo.page.goto(room.paths[1]!);
  await page.place('h8', 'black');
  await new RoomPage(bo.page).expectOn('h8', 'black');
  await expect(page.button('Claim the win')).toHaveCount(0);
  await bo.context.close();
  return page;
}

test('the win is claimed against a player who left', async ({ server, person }) => {
  const room = await openAbandonedRoom(server, person, 'none');
  await expect(room.page.getByText(GONE)).toBeVisible();
  await room.button('Claim the win').click();
  await expect(room.page.getByText('Anna (Black) wins', { exact: true })).toBeVisible();
  await expect(room.button('Claim the win')).toHaveCount(0);
});

test('an engine plays for a player who left', async ({ server, person }) => {
  const room = await openAbandonedRoom(server, person, 'none');
  await expect(room.page.getByText(GONE)).toBeVisible();
  await room.button('Let an engine play White').click();
  const dialog = room.page.getByRole('dialog', { name: 'Let an engine play White' });
  await dialog.getByRole('combobox', { name: 'Engine' }).selectOption('random-mover');
  await dialog.getByRole('button', { name: 'Let the engine play' }).click();
  await expect(room.stones('white')).toHaveCount(1);
  await expect(room.page.getByText(GONE)).toHaveCount(0);
  await room.placeInRow('a1', 'black');
  await expect(room.stones('white')).toHaveCount(2);
});

test('with a clock the win cannot be claimed', async ({ server, person }) => {
  const room = await openAbandonedRoom(server, person, '60m');
  await expect(room.page.getByText(GONE)).toBeVisible();
  await expect(room.button('Let an engine play White')).toBeVisible();
  await expect(room.button('Claim the win')).toHaveCount(0);
});
