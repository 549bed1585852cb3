// Engines come while the page is open: copied into the folder, or dropped on the page; what was
// dropped plays.
import { readFile } from 'node:fs/promises';
import { builtEngine, fileName } from '../support/server';
import { expect, test } from '../support/test';
import { openRoom, Table } from '../support/room';

test.use({ begin: { engines: ['random-mover'] } });

test('an engine that is copied into the folder appears in an open page', async ({ server, page }) => {
  await page.goto('/engines');
  await expect(page.getByText('random-mover').first()).toBeVisible();
  await expect(page.getByText('gomoku-simple')).toHaveCount(0);
  await server.drop('gomoku-simple');
  await expect(page.getByText('gomoku-simple').first()).toBeVisible();
});

test('an engine that is dropped on the page plays', async ({ server, page }) => {
  await page.goto('/engines');
  const bytes = (await readFile(builtEngine('gomoku-simple'))).toString('base64');
  const files = await page.evaluateHandle(([bytes, name]) => {
    const data = new DataTransfer();
    const raw = Uint8Array.from(atob(bytes!), (letter) => letter.charCodeAt(0));
    data.items.add(new File([raw], name!, { type: 'application/wasm' }));
    return data;
  }, [bytes, fileName('gomoku-simple')]);
  const place = page.getByRole('group', { name: 'Load an engine' });
  for (const event of ['dragenter', 'dragover', 'drop']) {
    await place.dispatchEvent(event, { dataTransfer: files });
  }
  await expect(page.getByRole('status').filter({ hasText: 'gomoku-simple is loaded.' }).first()).toBeAttached();

  const room = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Simple', engine: { id: 'gomoku-simple' }, budget: '1s/move' }],
  });
  const table = new Table(page);
  await page.goto(room.paths[0]!);
  await table.lay('h8', 'black');
  await expect(table.stones('white')).toHaveCount(1);
});
