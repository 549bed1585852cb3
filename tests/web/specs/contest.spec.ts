// A contest in the browser: public rules and standings; an entrant submits a bad and a good entry, plays an unrated bout
// and saves its record; the organiser adds and disqualifies entrants.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { findViolations, injectAxe } from '../support/axe';
import { builtEngine, type Server } from '../support/server';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: ['random-mover'] } });

/** Longer than an entry's test takes on a busy machine. */
const ENTRY_TEST = { timeout: 120_000 };
test.setTimeout(300_000);

const contestFile = `name = "Autumn gomoku"
game = "gomoku"
variant = "freestyle-7"
budget = "fuel:2e6/move"
house = ["random-mover"]
closes = 2100-01-01T00:00:00Z
`;

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** Enters a token by keyboard. */
async function enterToken(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByLabel('Token', { exact: true }).press('Enter');
}

async function submit(page: Page, name: string, buffer: Buffer): Promise<void> {
  const form = section(page, 'Submit an entry');
  await form.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType: 'application/wasm', buffer });
  await form.getByRole('button', { name: 'Submit' }).press('Enter');
}

/** Creates a contest with two entrants, and returns the tokens. */
async function createContest(server: Server) {
  const organiser = await server.createContest('autumn', contestFile);
  const { token: ann } = await server.contest(['add-entrant', 'autumn', 'Ann Lee']);
  const { token: bob } = await server.contest(['add-entrant', 'autumn', 'Bob']);
  return { organiser, ann, bob };
}

