// Engines for tests are listed apart and are not offered as opponents. Their own page plays them. The level of an engine is
// shown first, and its weights are under Advanced.
import { RoomPage } from '../support/room';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: ['gomoku-rows'] } });

const manifest = (purpose: string) => `<?xml version="1.0" encoding="UTF-8"?>
<EngineConfigs abi="1">
  <Engine id="probe" name="Probe" version="1" kind="wasm" module="probe.wasm"${purpose}><Game id="gomoku"/></Engine>
</EngineConfigs>
`;

for (const [purpose, isOffered] of [
  ['', true],
  [' purpose="play"', true],
  [' purpose="test"', false],
] as const) {
  test(`an engine with the attribute '${purpose}' is ${isOffered ? '' : 'not '}offered`, async ({ server, page }) => {
    await server.addPack('probe', manifest(purpose), { 'probe.wasm': 'random-mover' });
    await page.goto('/engines');
    const section = page.getByRole('region', { name: isOffered ? 'Ready to play' : 'For tests' });
    await expect(section.getByRole('link', { name: 'Probe' })).toBeVisible();

    await page.goto('/');
    await page.getByRole('button', { name: 'New game', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'New game' });
    const white = dialog.getByRole('group', { name: 'White' });
    await white.getByRole('radio', { name: 'Engine', exact: true }).check();
    const engines = white.getByRole('combobox', { name: 'Engine' });
    await expect(engines.getByRole('option', { name: 'gomoku-rows' })).toBeAttached();
    await expect(engines.getByRole('option', { name: 'Probe' })).toHaveCount(isOffered ? 1 : 0);
    await dialog.getByRole('button', { name: 'Close' }).click();

    // Its own page plays it.
    await page.goto('/engines/probe');
    await page.getByRole('button', { name: 'Play Gomoku and renju' }).click();
    await expect(engines).toHaveValue('probe');
    await dialog.getByRole('button', { name: 'Start game' }).click();
    await new RoomPage(page).place('h8', 'black');
    await expect(new RoomPage(page).stones('white')).toHaveCount(1);
  });
}

test('a manifest with another purpose is refused with the place and the reason', async ({ server, page }) => {
  await server.addPack('probe', manifest(' purpose="tests"'), { 'probe.wasm': 'random-mover' });
  await page.goto('/engines');
  await expect(
    page.getByText(/EngineConfigs\.xml:3: Engine\/@purpose: `tests` is not known; did you mean `test`\?/),
  ).toBeVisible();
});

test('the level comes first, and weights are under Advanced', async ({ server, page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'New game', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'New game' });
  const white = dialog.getByRole('group', { name: 'White' });
  await white.getByRole('radio', { name: 'Engine', exact: true }).check();
  await white.getByRole('combobox', { name: 'Engine' }).selectOption('gomoku-rows');
  const level = white.getByRole('combobox', { name: 'Level' });
  const [depth, weight] = ['depth', 'open-two'].map((name) => white.getByRole('spinbutton', { name, exact: true }));
  await expect(level).toBeVisible();
  await expect(level.getByRole('option')).toHaveCount(11);
  await expect(depth!).toBeHidden();
  await white.getByText('Engine options').click();
  await expect(depth!).toBeVisible();
  await expect(weight!).toBeHidden();
  await white.getByText(/^Advanced/).click();
  await expect(weight!).toBeVisible();
  await expect(white.getByRole('spinbutton', { name: 'level', exact: true })).toHaveCount(0);

  await level.selectOption({ label: '2 of 10' });
  await dialog.getByRole('button', { name: 'Start game' }).click();
  await new RoomPage(page).place('h8', 'black');
  const id = page.url().split('/').pop();
  const room = (await (await fetch(`${server.address}/api/v1/rooms/${id}`)).json()) as {
    players: { engine?: { options: Record<string, string> } }[];
  };
  expect(room.players[1]?.engine?.options).toMatchObject({ level: '2' });
});
