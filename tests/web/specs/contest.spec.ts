// A contest in the browser: everybody sees what it asks and who stands where; an entrant hands in what is not accepted, and then
// what is, plays a bout that counts for nothing, and has its record; the organiser takes somebody out.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { barriers, bringAxe } from '../support/axe';
import { builtEngine, type Server } from '../support/server';
import { expect, test } from '../support/test';

test.use({ begin: { engines: ['random-mover'] } });

/** Far longer than an entry's test takes on a busy machine. */
const PATIENT = { timeout: 120_000 };
test.setTimeout(300_000);

const file = `name = "Autumn gomoku"
game = "gomoku"
variant = "freestyle-7"
budget = "fuel:2e6/move"
house = ["random-mover"]
closes = 2100-01-01T00:00:00Z
`;

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** Shows the page a token, by the keyboard. */
async function enter(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByLabel('Token', { exact: true }).press('Enter');
}

async function submit(page: Page, name: string, buffer: Buffer): Promise<void> {
  const place = part(page, 'Submit an entry');
  await place.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType: 'application/wasm', buffer });
  await place.getByRole('button', { name: 'Submit' }).press('Enter');
}

async function begun(server: Server) {
  const organiser = await server.makeContest('autumn', file);
  const { token: ann } = await server.contest(['enter', 'autumn', 'Ann Lee']);
  const { token: bob } = await server.contest(['enter', 'autumn', 'Bob']);
  return { organiser, ann, bob };
}

test('from the list of contests to the record of an own game', async ({ server, page, person }) => {
  const { organiser, ann } = await begun(server);
  await page.goto('/');
  await page.getByRole('link', { name: 'Contests' }).click();
  await page.getByRole('link', { name: 'Autumn gomoku' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Autumn gomoku' })).toBeVisible();
  await expect(page.getByText(/takes entries until .*left/)).toBeVisible();
  await expect(part(page, 'Rules')).toContainText(/[0-9a-f]{64}/);
  await expect(part(page, 'Rules')).toContainText('random-mover');
  await expect(part(page, 'Standings')).toContainText('No game was played yet.');

  await enter(page, 'sbt-0');
  await expect(page.getByRole('alert')).toContainText('this wants a token of the contest');
  await enter(page, ann);
  await expect(page.getByText('You are Ann Lee.')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(page.url()).not.toContain('sbt-');
  // It is still there after a reload, in this tab alone.
  await page.reload();
  await expect(page.getByText('You are Ann Lee.')).toBeVisible();

  server.runContest('autumn');
  await submit(page, 'notes.wasm', Buffer.from('no engine'));
  await expect(part(page, 'Submit an entry').getByRole('status')).toHaveText('It came as entry 1 and waits for its test.');
  const entries = part(page, 'My entries');
  const first = entries.getByRole('listitem', { name: 'Ann Lee v1' });
  await expect(first).toContainText('not accepted', PATIENT);
  await first.getByText('Report of Ann Lee v1').click();
  const report = first.getByRole('list', { name: 'Report of Ann Lee v1' });
  await expect(report.getByRole('listitem')).toHaveCount(6);
  await expect(report.getByRole('listitem').nth(1)).toContainText(/not passed/);
  for (const head of ['Asked', 'Came back', 'To do']) {
    await expect(report.getByRole('listitem').nth(1)).toContainText(head);
  }

  await submit(page, 'mine.wasm', await readFile(builtEngine('random-mover')));
  const second = entries.getByRole('listitem', { name: 'Ann Lee v2' });
  await expect(second).toContainText('accepted', PATIENT);
  await expect(second).not.toContainText('not accepted');

  const trials = part(page, 'Unrated bouts');
  await trials.getByLabel('Side of the entry').selectOption('second');
  await trials.getByRole('button', { name: 'Ask for a bout' }).click();
  const saving = trials.getByRole('button', { name: /^Save the record of Ann Lee v2 \(second\) against random-mover/ });
  await expect(saving).toBeVisible(PATIENT);
  const saved = page.waitForEvent('download');
  await saving.click();
  const record = JSON.parse(await readFile(await (await saved).path(), 'utf8')) as { format: string; players: { name: string }[] };
  expect(record.format).toBe('sandboard-record');
  expect(record.players.map(({ name }) => name).sort()).toEqual(['Ann Lee v2', 'random-mover']);

  // The ladder goes on, and the own games are there.
  const ladder = part(page, 'Standings').getByRole('table', { name: 'Ladder' });
  await expect(ladder.getByRole('rowheader', { name: /random-mover/ })).toContainText('house', PATIENT);
  await expect(ladder.getByRole('rowheader', { name: 'Ann Lee v2' })).toBeVisible();
  await expect(part(page, 'My games').getByRole('button', { name: /^Save the record of pair-/ }).first()).toBeVisible(PATIENT);

  // The organiser sees everybody, and takes one out with a reason.
  const { page: office } = await person();
  await office.goto('/contests/autumn');
  await enter(office, organiser);
  await expect(office.getByText('This is the organiser’s token.')).toBeVisible();
  await expect(part(office, 'Much alike')).toContainText('No two entries are much alike.');
  const people = part(office, 'Entrants');
  await people.getByLabel('Name of an entrant').fill('Eve');
  await people.getByRole('button', { name: 'Let in', exact: true }).click();
  await expect(people.getByRole('status')).toContainText(/^The token of Eve, which is shown this once: sbt-/);
  await expect(people.getByRole('listitem', { name: 'Eve' })).toContainText('in');
  const closing = part(office, 'Until when entries are taken');
  await closing.getByLabel('Date and time').fill('2100-01-01T00:00');
  await closing.getByRole('button', { name: 'Set', exact: true }).click();
  await expect(office.getByText(/takes entries until .*2100/)).toBeVisible();
  const annie = part(office, 'Entrants').getByRole('listitem', { name: 'Ann Lee' });
  await annie.getByLabel('Reason').fill('two names');
  await annie.getByRole('button', { name: 'Disqualify' }).click();
  await annie.getByRole('button', { name: 'Yes' }).click();
  await expect(annie).toContainText('disqualified: two names');
  await expect(part(office, 'The book')).toContainText('Ann Lee is disqualified: two names');
  await expect(page.getByText('You are disqualified: two names.')).toBeVisible();
  await page.getByRole('button', { name: 'Forget it' }).click();
  await expect(page.getByLabel('Token', { exact: true })).toBeVisible();
});

test('a contest that nobody knows is said to be none', async ({ page }) => {
  await page.goto('/contests/spring');
  await expect(page.getByRole('alert')).toContainText('there is no such contest');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`nobody is shut out of a contest, ${colorScheme}`, async ({ server, person }) => {
    const { organiser, ann } = await begun(server);
    const { page } = await person({ colorScheme, reducedMotion: 'reduce' });
    await bringAxe(page);
    await page.goto('/contests');
    await expect(page.getByRole('link', { name: 'Autumn gomoku' })).toBeVisible();
    expect(await barriers(page)).toEqual([]);
    for (const token of [ann, organiser]) {
      await page.goto('/contests/autumn');
      await enter(page, token);
      await expect(page.getByRole('button', { name: 'Forget it' })).toBeVisible();
      expect(await barriers(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
      expect(await barriers(page), 'narrow').toEqual([]);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('button', { name: 'Forget it' }).click();
    }
  });
}