test('from the list of contests to the record of an entry’s game', async ({ server, page, person }) => {
  const { organiser, ann } = await createContest(server);
  await page.goto('/');
  await page.getByRole('link', { name: 'Contests' }).click();
  await page.getByRole('link', { name: 'Autumn gomoku' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Autumn gomoku' })).toBeVisible();
  await expect(page.getByText(/open for entries until .*left/)).toBeVisible();
  await expect(section(page, 'Rules')).toContainText(/[0-9a-f]{64}/);
  await expect(section(page, 'Rules')).toContainText('random-mover');
  await expect(section(page, 'Standings')).toContainText('No games yet.');

  await enterToken(page, 'sbt-0');
  await expect(page.getByRole('alert')).toContainText('send a valid token of the contest');
  await enterToken(page, ann);
  await expect(page.getByText('You are Ann Lee.')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(page.url()).not.toContain('sbt-');
  // The tab keeps the token after a reload.
  await page.reload();
  await expect(page.getByText('You are Ann Lee.')).toBeVisible();

  server.runContest('autumn');
  await submit(page, 'notes.wasm', Buffer.from('no engine'));
  await expect(section(page, 'Submit an entry').getByRole('status')).toHaveText('Entry 1 received, checking…');
  const entries = section(page, 'My entries');
  const first = entries.getByRole('listitem', { name: 'Ann Lee v1' });
  await expect(first).toContainText('rejected', ENTRY_TEST);
  await first.getByText('Report of Ann Lee v1').click();
  const report = first.getByRole('list', { name: 'Report of Ann Lee v1' });
  await expect(report.getByRole('listitem')).toHaveCount(6);
  await expect(report.getByRole('listitem').nth(1)).toContainText(/failed/);
  for (const head of ['Request', 'Response', 'What to do']) {
    await expect(report.getByRole('listitem').nth(1)).toContainText(head);
  }

  await submit(page, 'mine.wasm', await readFile(builtEngine('random-mover')));
  const second = entries.getByRole('listitem', { name: 'Ann Lee v2' });
  await expect(second).toContainText('accepted', ENTRY_TEST);
  await expect(second).not.toContainText('rejected');

  const trials = section(page, 'Unrated bouts');
  await trials.getByLabel('Side of the entry').selectOption('second');
  await trials.getByRole('button', { name: 'Request a bout' }).click();
  const saveButton = trials.getByRole('button', {
    name: /^Download Ann Lee v2 \(second\) against random-mover/,
  });
  await expect(saveButton).toBeVisible(ENTRY_TEST);
  const download = page.waitForEvent('download');
  await saveButton.click();
  const record = JSON.parse(await readFile(await (await download).path(), 'utf8')) as {
    format: string;
    players: { name: string }[];
  };
  expect(record.format).toBe('sandboard-record');
  expect(record.players.map(({ name }) => name).sort()).toEqual(['Ann Lee v2', 'random-mover']);

  // The ladder continues, and the entrant's games are listed.
  const ladder = section(page, 'Standings').getByRole('table', { name: 'Ladder' });
  await expect(ladder.getByRole('rowheader', { name: /random-mover/ })).toContainText('house bot', ENTRY_TEST);
  await expect(ladder.getByRole('rowheader', { name: 'Ann Lee v2' })).toBeVisible();
  await expect(
    section(page, 'My games')
      .getByRole('button', { name: /^Download pair-/ })
      .first(),
  ).toBeVisible(ENTRY_TEST);

  // The organiser sees every entrant, and disqualifies one with a reason.
  const { page: organiserPage } = await person();
  await organiserPage.goto('/contests/autumn');
  await enterToken(organiserPage, organiser);
  await expect(organiserPage.getByText('This is the organiser’s token.')).toBeVisible();
  await expect(section(organiserPage, 'Similar code')).toContainText('Ann Lee v2 = random-mover');
  const entrants = section(organiserPage, 'Entrants');
  await entrants.getByLabel('Name of an entrant').fill('Eve');
  await entrants.getByRole('button', { name: 'Add entrant', exact: true }).click();
  await expect(entrants.getByRole('status')).toContainText(/^The token of Eve, shown only once: sbt-/);
  await expect(entrants.getByRole('listitem', { name: 'Eve' })).toContainText('active');
  const closingTime = section(organiserPage, 'Closing time for entries');
  await closingTime.getByLabel('Date and time').fill('2100-01-01T00:00');
  await closingTime.getByRole('button', { name: 'Set', exact: true }).click();
  await expect(organiserPage.getByText(/open for entries until .*2100/)).toBeVisible();
  const annEntrant = section(organiserPage, 'Entrants').getByRole('listitem', { name: 'Ann Lee' });
  await annEntrant.getByLabel('Reason').fill('two names');
  await annEntrant.getByRole('button', { name: 'Disqualify' }).click();
  await annEntrant.getByRole('button', { name: 'Yes' }).click();
  await expect(annEntrant).toContainText('disqualified: two names');
  await expect(section(organiserPage, 'Audit log')).toContainText('Ann Lee is disqualified: two names');
  await expect(page.getByText('You are disqualified: two names.')).toBeVisible();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByLabel('Token', { exact: true })).toBeVisible();
});

test('the link of the docs and of the command line opens the contest', async ({ server, page }) => {
  await createContest(server);
  const heading = page.getByRole('heading', { level: 1, name: 'Autumn gomoku' });
  await page.goto('/#/contests/autumn');
  await expect(heading).toBeVisible();
  expect(new URL(page.url()).pathname).toBe('/contests/autumn');
  // In a tab with the first page, only the fragment changes.
  await page.goto('/');
  await page.evaluate(() => (location.hash = '#/contests/autumn'));
  await expect(heading).toBeVisible();
  // Going back leads to the first page, and not to the link again.
  await page.goBack();
  await expect(heading).toHaveCount(0);
});

test('an unknown contest shows an error', async ({ page }) => {
  await page.goto('/contests/spring');
  await expect(page.getByRole('alert')).toContainText('there is no such contest');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no accessibility violations in a contest, ${colorScheme}`, async ({ server, person }) => {
    const { organiser, ann } = await createContest(server);
    const { page } = await person({ colorScheme, reducedMotion: 'reduce' });
    await injectAxe(page);
    await page.goto('/contests');
    await expect(page.getByRole('link', { name: 'Autumn gomoku' })).toBeVisible();
    expect(await findViolations(page)).toEqual([]);
    for (const token of [ann, organiser]) {
      await page.goto('/contests/autumn');
      await enterToken(page, token);
      await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
      expect(await findViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
      expect(await findViolations(page), 'narrow').toEqual([]);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('button', { name: 'Sign out' }).click();
    }
  });
}
