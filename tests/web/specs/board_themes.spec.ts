// The look of boards and pieces: chosen for each game with a preview, kept, and drawn with the fonts that the client ships.
import type { Locator, Page } from '@playwright/test';
import { openRoom } from '../support/room';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: [], games: ['connect-four'] } });

const SEATS = [{ name: 'Anna' }, { name: 'Bo' }];
const colour = (board: Locator) =>
  board.evaluate((svg) => getComputedStyle(svg.querySelector('rect') as SVGElement).fill);

async function choose(page: Page, game: string, choices: Record<string, string>): Promise<Locator> {
  await page.getByRole('button', { name: 'Settings' }).click();
  const dialog = page.getByRole('dialog', { name: 'Settings' });
  await dialog.getByRole('combobox', { name: 'Game' }).selectOption(game);
  for (const [label, value] of Object.entries(choices)) {
    await dialog.getByRole('combobox', { name: label, exact: true }).selectOption(value);
  }
  return dialog;
}

for (const { game, variant, id, choices, hasCharacters } of [
  { id: 'gomoku', game: 'Gomoku and renju', variant: 'freestyle', choices: { Pieces: 'shaded' }, hasCharacters: false },
  { id: 'reversi', game: 'Reversi', variant: 'standard', choices: { Pieces: 'shaded' }, hasCharacters: false },
  { id: 'xiangqi', game: 'Xiangqi', variant: 'computer', choices: { Pieces: 'pictures' }, hasCharacters: true },
  { id: 'connect-four', game: 'Connect Four', variant: 'standard', choices: {}, hasCharacters: false },
]) {
  test(`the board of ${game}`, async ({ server, page }) => {
    const opened = await openRoom(server, { game: id, variant, seats: SEATS });
    await page.goto(opened.spectatorPath);
    const board = page.getByRole('main').getByRole('grid').first();
    await expect(board).toBeVisible();
    const before = await colour(board);
    const characters = board.getByText('帥');
    await expect(characters).toHaveCount(hasCharacters ? 1 : 0);
    const dialog = await choose(page, game, { Board: 'slate', ...choices });
    // The preview and the board behind the dialog change at once.
    await expect(dialog.locator('.preview svg.board')).toHaveAttribute('data-board', 'slate');
    expect(await colour(dialog.locator('.preview svg.board'))).not.toBe(before);
    await page.keyboard.press('Escape');
    expect(await colour(board)).not.toBe(before);
    await expect(characters).toHaveCount(0);
    await page.reload();
    await expect(board).toHaveAttribute('data-board', 'slate');
  });
}

test('bridge has four colours of suits, and a green table', async ({ server, page }) => {
  const opened = await openRoom(server, {
    game: 'bridge',
    variant: 'double-dummy',
    seats: [
      { name: 'Anna', seats: [0, 2] },
      { name: 'Bo', seats: [1, 3] },
    ],
  });
  await page.goto(opened.spectatorPath);
  const board = page.getByRole('main').getByRole('grid').first();
  await expect(board).toBeVisible();
  const inks = () =>
    board.evaluate((svg) => {
      const texts = [...svg.querySelectorAll<SVGTextElement>('text')].filter((text) =>
        /^[♠♥♦♣]/.test(text.textContent ?? ''),
      );
      return new Set(texts.map((text) => getComputedStyle(text).fill)).size;
    });
  expect(await inks()).toBe(2);
  await choose(page, 'Bridge, double dummy', { Board: 'green', Suits: 'four' });
  await page.keyboard.press('Escape');
  expect(await inks()).toBe(4);
});

test('the fonts are those of the client', async ({ server, page }) => {
  const opened = await openRoom(server, { game: 'xiangqi', variant: 'computer', seats: SEATS });
  await page.goto(opened.spectatorPath);
  await expect(page.getByRole('grid')).toBeVisible();
  const loaded = await page.evaluate(async () => {
    await document.fonts.ready;
    return [...document.fonts]
      .filter(({ status }) => status === 'loaded')
      .map(({ family }) => family.replaceAll('"', ''));
  });
  expect(loaded).toEqual(expect.arrayContaining(['Source Sans 3 Variable', 'Sandboard Pieces']));
});
