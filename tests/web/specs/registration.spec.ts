// An organiser invites entrants by a link; an entrant registers with it and sees the time that is left.
import type { Page } from '@playwright/test';
import { findViolations, injectAxe } from '../support/axe';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: ['random-mover'] } });

const DAY_MS = 86_400_000;
/** The text of a contest that closes at this time. */
const contestClosing = (at: number) =>
  `name = "Autumn cup"\ngame = "gomoku"\nvariant = "freestyle-9"\nbudget = "fuel:2e6/move"\nhouse = ["random-mover"]\ncloses = ${new Date(at).toISOString().slice(0, 19)}Z\n`;

/** Opens the organiser's page. */
async function openAsOrganiser(page: Page, token: string) {
  await page.goto('/contests/autumn');
  await page.getByRole('textbox', { name: 'Token' }).fill(token);
  await page.getByRole('button', { name: 'Use the token' }).click();
}

/** Makes an invitation on the organiser's page. Returns its link. */
async function invite(page: Page, places: number): Promise<string> {
  const invitations = page.getByRole('region', { name: 'Invitations' });
  await invitations.getByLabel('Places').fill(String(places));
  await invitations.getByRole('button', { name: 'Make a link' }).click();
  const link = invitations.getByRole('textbox', { name: 'The link, shown only once' });
  await expect(link).toHaveValue(/\/contests\/autumn\/register#invitation=sbi-[0-9a-f]{40}$/);
  return link.inputValue();
}

async function register(page: Page, link: string, name: string) {
  await page.goto(link);
  await page.getByLabel('Your name in the contest').fill(name);
  await page.getByRole('button', { name: 'Register' }).click();
}

test('an entrant registers through a link', async ({ server, page, person }) => {
  const token = await server.createContest('autumn', contestClosing(Date.now() + 3 * DAY_MS));
  await openAsOrganiser(page, token);
  const link = await invite(page, 2);

  const ann = (await person()).page;
  await register(ann, link, 'Ann/Lee');
  await expect(ann.getByRole('alert')).toContainText('is not a valid name');
  await register(ann, link, 'Ann Lee');
  await expect(ann.getByRole('heading', { name: 'You are registered as Ann Lee.' })).toBeVisible();
  await expect(ann.getByRole('textbox', { name: 'Your token, shown only once' })).toHaveValue(/^sbt-[0-9a-f]{40}$/);
  await ann.getByRole('link', { name: 'To the contest' }).click();
  await expect(ann.getByText('You are Ann Lee.')).toBeVisible();
  await expect(ann.getByRole('region', { name: 'Submit an entry' })).toBeVisible();

  // The same name again, then the last place, then none.
  const bob = (await person()).page;
  await register(bob, link, 'Ann Lee');
  await expect(bob.getByRole('alert')).toContainText('another entrant is called `Ann Lee`');
  await register(bob, link, 'Bob');
  await expect(bob.getByRole('heading', { name: 'You are registered as Bob.' })).toBeVisible();
  const cem = (await person()).page;
  await cem.goto(link);
  await expect(cem.getByRole('alert')).toContainText('all 2 places of this invitation are taken');

  // The organiser sees each registration with its invitation, and revokes another one.
  await page.reload();
  const second = await invite(page, 5);
  const row = page.getByRole('listitem', { name: 'Invitation 2' });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await row.getByRole('button', { name: 'yes' }).click();
  await expect(row).toContainText('revoked');
  await expect(page.getByRole('region', { name: 'Audit log' })).toContainText('Bob registers with invitation 1');
  await cem.goto('/');
  await cem.goto(second);
  await expect(cem.getByRole('alert')).toContainText('the organiser has revoked this invitation');
  await cem.goto('/contests/autumn/register');
  await expect(cem.getByRole('alert')).toContainText('This link has no invitation.');
});

test('the time that is left counts down by the clock of the server, and ends', async ({ server, person }) => {
  const closes = Date.now() + 2 * DAY_MS;
  await server.createContest('autumn', contestClosing(closes));
  // This machine's clock is a day ahead.
  const { page } = await person();
  await page.clock.install({ time: Date.now() + DAY_MS });
  await page.goto('/contests/autumn/register');
  const timer = page.getByRole('timer');
  await expect(timer).toHaveText(/^1 day 23:59:\d\d left$/);
  const width = async () => (await timer.boundingBox())!.width;
  const before = await width();
  await page.clock.runFor(3000);
  await expect(timer).toHaveText(/^1 day 23:59:\d\d left$/);
  expect(Math.abs((await width()) - before)).toBeLessThanOrEqual(0.5);
  await page.clock.runFor(60_000);
  await expect(timer).toHaveText(/^1 day 23:5[78]:\d\d left$/);
  // Nothing is loaded again on this page: it knows by itself when the contest closes.
  await page.clock.fastForward(2 * DAY_MS);
  await page.clock.runFor(1000);
  await expect(page.getByText(/^closed for entries since/)).toBeVisible();
  await expect(timer).toHaveCount(0);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no accessibility violations, ${colorScheme}`, async ({ server, person }) => {
    const token = await server.createContest('autumn', contestClosing(Date.now() + DAY_MS));
    const { page } = await person({ colorScheme, reducedMotion: 'reduce' });
    await injectAxe(page);
    await openAsOrganiser(page, token);
    const link = await invite(page, 2);
    expect(await findViolations(page), 'organiser').toEqual([]);
    await page.goto(link);
    await expect(page.getByLabel('Your name in the contest')).toBeVisible();
    expect(await findViolations(page), 'form').toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    await register(page, link, 'Ann');
    await expect(page.getByRole('heading', { name: 'You are registered as Ann.' })).toBeVisible();
    expect(await findViolations(page), 'registered').toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
}
