// The screens of what a server has stored: replays, arenas, a contest as its visitor, its entrant and its organiser see it.
import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { openRoom } from './room';
import type { Screen } from './screens';
import { builtEngine, type Server } from './server';

/** Longer than an entry's test and the first games take on a busy machine. */
const PLAYED = { timeout: 180_000 };

const MONTH_MS = 30 * 86_400_000;

/** The names that these screens show. */
export interface StoredNames {
  /** Two players of rooms. */
  people: string[];
  /** The id of one more engine, a copy of `random-mover`. */
  engine: string;
  arena: string;
  contest: string;
  entrant: string;
}

/** Shows the contest to the holder of a token; null: to a visitor. */
async function holdToken(page: Page, token: string | null): Promise<void> {
  await page.goto('/');
  await page.evaluate((token) => {
    if (token === null) {
      sessionStorage.removeItem('sandboard.contest.autumn');
    } else {
      sessionStorage.setItem('sandboard.contest.autumn', token);
    }
  }, token);
}

/** Plays games, two arenas and a contest, and lists their screens. Uses the engines `random-mover` and `faulty`. */
export async function listStoredScreens(server: Server, names: StoredNames): Promise<Screen[]> {
  await server.addEngineAs('random-mover', `${names.engine}-1.0.0.gomoku.wasm`);
  const organiser = await server.createContest(
    'autumn',
    `name = "${names.contest}"\ngame = "gomoku"\nvariant = "freestyle-7"\n` +
      'budget = "fuel:2e6/move"\nhouse = ["random-mover"]\ncloses = 2100-01-01T00:00:00Z\n',
  );
  const { token: entrant } = await server.contest(['add-entrant', 'autumn', names.entrant]);
  const entry = new Uint8Array(await readFile(builtEngine('random-mover')));
  const headers = { authorization: `Bearer ${entrant}` };
  const contest = `${server.address}/api/v1/contests/autumn`;
  expect((await fetch(`${contest}/entries`, { method: 'POST', headers, body: entry })).status).toBe(201);
  const invited = await fetch(`${contest}/invitations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${organiser}`, 'content-type': 'application/json' },
    body: JSON.stringify({ places: 20, ends_at: new Date(Date.now() + MONTH_MS).toISOString() }),
  });
  expect(invited.status, await invited.clone().text()).toBeLessThan(300);
  const { invitation } = (await invited.json()) as { invitation: string };
  server.runContest('autumn');

  const players = `${names.engine} random-mover faulty:fault=panic:at=2`;
  const setup = `round-robin ${players} --cycles 2 --variant freestyle-9 --budget nodes:100 --seed 1`;
  const result = await server.runArena(names.arena, setup.split(' '));
  expect(result.code, result.errorOutput).toBe(0);
  const duelSetup = `match ${names.engine} random-mover --pairs 8 --variant freestyle-9`;
  const duel = await server.runArena('duel', duelSetup.split(' '));
  expect(duel.code, duel.errorOutput).toBe(0);
  const arenas = (await (await fetch(`${server.address}/api/v1/arenas`)).json()) as { id: string; name: string }[];
  const arenaId = arenas.find((arena) => arena.name === names.arena)!.id;
  const duelId = arenas.find((arena) => arena.name === 'duel')!.id;

  // The server notices new files after a while.
  const listed = async () =>
    ((await (await fetch(`${server.address}/api/v1/engines`)).json()) as { engines: { id: string }[] }).engines;
  await expect.poll(async () => (await listed()).map(({ id }) => id)).toContain(names.engine);
  const engines = names.people.map((name) => ({ name, engine: { id: names.engine }, budget: 'nodes:50' }));
  await openRoom(server, { variant: 'freestyle', seats: engines });
  const waiting = await openRoom(server, {
    variant: 'renju',
    seats: names.people.map((name) => ({ name, budget: '5m+3s' })),
  });
  const bouts = async () =>
    ((await (await fetch(`${server.address}/api/v1/bouts`)).json()) as { bouts: { id: string }[] }).bouts;
  await expect.poll(async () => (await bouts()).length).toBe(1);
  // A server that is busy says so, and is asked again.
  const games = async () => {
    const response = await fetch(`${contest}/games`, { headers });
    return response.ok ? ((await response.json()) as { games: { name: string }[] }).games : [];
  };
  let played: { name: string }[] = [];
  await expect.poll(async () => (played = await games()).length, PLAYED).toBeGreaterThan(0);

  const screen = (name: string, path: string, heading: string | RegExp = /./): Screen => ({
    name,
    open: async (page) => {
      await page.goto(path);
      await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible();
      await page.waitForLoadState('networkidle');
    },
  });
  const contestScreen = (name: string, token: string | null, shown: string): Screen => ({
    name,
    open: async (page) => {
      await holdToken(page, token);
      await page.goto('/contests/autumn');
      await expect(page.getByRole('heading', { name: names.contest })).toBeVisible();
      await expect(page.locator(shown).first()).toBeVisible();
      await page.waitForLoadState('networkidle');
    },
  });
  return [
    screen('room of people', waiting.paths[0]!),
    screen('replay', `/replay/${(await bouts())[0]!.id}`),
    screen('arena', `/arenas/${arenaId}`, names.arena),
    screen('duel', `/arenas/${duelId}`, 'duel'),
    screen('games of an arena', `/arenas/${arenaId}/games`),
    screen('game of an arena', `/arenas/${arenaId}/games/pair-000001-1`),
    screen('contests', '/contests'),
    screen('registration', `/contests/autumn/register#invitation=${invitation}`),
    contestScreen('contest, visitor', null, 'main table, main form'),
    screen('bout without a token', '/contests/autumn/trials/1'),
    contestScreen('contest, organiser', organiser, '#invitations-head'),
    contestScreen('contest, entrant', entrant, 'section[aria-labelledby="own-games-head"] li'),
    screen('game of a contest', `/contests/autumn/games/ladder/${played[0]!.name}`),
  ];
}
