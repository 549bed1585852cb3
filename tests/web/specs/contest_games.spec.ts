// The games of a contest are watched and replayed by those who may see them: an entrant sees own games, without the other
// player's output; the organiser sees all games. The contest's token is enough: the server requires a login for the rest.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { builtEngine, type Server } from '../support/server';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: ['random-mover'], token: 'a-token-of-the-tests' } });
test.setTimeout(600_000);

/** Longer than an entry's test and the first games take on a busy machine. */
const PLAYED = { timeout: 300_000 };

const contestFile = `name = "Autumn gomoku"
game = "gomoku"
variant = "freestyle-9"
budget = "fuel:2e6/move"
house = ["random-mover"]
closes = 2100-01-01T00:00:00Z
`;

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

async function openContest(page: Page, token: string): Promise<void> {
  await page.goto('/contests/autumn');
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByLabel('Token', { exact: true }).press('Enter');
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
}

/** A request with a contest's token. */
async function request(server: Server, token: string, path: string, body?: BodyInit): Promise<Response> {
  const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };
  if (typeof body === 'string') {
    headers['content-type'] = 'application/json';
  }
  return fetch(`${server.address}/api/v1/contests/autumn/${path}`, {
    headers,
    ...(body === undefined ? {} : { method: 'POST', body }),
  });
}

test('games are watched and replayed with the token of the contest', async ({ server, page, person }) => {
  const organiser = await server.createContest('autumn', contestFile);
  const { token: ann } = await server.contest(['add-entrant', 'autumn', 'Ann Lee']);
  const { token: bob } = await server.contest(['add-entrant', 'autumn', 'Bob']);
  const entry = new Uint8Array(await readFile(builtEngine('random-mover')));
  for (const token of [ann, bob]) {
    expect((await request(server, token, 'entries', entry)).status).toBe(201);
  }
  server.runContest('autumn');

  // Games in progress: these last for milliseconds, so only the places for their boards are looked at.
  await openContest(page, ann);
  await expect(section(page, 'My games in progress')).toBeVisible();
  await expect.poll(async () => (await request(server, ann, 'live/ladder')).status, PLAYED).toBe(200);
  await expect.poll(async () => (await request(server, organiser, 'live/ladder')).status, PLAYED).toBe(200);
  expect((await request(server, '', 'live/ladder')).status).toBe(401);
  expect((await request(server, ann, 'live/final')).status).toBe(404);

  // Finished: from the list to the replay. The token is in no address.
  const games = section(page, 'My games');
  await expect(games.getByRole('link').first()).toBeVisible(PLAYED);
  await games.getByRole('link').first().click();
  await expect(page).toHaveURL(/\/contests\/autumn\/games\/ladder\/pair-\d{6}-[12]$/);
  const game = new URL(page.url()).pathname.split('/').pop()!;
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Ann Lee v1');
  await page.getByRole('button', { name: 'To the start' }).click();
  await expect(page.getByRole('gridcell', { name: /^[a-i]\d, empty/ })).toHaveCount(81);
  await page.getByRole('button', { name: 'To the last move' }).click();
  await expect(page.getByRole('gridcell', { name: /^[a-i]\d, black/ }).first()).toBeVisible();
  // A variation needs positions that no one has played.
  await page.getByRole('button', { name: 'To the start' }).click();
  await page.getByRole('gridcell', { name: /^a1, empty/ }).click();
  await expect(page.getByRole('gridcell', { name: /^a1, black/ })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  // What needs a login is left out.
  await expect(page.getByRole('button', { name: 'Play from here' })).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Analyse the game' })).toHaveCount(0);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as sgf' }).click();
  expect(await readFile(await (await saving).path(), 'utf8')).toContain('Ann Lee v1');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Ann Lee v1');
  await page.getByRole('link', { name: 'Back to the contest' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Autumn gomoku' })).toBeVisible();

  // An unrated bout can be replayed, too.
  await section(page, 'Unrated bouts').getByRole('button', { name: 'Request a bout' }).click();
  const trial = section(page, 'Unrated bouts').getByRole('link', { name: /^Replay Ann Lee v1/ });
  await expect(trial).toBeVisible(PLAYED);
  await trial.click();
  await expect(page).toHaveURL(/\/contests\/autumn\/trials\/1$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('random-mover');

  // Bob has no part in Ann's game against the house bot; the organiser sees every game. An entry that was out and returned
  // has a number after its name.
  const { players, games: all } = (await (await request(server, ann, 'games?limit=200')).json()) as {
    players: string[];
    games: { name: string; players: number[] }[];
  };
  expect(
    all.flatMap((row) => row.players).filter((player) => players[player] === undefined),
    'players without a name',
  ).toEqual([]);
  const notBobs = all.find((row) => row.players.every((player) => !players[player]!.startsWith('Bob v')));
  for (const path of [`games/ladder/${notBobs!.name}`, `games/ladder/${notBobs!.name}/export/sgf`, 'trials/1']) {
    expect((await request(server, bob, path)).status, path).toBe(404);
    expect((await request(server, organiser, path)).status, path).toBe(200);
  }
  const position = (game: string) => request(server, ann, 'position', JSON.stringify({ game, moves: [] }));
  expect((await position('gomoku')).status).toBe(200);
  expect((await position('reversi')).status).toBe(403);

  // The address alone shows nothing.
  const { page: other } = await person();
  await other.goto(`/contests/autumn/games/ladder/${game}`);
  await expect(other.getByRole('alert')).toContainText('Enter your token on the contest’s page.');
  await expect(other.getByRole('link', { name: 'Back to the contest' })).toBeVisible();
  await expect(other.getByRole('heading', { level: 1 })).not.toContainText('Ann Lee');
  await openContest(other, organiser);
  await expect(section(other, 'Games in progress')).toBeVisible();
  await expect(section(other, 'Games').getByRole('link').first()).toBeVisible();
});
