// Clocks of persons: the first move is free for a time, and a player who loses on time has nothing left on the clock.
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

test.use({ serverOptions: { engines: [] } });

for (const { budget, first } of [
  { budget: '2s', first: '0:02.0' },
  { budget: '2s/move', first: '0:02.0' },
]) {
  test(`a loss on time with ${budget}`, async ({ server, person }) => {
    const opened = await openRoom(server, {
      variant: 'freestyle',
      seats: ['Anna', 'Bo'].map((name) => ({ name, budget })),
      settings: { grace_ms: 0, first_move_ms: 600_000 },
    });
    const [anna, bo] = [await person(), await person()];
    await anna.page.goto(opened.paths[0]!);
    await bo.page.goto(opened.paths[1]!);
    const [black, white] = [new RoomPage(anna.page), new RoomPage(bo.page)];
    await expect(black.yourMove).toBeVisible();
    const card = anna.page.getByRole('group', { name: 'Anna, Black' });
    const clock = card.getByRole('timer');
    // The clock waits for the first move, for longer than the player has.
    await expect(card.getByText(/^starts in 5\d\d s$/)).toBeVisible();
    await expect(clock).toHaveText(first);
    await expect(anna.page.getByText('A person’s first move is free for 600 s.')).toBeVisible();
    await black.place('h8', 'black');
    await white.place('h9', 'white');
    // From the second move on the time counts.
    await expect(card.getByText(/^starts in/)).toHaveCount(0);
    for (const page of [anna.page, bo.page]) {
      await expect(page.getByText('Anna ran out of time').first()).toBeVisible();
      await expect(page.getByRole('group', { name: 'Anna, Black' }).getByRole('timer')).toHaveText('0:00.0');
    }
  });
}

test('a late move is allowed, and the page says how late', async ({ server, person }) => {
  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: ['Anna', 'Bo'].map((name) => ({ name, budget: '100ms/move' })),
    settings: { grace_ms: 60_000, first_move_ms: 0 },
  });
  const [anna, bo] = [await person(), await person()];
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  const [black, white] = [new RoomPage(anna.page), new RoomPage(bo.page)];
  await expect(anna.page.getByText('A move may be up to 60 s late.')).toBeVisible();
  await expect(anna.page.getByRole('group', { name: 'Anna, Black' }).getByRole('timer')).toHaveText('0:00.0');
  await black.place('h8', 'black');
  await white.place('h9', 'white');
  await black.place('i8', 'black');
});
