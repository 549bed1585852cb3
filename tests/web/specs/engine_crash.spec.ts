// An engine that crashes loses its game; the page shows the winner and the reason.
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

test.use({ serverOptions: { engines: ['random-mover', 'faulty'] } });

test('a crash of an engine is shown with its reason', async ({ server, page }) => {
  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: [
      { name: 'Anna' },
      { name: 'Humpty', engine: { id: 'faulty', options: { fault: 'panic' } }, budget: '1s/move' },
    ],
  });
  const room = new RoomPage(page);
  await page.goto(opened.paths[0]!);
  await room.place('h8', 'black');
  await expect(page.getByText(/Anna \(black\) wins/i).first()).toBeVisible();
  await expect(page.getByRole('region', { name: 'Log' })).toContainText(/panic/i);
});
