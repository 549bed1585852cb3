// An engine in the visitor's browser: it plays in a room and analyses, under a policy that lets it load nothing, and the
// server calls no engine for it.
import { openRoom, RoomPage } from '../support/room';
import { expect, test } from '../support/test';

test.use({
  serverOptions: { engines: ['gomoku-alpha', 'connect-four-mcts', 'random-mover'], games: ['connect-four'] },
});

/** The engine compiles, and thinks, on a busy machine. */
const SLOW = { timeout: 120_000 };

test('an engine on the device plays against a person', async ({ page }) => {
  test.setTimeout(600_000);
  await page.goto('/');
  await page.getByRole('button', { name: 'New game', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'New game' });
  await dialog.getByRole('combobox', { name: 'Game' }).selectOption('Gomoku and renju');
  const second = dialog.getByRole('group', { name: 'white' });
  await second.getByRole('radio', { name: 'Engine on your device' }).check();
  // A native engine cannot run in a browser.
  const engines = second.getByRole('combobox', { name: 'Engine' });
  await engines.selectOption('gomoku-alpha');
  await second.getByRole('combobox', { name: 'Level' }).selectOption('2');
  const policy = page.waitForResponse((response) => response.url().includes('/published/worker.js'));
  await dialog.getByRole('button', { name: 'Start game' }).click();
  const room = new RoomPage(page);
  await expect(page.getByText('plays on your device')).toBeVisible();
  await expect(room.yourMove).toBeVisible();
  await room.point('h8').click();
  await expect(room.stones('white')).toHaveCount(1, SLOW);
  expect((await policy).headers()['content-security-policy']).toBe("default-src 'none'; script-src 'wasm-unsafe-eval'");
  await expect(room.yourMove).toBeVisible();

  // The seat is the engine's, not the person's.
  await room.point('h9').click({ force: true });
  await expect(room.stones('white')).toHaveCount(2, SLOW);

  // The engine lets moves be taken back, and goes on after a reload.
  await room.button('Undo').click();
  await expect(room.stones('black')).toHaveCount(1, SLOW);
  await page.reload();
  await expect(room.yourMove).toBeVisible();
  await room.point('g7').click();
  await expect(room.stones('white')).toHaveCount(2, SLOW);

  // To the server both are persons: it has called no engine.
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const state = (await (await page.request.get(`/api/v1/rooms/${id}`)).json()) as { players: { kind: string }[] };
  expect(state.players.map(({ kind }) => kind)).toEqual(['person', 'person']);
  await room.resign();
  await expect(page.getByText(/wins/).first()).toBeVisible();

  // The engine plays in the rematch, too, with the other colour.
  await room.button('Rematch (swap colours)').click();
  await expect(page.getByText('plays on your device')).toBeVisible();
  await expect(room.stones('black')).toHaveCount(1, SLOW);
});

test('an engine on the device plays a plugged-in game', async ({ page }) => {
  test.setTimeout(600_000);
  await page.goto('/');
  await page.getByRole('button', { name: 'New game', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'New game' });
  await dialog.getByRole('combobox', { name: 'Game' }).selectOption('Connect Four');
  const second = dialog
    .getByRole('group')
    .filter({ has: page.getByRole('radio', { name: 'Engine on your device' }) })
    .last();
  await second.getByRole('radio', { name: 'Engine on your device' }).check();
  await second.getByRole('combobox', { name: 'Work' }).selectOption({ index: 0 });
  await dialog.getByRole('button', { name: 'Start game' }).click();
  await expect(page.getByText('Your move', { exact: true })).toBeVisible();
  await page.getByRole('gridcell').first().click();
  await expect(page.getByRole('group', { name: 'Moves' }).locator('.move')).toHaveCount(2, SLOW);
});

test('an engine on the device analyses', async ({ server, page }) => {
  test.setTimeout(600_000);
  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
    moves: ['h8', 'i9', 'h9'],
  });
  await page.goto(opened.spectatorPath);
  await page.getByRole('button', { name: 'Analysis', exact: true }).click();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.getByRole('combobox', { name: 'Which engine' }).selectOption('device:gomoku-alpha');
  await page.getByRole('button', { name: 'Engine', exact: true }).click();
  for (const rank of [1, 2, 3]) {
    await expect(page.getByRole('button', { name: `, line ${rank}` }).first()).toBeVisible(SLOW);
  }
  expect(asked).toContain('/published/program.wasm.gz');
  expect(asked).not.toContain('/api/v1/analyse');
});

test('the files of engines', async ({ server, page }) => {
  const get = (path: string) => page.request.get(`${server.address}${path}`);
  const list = async (engine: string, game: string) => get(`/api/v1/engines/${engine}/files?game=${game}`);
  const found = await list('gomoku-alpha', 'gomoku');
  expect(found.status()).toBe(200);
  const files = (await found.json()) as { module: string; rules: unknown; worker: string };
  expect(files.rules).toBe(null);
  const module = await get(files.module);
  expect((await module.body()).subarray(0, 4)).toEqual(Buffer.from('\0asm'));
  expect(module.headers()['cache-control']).toContain('immutable');

  // What runs in the worker connects to nothing.
  await page.goto('/');
  const started = page.waitForEvent('worker');
  await page.evaluate((address) => void new Worker(address), files.worker);
  const worker = await started;
  const outcomes = await worker.evaluate(async (address) => {
    const name = (error: unknown) => (error as Error).name;
    const fetched = await fetch('/api/v1/info').then(() => 'loaded', name);
    let imported = 'loaded';
    try {
      (self as unknown as { importScripts: (address: string) => void }).importScripts(address);
    } catch (error) {
      imported = name(error);
    }
    return { fetched, imported };
  }, files.worker);
  expect(outcomes).toEqual({ fetched: 'TypeError', imported: 'NetworkError' });

  for (const [path, status, detail] of [
    ['/api/v1/engines/absent/files?game=gomoku', 404, 'there is no usable engine `absent`'],
    ['/api/v1/engines/gomoku-alpha/files?game=go', 422, 'there is no game `go`'],
    ['/api/v1/engines/gomoku-alpha/files', 400, 'game'],
    [`/api/v1/engines/gomoku-alpha/files/${'0'.repeat(64)}`, 404, 'there is no such file'],
    [`/api/v1/games/connect-four/rules/${'0'.repeat(64)}`, 404, 'there is no such file'],
    ['/published/index.html', 404, 'there is no such path'],
  ] as const) {
    const response = await get(path);
    expect(response.status(), path).toBe(status);
    expect(await response.text(), path).toContain(detail);
  }
});
