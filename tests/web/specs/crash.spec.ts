// An engine that crashes ends its own game: the page says who won, and why.
import { expect, test } from '../support/test';
import { openRoom, Table } from '../support/room';

test.use({ begin: { engines: ['random-mover', 'faulty'] } });

test('an engine that crashes is shown with its reason', async ({ server, page }) => {
  const room = await openRoom(server, {
    variant: 'freestyle',
    seats: [
      { name: 'Anna' },
      { name: 'Humpty', engine: { id: 'faulty', options: { fault: 'panic' } }, budget: '1s/move' },
    ],
  });
  const table = new Table(page);
  await page.goto(room.paths[0]!);
  await table.lay('h8', 'black');
  await expect(page.getByText(/Anna \(black\) wins/i).first()).toBeVisible();
  await expect(page.getByRole('region', { name: 'Log' })).toContainText(/panic/i);
});
