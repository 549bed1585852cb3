// Engines are added while the page is open: by copying into the folder, or by dropping on the page. Broken files that were
// dropped can be removed.
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

test('a broken file that was dropped can be removed, other files cannot', async ({ server, page }) => {
  await server.addFile('own.wasm', 'no engine');
  await page.goto('/engines');
  const unusable = page.getByRole('region', { name: 'Unusable' });
  const entry = (file: string) => unusable.getByRole('article').filter({ hasText: file });
  await expect(entry('own.wasm')).toBeVisible();
  const buffer = Buffer.from('not a module');
  // A module and a pack.
  for (const [name, mimeType] of [
    ['broken.gomoku.wasm', 'application/wasm'],
    ['broken.zip', 'application/zip'],
  ] as const) {
    await page.getByLabel(/^Drop a file here/).setInputFiles({ name, mimeType, buffer });
    await expect(entry(name)).toBeVisible();
    await entry(name).getByRole('button', { name: 'Remove' }).click();
    await expect(entry(name).getByText(`Really remove ${name}?`)).toBeVisible();
    await entry(name).getByRole('button', { name: 'yes' }).click();
    await expect(entry(name)).toHaveCount(0);
    await expect(page.locator('.error[role="alert"]')).toHaveCount(0);
  }
  // What was not uploaded stays.
  await expect(entry('own.wasm').getByRole('button')).toHaveCount(0);
  for (const [file, status] of [
    ['own.wasm', 403],
    ['broken.zip', 404],
    ['..%2Fstore.sqlite', 400],
  ] as const) {
    const response = await fetch(`${server.address}/api/v1/engines/files/${file}`, { method: 'DELETE' });
    expect(response.status, file).toBe(status);
  }
  await expect(entry('own.wasm')).toBeVisible();
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
