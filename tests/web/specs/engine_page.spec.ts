// The page of an engine: it is played from there; ratings in arenas with their intervals; the technical details are folded.
import { RoomPage } from '../support/room';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: ['random-mover', 'gomoku-alpha'] } });

test('an engine is played from its page', async ({ page }) => {
  await page.goto('/engines');
  await page.getByRole('link', { name: 'gomoku-alpha' }).click();
  await expect(page).toHaveURL(/\/engines\/gomoku-alpha$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('gomoku-alpha');
  await expect(page.getByText('Levels 1 to 10')).toBeVisible();
  await page.getByRole('button', { name: 'Play Gomoku and renju' }).click();
  const dialog = page.getByRole('dialog', { name: 'New game' });
  const engine = dialog.getByRole('group', { name: 'White' }).getByRole('combobox', { name: 'Engine' });
  await expect(engine).toHaveValue('gomoku-alpha');
  await dialog.getByRole('combobox', { name: 'Level' }).selectOption({ label: '1 of 10' });
  await dialog.getByRole('button', { name: 'Start game' }).click();
  await new RoomPage(page).place('h8', 'black');
});

test('hash and trust are folded away', async ({ page }) => {
  await page.goto('/engines/random-mover');
  const hash = page.getByText(/^[0-9a-f]{64}$/);
  await expect(page.getByText('Technical details')).toBeVisible();
  await expect(hash).toBeHidden();
  await page.getByText('Technical details').click();
  await expect(hash).toBeVisible();
  await expect(page.getByText('Runs in the sandbox, without trust')).toBeVisible();
});

test('the ratings are those of stored arenas', async ({ server, page }) => {
  await page.goto('/engines/random-mover');
  await expect(page.getByText('No arena on this machine has this engine.')).toBeVisible();
  const setup = 'match random-mover gomoku-alpha:level=1 --pairs 4 --variant freestyle-9 --budget nodes:50 --seed 1';
  const { code, errorOutput } = await server.runArena('duel', setup.split(' '));
  expect(code, errorOutput).toBe(0);
  await page.reload();
  const ratings = page.getByRole('region', { name: 'Rating', exact: true });
  const row = ratings.getByRole('row').filter({ has: page.getByRole('cell') });
  await expect(row).toHaveCount(1);
  await expect(row).toContainText('Gomoku and renju, freestyle-9');
  await expect(row).toContainText(/[12] of 2/);
  await expect(row).toContainText('nodes:50');
  // A number with its interval, or the reason why there is none.
  await expect(row).toContainText(/ \(.+ to .+\)|rated players/);
  const api = (await (await fetch(`${server.address}/api/v1/engines/gomoku-alpha/ratings`)).json()) as {
    ratings: { games: number; options: Record<string, string> }[];
  };
  expect(api.ratings.map(({ games, options }) => [games, options['level']])).toEqual([[8, '1']]);
  await row.getByRole('link', { name: 'duel' }).click();
  await expect(page).toHaveURL(/\/arenas\//);
});

test('an engine that does not exist has a page that says so', async ({ server, page }) => {
  await page.goto('/engines/missing-engine');
  await expect(page.getByText('There is no engine of this name that can be played.')).toBeVisible();
  for (const [path, status] of [
    ['missing-engine/ratings', 404],
    ['random-mover/ratings', 200],
    ['random-mover/ratings?limit=1', 400],
  ] as const) {
    const response = await fetch(`${server.address}/api/v1/engines/${path}`);
    expect(response.status, path).toBe(status);
  }
});
