// The replay of a stored game, of an arena's game and of an opened file offers every format that its game writes.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import type { Server } from '../support/server';
import { openRoom, type RoomOptions } from '../support/room';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: ['random-mover', 'reversi-simple', 'xiangqi-mt', 'bridge-dd'] } });

/** A game between two engines. */
const between = (engine: string, more: Omit<RoomOptions, 'seats'>): RoomOptions => ({
  ...more,
  seats: ['Anna', 'Bo'].map((name, side) => ({
    name,
    seats: more.game === 'bridge' ? [side, side + 2] : [side],
    engine: { id: engine },
    budget: 'nodes:100',
  })),
});
const games: RoomOptions[] = [
  between('random-mover', { game: 'gomoku', variant: 'freestyle' }),
  between('reversi-simple', { game: 'reversi', variant: 'standard' }),
  between('xiangqi-mt', { game: 'xiangqi', variant: 'computer' }),
  between('bridge-dd', { game: 'bridge', variant: 'double-dummy' }),
];

interface Format {
  id: string;
  extensions: string[];
  reads: boolean;
  writes: boolean;
}

async function formatsOf(server: Server, game: string): Promise<Format[]> {
  const all = (await (await fetch(`${server.address}/api/v1/games`)).json()) as { id: string; formats: Format[] }[];
  return all.find(({ id }) => id === game)!.formats;
}

/** The buttons that save the game in a format. */
const buttons = (page: Page) =>
  page.getByRole('region', { name: 'Share' }).getByRole('button', { name: /^Export as / });

/** Saves a file in a format, and returns its name and bytes. */
async function saveAs(page: Page, format: string): Promise<[string, Buffer]> {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: `Export as ${format}`, exact: true }).click();
  const download = await saving;
  return [download.suggestedFilename(), await readFile(await download.path())];
}

/** Saves the shown game in every format, and checks what the server reads in the files. */
async function checkFormats(server: Server, page: Page, game: string, moves: number): Promise<void> {
  const formats = (await formatsOf(server, game)).filter(({ writes }) => writes);
  expect(formats.length).toBeGreaterThan(0);
  await expect(buttons(page)).toHaveText(formats.map(({ id }) => id));
  for (const { id, extensions, reads } of formats) {
    if (id === 'obf' && moves > 0) {
      // A format of positions: the page says that it cannot store the game.
      await page.getByRole('button', { name: 'Export as obf', exact: true }).click();
      await expect(page.getByRole('alert')).toContainText('obf can only store positions');
      continue;
    }
    const [name, bytes] = await saveAs(page, id);
    expect(name, id).toMatch(new RegExp(`\\.${extensions[0]}$`));
    expect(bytes.length, id).toBeGreaterThan(0);
    if (reads) {
      const path = `/api/v1/files?name=${encodeURIComponent(name)}&game=${game}`;
      const response = await fetch(server.address + path, { method: 'POST', body: new Uint8Array(bytes) });
      expect(response.status, `${id}: ${await response.clone().text()}`).toBe(200);
      const file = (await response.json()) as { games: { moves: string[] }[] };
      expect(file.games[0]!.moves.length, id).toBe(moves);
    }
  }
  await expect(page.getByRole('alert')).toHaveCount(0);
}

/** Waits until a bout is stored, and returns the number of its moves. */
async function storedMoves(server: Server): Promise<number> {
  const bouts = async () =>
    ((await (await fetch(`${server.address}/api/v1/bouts`)).json()) as { bouts: { plies: number }[] }).bouts;
  await expect.poll(async () => (await bouts()).length).toBe(1);
  return (await bouts())[0]!.plies;
}

for (const options of games) {
  test(`a stored game of ${options.game}`, async ({ server, page }) => {
    await openRoom(server, options);
    const moves = await storedMoves(server);
    await page.goto('/games');
    await page.getByRole('link', { name: /Anna/ }).click();
    await expect(page).toHaveURL(/\/replay\//);
    await checkFormats(server, page, options.game!, moves);
  });
}

test('a game of an arena', async ({ server, page }) => {
  const setup = 'match random-mover random-mover --pairs 1 --variant freestyle-7 --budget nodes:10 --seed 3';
  const result = await server.runArena('two', setup.split(' '));
  expect(result.code, result.errorOutput).toBe(0);
  await page.goto('/arenas');
  await page.getByRole('link', { name: 'two', exact: true }).click();
  await page
    .getByRole('region', { name: 'Latest games' })
    .getByRole('link', { name: /random-mover/ })
    .first()
    .click();
  await expect(buttons(page).first()).toBeVisible();
  const [, bytes] = await saveAs(page, 'sgf');
  expect(bytes.toString()).toContain('GM[4]');
});

test('a game of a file that was opened', async ({ server, page }) => {
  const sgf = (players: string) => `(;FF[4]GM[4]SZ[15]${players};B[hh]C[the middle];W[ii])`;
  const open = (name: string, text: string) =>
    page
      .getByLabel(/^A record, or a file/)
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });
  await page.goto('/games');
  await open('two.sgf', sgf('PB[Anna]PW[Bo]') + sgf('PB[Cem]PW[Dora]'));
  await page.getByRole('button', { name: /^View: Cem/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Cem');
  // The second game of the file, with its comment.
  const [, bytes] = await saveAs(page, 'sgf');
  expect(bytes.toString()).toContain('PB[Cem]');
  expect(bytes.toString()).toContain('C[the middle]');
  await checkFormats(server, page, 'gomoku', 2);

  // A record.
  const { id } = await openRoom(server, games[0]!);
  const moves = await storedMoves(server);
  const record = await (await fetch(`${server.address}/api/v1/rooms/${id}/record`)).text();
  await page.goto('/games');
  await open('game.json', record);
  await expect(page).toHaveURL(/\/replay\/file$/);
  await checkFormats(server, page, 'gomoku', moves);
});
