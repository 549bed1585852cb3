// Pages of `sandboard publish`: a game against the engine in the browser, without any server of Sandboard and without a
// network, and records that can be verified.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { findViolations, injectAxe } from '../support/axe';
import { PublishedPage, sandboard } from '../support/published';
import { expect, test } from '../support/test';

/** The engine compiles, and thinks, on a busy machine. */
const SLOW = { timeout: 120_000 };

const status = (page: Page) => page.locator('.status [role=status]');

test('a page plays, analyses, and works without a network', async ({ person }) => {
  test.setTimeout(600_000);
  const published = await PublishedPage.of('gomoku-alpha', '--title', 'Five <in> a row');
  const { page, context } = await person();
  const [foreign, errors]: [string[], string[]] = [[], []];
  page.on('request', (request) => {
    if (!request.url().startsWith(published.address) && !/^(blob|data):/.test(request.url())) {
      foreign.push(request.url());
    }
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') {
      errors.push(message.text());
    }
  });
  await injectAxe(page);
  await page.goto(published.address);
  await expect(page).toHaveTitle('Five <in> a row');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Five <in> a row');
  await expect(status(page)).toHaveText('Your move', SLOW);
  await page.getByRole('button', { name: 'New game' }).click();
  await page.getByLabel('Strength').selectOption('Level 1');
  await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click();
  await expect(status(page)).toHaveText('Your move', SLOW);
  const moves = page.getByRole('group', { name: 'Moves' }).locator('.move');
  await page.getByRole('gridcell', { name: /^h8, empty/ }).click();
  await expect(moves).toHaveCount(2, SLOW);
  await expect(status(page)).toHaveText('Your move');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(moves.filter({ visible: true })).toHaveCount(2);
  await expect(page.getByRole('button', { name: 'Undo', exact: true })).toBeDisabled();

  // The analysis reports lines of the position.
  await page.getByLabel('Analysis: lines').selectOption('1');
  await expect(page.locator('.facts').first()).toContainText('Depth', SLOW);
  await page.getByLabel('Analysis: lines').selectOption('none');
  expect(await findViolations(page)).toEqual([]);

  // Once the files are kept, the page needs no network.
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await context.setOffline(true);
  await page.reload();
  await expect(status(page)).toHaveText('Your move', SLOW);
  await page.getByRole('gridcell', { name: /^h8, empty/ }).click();
  await expect(moves).toHaveCount(2, SLOW);
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Yes' }).click();
  await expect(status(page)).toContainText('resigns');
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download game' }).click();
  const record = await (await saving).path();
  expect(JSON.parse(await readFile(record, 'utf8'))).toMatchObject({ format: 'sandboard-record', game: 'gomoku' });
  expect(await sandboard('verify', record)).toContain('verified');
  expect(foreign).toEqual([]);
  expect(errors).toEqual([]);
  await published.stop();
});

test('a page plays a plugged-in game, in Chinese', async ({ person }) => {
  test.setTimeout(600_000);
  const published = await PublishedPage.of('connect-four-mcts');
  const { page } = await person({ locale: 'zh-CN' });
  await page.goto(published.address);
  await expect(status(page)).toHaveText('轮到你走', SLOW);
  await page.getByRole('gridcell').first().click();
  await expect(page.getByRole('group', { name: '着法' }).locator('.move')).toHaveCount(2, SLOW);
  await published.stop();
});
