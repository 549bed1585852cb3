// In a window of 1920 × 1080 nothing is cut off: every screen, in German, whose words are long, and in Chinese, with long names.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { builtEngine, type Server } from '../support/server';
import { openRoom } from '../support/room';
import { listScreens, type Screen } from '../support/screens';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: ['random-mover', 'faulty'] } });
test.setTimeout(600_000);

/** Longer than an entry's test and the first games take on a busy machine. */
const PLAYED = { timeout: 180_000 };
/** As long as the dialog for a new game allows. */
const people = [
  'Maximiliane-Theodora von Hohenzollern-Si',
  '上海交通大学五子棋人工智能研究小组第二实验室的远程参赛选手甲乙丙丁戊己庚',
];
const longEngine = 'an-engine-of-the-university-with-a-long-name-0123456789';
const entrant = 'Maximiliane-Theodora von Hohenzollern-Si';

/**
 * What is cut off: elements that are narrower or lower than their content, or outside of the window. A select of engines is
 * no finding: its list shows a long id in full.
 */
async function findCutOff(page: Page): Promise<string[]> {
  return page.evaluate((longEngine) => {
    const describe = (element: Element) => {
      const text = (element.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 60);
      return `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}"> ${text}`;
    };
    const found: string[] = [];
    for (const element of document.querySelectorAll('body *')) {
      if (!(element instanceof HTMLElement) || element.closest('.visually-hidden, .skip, [hidden]') !== null) {
        continue;
      }
      if (!element.checkVisibility({ visibilityProperty: true }) || getComputedStyle(element).display === 'inline') {
        continue;
      }
      const style = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      if (box.width === 0 || box.height === 0) {
        continue;
      }
      if (element instanceof HTMLSelectElement) {
        // The width that the selected text needs.
        const clone = element.cloneNode(false) as HTMLSelectElement;
        clone.append(new Option(element.selectedOptions[0]?.text ?? ''));
        clone.style.width = 'max-content';
        element.after(clone);
        if (clone.offsetWidth > element.offsetWidth + 1 && element.selectedOptions[0]?.value !== longEngine) {
          found.push(`${describe(element)}: ${clone.offsetWidth} in ${element.offsetWidth} px`);
        }
        clone.remove();
        continue;
      }
      if (style.overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1) {
        found.push(`${describe(element)}: ${element.scrollWidth} in ${element.clientWidth} px`);
      }
      const hidesBelow = style.overflowY === 'hidden' || style.overflowY === 'clip';
      if (hidesBelow && element.scrollHeight > element.clientHeight + 1) {
        found.push(`${describe(element)}: ${element.scrollHeight} in a height of ${element.clientHeight} px`);
      }
      if (box.left < -1 || box.right > innerWidth + 1) {
        found.push(`${describe(element)}: outside of the window`);
      }
    }
    return found;
  }, longEngine);
}

const screen = (name: string, path: string, ready: string | RegExp = /./): Screen => ({
  name,
  open: async (page) => {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: ready }).first()).toBeVisible();
    await page.waitForLoadState('networkidle');
  },
});

