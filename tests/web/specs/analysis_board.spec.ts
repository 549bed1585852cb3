// The analysis board: one click from a finished game; an engine follows variations; its moves can be clicked; comments and
// marks; the study as a file, after a reload, and opened again.
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

const moveList = (page: Page): Locator => page.getByRole('group', { name: 'Moves' });
const listed = (page: Page) => moveList(page).getByRole('button').allInnerTexts();
const lineMoves = (page: Page, rank: number): Locator => page.getByRole('button', { name: `, line ${rank}` });
const suggestions = (page: Page): Locator => page.locator('.suggestions circle');

/** The tree of the study: depth, move, mark and comment of each node. */
async function savedStudy(page: Page): Promise<{ nodes: Record<string, unknown>[]; comment?: string }> {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save study' }).click();
  const text = await readFile(await (await saving).path(), 'utf8');
  return JSON.parse(text) as { nodes: Record<string, unknown>[]; comment?: string };
}

test('a finished game opens with one click, and a study of it survives', async ({ server, person }) => {
  const opened = await openRoom(server, { variant: 'freestyle', seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  const [anna, bo] = [await person(), await person()];
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  const { page } = anna;
  const room = new RoomPage(page);
  await room.place('h8', 'black');
  await new RoomPage(bo.page).place('i9', 'white');
  await expect(room.yourMove).toBeVisible();
  // A player gets no engine while another person plays.
  await expect(room.button('Analysis')).toBeDisabled();
  await room.resign();
  await room.button('Analysis').click();
  await expect(page).toHaveURL(/\/analysis\/[0-9]+$/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Anna – Bo');
  await expect.poll(() => listed(page)).toEqual(['Start', 'h8', 'i9']);
  await room.expectOn('i9', 'white');

  const engine = room.button('Engine');

  // A variation, and an engine that follows into it.
  await room.button('One move back').click();
  await room.point('h9').click();
  await room.expectOn('h9', 'white');
  await expect(page.getByRole('meter')).toHaveAttribute('aria-valuetext', 'unknown');
  await page.getByRole('combobox', { name: 'Which engine' }).selectOption('gomoku-alpha');
  await engine.click();
  for (const rank of [1, 2, 3]) {
    await expect(lineMoves(page, rank).first()).toBeVisible();
  }
  await expect(suggestions(page)).toHaveCount(3);
  await expect(page.getByRole('meter')).not.toHaveAttribute('aria-valuetext', 'unknown');
  await engine.click();
  await expect(suggestions(page)).toHaveCount(0);

  // The engine remembers the lines of this position. A click on the second move of a line plays both.
  await engine.click();
  const second = lineMoves(page, 1).nth(1);
  await second.click();
  await engine.click();
  await expect.poll(async () => (await listed(page)).length).toBe(6);
  expect((await listed(page)).slice(0, 4)).toEqual(['Start', 'h8', 'i9', 'h9']);

  // Comments and marks, with the keyboard.
  const comment = page.getByRole('textbox', { name: /^Comment on / });
  await comment.fill('the engine’s idea\nsecond line');
  const mark = page.getByRole('button', { name: 'interesting move', exact: true });
  await mark.focus();
  await page.keyboard.press('Space');
  await expect(mark).toHaveAttribute('aria-pressed', 'true');
  await expect(moveList(page)).toContainText('second line');
  await room.button('To the start').click();
  await page.getByRole('textbox', { name: 'Comment on the game' }).fill('a short game');
  await expect(mark).toBeDisabled();

  // The variation becomes the main line.
  await moveList(page).getByRole('button', { name: 'h9' }).click();
  await room.button('Move variation up').click();
  await expect(room.button('Move variation up')).toBeDisabled();
  await expect.poll(async () => (await listed(page))[2]).toBe('h9');
  const study = await savedStudy(page);
  expect(study.comment).toBe('a short game');
  expect(study.nodes.map(({ depth }) => depth)).toEqual([1, 2, 3, 4, 2]);
  expect(study.nodes[3]).toMatchObject({ comment: 'the engine’s idea\nsecond line', mark: '!?' });

  // It is the same after a reload, and as another format that is opened again.
  await page.reload();
  await expect(moveList(page)).toContainText('second line');
  expect((await savedStudy(page)).nodes).toEqual(study.nodes);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as sgf' }).click();
  const sgf = await readFile(await (await saving).path());
  expect(sgf.toString()).toContain('IT[]');
  const address = page.url();
  await page.locator('input[type=file]').setInputFiles({ name: 'study.sgf', mimeType: 'text/plain', buffer: sgf });
  await expect(page).not.toHaveURL(address);
  await expect(moveList(page)).toContainText('second line');
  const again = await savedStudy(page);
  expect([again.comment, again.nodes]).toEqual([study.comment, study.nodes]);

  // A move is deleted with all after it; then it is not in the list of studies either.
  await moveList(page).getByRole('button', { name: 'h9' }).click();
  await room.button('Delete from here').click();
  await page
    .getByRole('group', { name: /^Delete h9/ })
    .getByRole('button', { name: 'yes' })
    .click();
  await expect.poll(() => listed(page)).toEqual(['Start', 'h8', 'i9']);
  await page.getByRole('link', { name: 'Analysis', exact: true }).click();
  const kept = page.getByRole('region', { name: 'Your studies' });
  await expect(kept.getByRole('listitem')).toHaveCount(2);
  await kept.getByRole('button', { name: 'Delete Anna – Bo' }).first().click();
  await kept.getByRole('button', { name: 'yes' }).click();
  await expect(kept.getByRole('listitem')).toHaveCount(1);
});

test('an empty board of a chosen game, with threats', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('link', { name: 'Analysis board' }).click();
  const start = page.getByRole('textbox', { name: 'Starting position' });
  await start.fill('nonsense');
  await page.getByRole('button', { name: 'Open the board' }).click();
  await expect(page.getByRole('alert')).toContainText('The start position is not valid');
  await start.fill('');
  await page.getByRole('button', { name: 'Open the board' }).click();
  const room = new RoomPage(page);
  // Black has three in a row, and white is to move.
  for (const point of ['h8', 'a1', 'i8', 'o15', 'j8']) {
    await room.point(point).click();
    await expect(room.point(point)).toHaveAccessibleName(/black|white/);
  }
  await page.getByRole('combobox', { name: 'Which engine' }).selectOption('gomoku-alpha');
  await page.getByRole('combobox', { name: 'Lines' }).selectOption('2');
  await room.button('Threat').click();
  await room.button('Engine').click();
  await expect(page.getByText('Threats of Black.')).toBeVisible();
  await expect(page.locator('.suggestions .threat')).toHaveCount(2);
  // Black would make four: the threat is a win for black, and its moves cannot be played now.
  const scores = page.locator('.lines li > strong');
  await expect(scores.first()).toHaveText(/^\+#/);
  await expect(lineMoves(page, 1)).toHaveCount(0);
  // The bar shows the value of the position itself, which a threat does not change.
  const meter = page.getByRole('meter');
  await expect(meter).toHaveAttribute('aria-valuetext', 'unknown');
  await room.button('Threat').click();
  await expect(meter).not.toHaveAttribute('aria-valuetext', 'unknown');
  // White is to move, and the score of the line is black's, as that of the bar.
  const value = (await meter.getAttribute('aria-valuetext')) ?? '';
  await expect(page.getByText(`Evaluation for Black: ${value}`)).toBeVisible();
  await room.button('Engine').click();
  await expect(page.getByText('Evaluation for Black: –')).toBeVisible();
});

test('a comment names the move as the list of moves does', async ({ person }) => {
  const { page } = await person({ locale: 'zh-CN' });
  await page.goto('/analysis?game=xiangqi');
  await page.getByRole('button', { name: '打开棋盘' }).click();
  for (const point of ['h2', 'e2']) {
    await page.getByRole('gridcell', { name: new RegExp(`^${point}`) }).click();
  }
  await expect(page.getByRole('textbox', { name: '对 炮二平五 的注释' })).toBeVisible();
});

test.describe('bridge', () => {
  test.use({ serverOptions: { engines: ['bridge-dd'] } });

  test('the values of a position, of lines and of cards are tricks', async ({ page }) => {
    await page.goto('/analysis?game=bridge');
    await page.getByRole('button', { name: 'Open the board' }).click();
    await page.getByRole('button', { name: 'Engine', exact: true }).click();
    await expect(page.getByText(/^Tricks of North–South: \d+$/)).toBeVisible();
    const lines = page.getByRole('region', { name: 'Engine lines' });
    await expect(lines.getByText(/bridge-dd\s· tricks of North–South/)).toBeVisible();
    await expect(lines.getByRole('listitem').locator('strong')).toHaveText([/^\d+$/, /^\d+$/, /^\d+$/]);
  });
});
