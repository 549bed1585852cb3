// Names, messages of engines and reasons of refusals are text, whatever they hold: nothing of them
// becomes markup or runs, on any page that shows them.
import { expect, test } from '../support/test';
import { Line } from '../support/line';
import { openRoom, Table } from '../support/room';

const script = '<img src=x onerror="window.caught=1"><script>window.caught=1</script>';

test.use({ begin: { engines: ['random-mover', 'faulty'] } });

test('what people and engines say is shown as text', async ({ server, page }) => {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) complaints.push(message.text());
  });
  const name = `Anna ${script}`;
  const room = await openRoom(server, {
    variant: 'freestyle',
    seats: [
      { name },
      { name: '<b>Bo</b>', engine: { id: 'faulty', options: { fault: 'nonsense' } }, budget: '1s/move' },
    ],
  });
  const line = await Line.of(page);
  const table = new Table(page);
  await page.goto(room.paths[0]!);
  await expect(page.getByText(name).first()).toBeVisible();
  await expect(page.getByText('<b>Bo</b>').first()).toBeVisible();
  await table.lay('h8', 'black');
  await expect(page.getByText(/wins/).first()).toBeVisible();
  const log = page.getByRole('region', { name: 'Log' });
  line.say({ type: 'log', at_ply: 1, kind: 'engine', text: script });
  await expect(log).toContainText(script);
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.goto('/games');
  await expect(page.getByText(name).first()).toBeVisible();

  expect(await page.evaluate(() => (window as { caught?: number }).caught)).toBeUndefined();
  expect(await page.locator('img[src="x"]').count()).toBe(0);
  // Nothing of the client itself asks for what its policy forbids.
  expect(complaints).toEqual([]);
});
