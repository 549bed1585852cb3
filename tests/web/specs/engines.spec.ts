// Engines are added while the page is open: by copying into the folder, or by dropping on the page.
import { readFile } from 'node:fs/promises';
import { builtEngine, engineFileName } from '../support/server';
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

test.use({ serverOptions: { engines: ['random-mover'] } });

test('an engine copied into the folder appears on the open page', async ({ server, page }) => {
  await page.goto('/engines');
  await expect(page.getByText('random-mover').first()).toBeVisible();
  await expect(page.getByText('gomoku-simple')).toHaveCount(0);
  await server.addEngine('gomoku-simple');
  await expect(page.getByText('gomoku-simple').first()).toBeVisible();
});

test('an engine dropped on the page can play', async ({ server, page }) => {
  await page.goto('/engines');
  // The page has loaded what it shows.
  await expect(page.getByText('random-mover').first()).toBeVisible();
  const bytes = (await readFile(builtEngine('gomoku-simple'))).toString('base64');
  const files = await page.evaluateHandle(
    ([bytes, name]) => {
      const data = new DataTransfer();
      const raw = Uint8Array.from(atob(bytes!), (letter) => letter.charCodeAt(0));
      data.items.add(new File([raw], name!, { type: 'application/wasm' }));
      return data;
    },
    [bytes, engineFileName('gomoku-simple')],
  );
  const dropZone = page.getByRole('group', { name: 'Load an engine' });
  for (const event of ['dragenter', 'dragover', 'drop']) {
    await dropZone.dispatchEvent(event, { dataTransfer: files });
  }
  await expect(page.getByRole('status').filter({ hasText: 'gomoku-simple is loaded.' }).first()).toBeAttached();

  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Simple', engine: { id: 'gomoku-simple' }, budget: 'nodes:1000' }],
  });
  const room = new RoomPage(page);
  await page.goto(opened.paths[0]!);
  await room.place('h8', 'black');
  await expect(room.stones('white')).toHaveCount(1);
});
