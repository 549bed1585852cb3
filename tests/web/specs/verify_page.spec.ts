// The page that verifies bundles: by keyboard and by drop, alone and as a page of the server. Fifty planted lies are
// found, and honest bundles are verified.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/test';

interface Lie {
  file: string;
  verdict: string;
  /** A part of the message. */
  fragment: string;
}

const folder = process.env.SANDBOARD_LIES ?? '';

async function verify(page: Page, file: string): Promise<{ verdict: string; text: string }> {
  await page.getByLabel('Bundle').setInputFiles(join(folder, file));
  await page.getByRole('button', { name: 'Verify' }).click();
  const heading = page.getByRole('heading', { level: 2 }).first();
  await expect(heading).toBeFocused({ timeout: 120_000 });
  return {
    verdict: (await heading.getAttribute('data-verdict')) ?? '',
    text: await page.getByRole('main').innerText(),
  };
}

test('every lie is found', async ({ server, page }) => {
  test.setTimeout(1_200_000);
  await page.goto('/arenas');
  const opened = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Verify a bundle in this browser' }).click();
  const verifier = await opened;
  expect(verifier.url()).toBe(`${server.address}/verify.html`);
  // The bundles are so small that a second worker only takes time to start.
  await verifier.getByLabel('Games at once').fill('1');
  const lies = JSON.parse(await readFile(join(folder, 'lies.json'), 'utf8')) as Lie[];
  expect(lies.length).toBeGreaterThanOrEqual(50);
  const wrong: string[] = [];
  for (const { file, verdict, fragment } of lies) {
    const found = await verify(verifier, file);
    if (found.verdict !== verdict || !found.text.includes(fragment)) {
      wrong.push(`${file}: expected ${verdict} and ${JSON.stringify(fragment)}, found ${found.verdict}\n${found.text}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('honest bundles are verified from a file, without any connection', async ({ server, browser }) => {
  const text = await (await fetch(`${server.address}/verify.html`)).text();
  const context = await browser.newContext({ offline: true });
  const page = await context.newPage();
  const requests: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') {
      errors.push(message.text());
    }
  });
  const { mkdtemp, writeFile } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  const saved = join(await mkdtemp(join(tmpdir(), 'sandboard-page-')), 'verify.html');
  await writeFile(saved, text);
  await page.goto(`file://${saved}`);
  for (const file of ['honest-arena.zip', 'honest-contest.zip']) {
    const { verdict, text } = await verify(page, file);
    expect(text).toContain('are identical');
    expect(['verified', 'incomplete']).toContain(verdict);
  }
  expect(requests.filter((url) => !/^(file|blob|data):/.test(url))).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});
