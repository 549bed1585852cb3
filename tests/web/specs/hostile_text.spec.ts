// Names and engine output are shown as text: no markup in them takes effect on any page.
import { expect, test } from '../support/test';
import { PageConnection } from '../support/connection';
import { openRoom, RoomPage } from '../support/room';

const script = '<img src=x onerror="window.caught=1"><script>window.caught=1</script>';

test.use({ serverOptions: { engines: ['random-mover', 'faulty'] } });

test('texts of persons and engines are shown as text', async ({ server, page }) => {
  /** Console messages about the content security policy. */
  const policyViolations: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) {
      policyViolations.push(message.text());
    }
  });
  const name = `Anna ${script}`;
  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: [
      { name },
      { name: '<b>Bo</b>', engine: { id: 'faulty', options: { fault: 'malformed-move' } }, budget: '1s/move' },
    ],
  });
  const connection = await PageConnection.of(page);
  const room = new RoomPage(page);
  await page.goto(opened.paths[0]!);
  await expect(page.getByText(name).first()).toBeVisible();
  await expect(page.getByText('<b>Bo</b>').first()).toBeVisible();
  await room.place('h8', 'black');
  await expect(page.getByText(/wins/).first()).toBeVisible();
  const log = page.getByRole('region', { name: 'Log' });
  connection.deliver({ type: 'log', at_ply: 1, kind: 'engine', text: script });
  await expect(log).toContainText(script);
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.goto('/games');
  await expect(page.getByText(name).first()).toBeVisible();

  expect(await page.evaluate(() => (window as { caught?: number }).caught)).toBeUndefined();
  expect(await page.locator('img[src="x"]').count()).toBe(0);
  // The client itself does nothing that its policy forbids.
  expect(policyViolations).toEqual([]);
});