/** Games, an arena and a contest with long names, and their screens. */
async function prepare(server: Server): Promise<{ screens: Screen[]; tokens: Record<string, string> }> {
  await server.addEngineAs('random-mover', `${longEngine}-1.0.0.gomoku.wasm`);
  await server.addFile('a-file-with-a-long-name-that-is-not-an-engine-and-cannot-be-used-0123456789.wasm', 'no engine');
  const organiser = await server.createContest(
    'autumn',
    'name = "Autumn gomoku of the universities, first division, with a long name"\ngame = "gomoku"\nvariant = "freestyle-7"\n' +
      'budget = "fuel:2e6/move"\nhouse = ["random-mover"]\ncloses = 2100-01-01T00:00:00Z\n',
  );
  const { token } = await server.contest(['add-entrant', 'autumn', entrant]);
  const entry = new Uint8Array(await readFile(builtEngine('random-mover')));
  const headers = { authorization: `Bearer ${token}` };
  const contest = `${server.address}/api/v1/contests/autumn`;
  await fetch(`${contest}/entries`, { method: 'POST', headers, body: entry });
  server.runContest('autumn');

  const players = `${longEngine} random-mover faulty:fault=panic:at=2`;
  const setup = `round-robin ${players} --cycles 2 --variant freestyle-9 --budget nodes:100 --seed 1`;
  const name = 'an-arena-with-a-long-name-for-this-test';
  const result = await server.runArena(name, setup.split(' '));
  expect(result.code, result.errorOutput).toBe(0);
  const duel = await server.runArena(
    'duel',
    `match ${longEngine} random-mover --pairs 8 --variant freestyle-9`.split(' '),
  );
  expect(duel.code, duel.errorOutput).toBe(0);
  const arenas = (await (await fetch(`${server.address}/api/v1/arenas`)).json()) as { id: string; name: string }[];
  const arenaId = arenas.find((arena) => arena.name === name)!.id;
  const duelId = arenas.find((arena) => arena.name === 'duel')!.id;

  // The server notices new files after a while.
  const listed = async () =>
    ((await (await fetch(`${server.address}/api/v1/engines`)).json()) as { engines: { id: string }[] }).engines;
  await expect.poll(async () => (await listed()).map(({ id }) => id)).toContain(longEngine);
  const engines = people.map((name) => ({ name, engine: { id: longEngine }, budget: 'nodes:50' }));
  await openRoom(server, { variant: 'freestyle', seats: engines });
  const waiting = await openRoom(server, {
    variant: 'renju',
    seats: people.map((name) => ({ name, budget: '5m+3s' })),
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
  return {
    screens: [
      ...(await listScreens(server)),
      screen('room of people', waiting.paths[0]!),
      screen('replay', `/replay/${(await bouts())[0]!.id}`),
      screen('arena', `/arenas/${arenaId}`, name),
      screen('duel', `/arenas/${duelId}`, 'duel'),
      screen('games of an arena', `/arenas/${arenaId}/games`),
      screen('game of an arena', `/arenas/${arenaId}/games/pair-000001-1`),
      screen('contests', '/contests'),
      screen('contest', '/contests/autumn', /^Autumn/),
      screen('game of a contest', `/contests/autumn/games/ladder/${played[0]!.name}`),
      screen('bout without a token', '/contests/autumn/trials/1'),
    ],
    tokens: { entrant: token, organiser },
  };
}

test('nothing is cut off at 1920 pixels', async ({ server, person }) => {
  const { screens, tokens } = await prepare(server);
  const found: string[] = [];
  for (const locale of ['de-DE', 'zh-CN']) {
    for (const [who, token] of Object.entries(tokens)) {
      const { page } = await person({ locale, viewport: { width: 1920, height: 1080 } });
      await page.addInitScript((token) => sessionStorage.setItem('sandboard.contest.autumn', token), token);
      // Only the screens of the contest depend on the token.
      for (const { name, open } of who === 'entrant' ? screens : screens.filter(({ name }) => name === 'contest')) {
        await open(page);
        if (name === 'contest') {
          await expect(page.locator('section[aria-labelledby="own-games-head"] li').first()).toBeVisible();
        }
        if (process.env.SANDBOARD_SHOTS) {
          await page.screenshot({
            path: `${process.env.SANDBOARD_SHOTS}/${name}-${locale}-${who}.png`,
            fullPage: true,
          });
        }
        // A board in a thumbnail fits after it has been drawn and measured once.
        let cutOff: string[] = [];
        const isWhole = async () => (cutOff = await findCutOff(page)).length === 0;
        await expect
          .poll(isWhole, { timeout: 5_000 })
          .toBe(true)
          .catch(() => found.push(...cutOff.map((what) => `${name}, ${locale}: ${what}`)));
        expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(1920);
      }
    }
  }
  expect(found).toEqual([]);
});
