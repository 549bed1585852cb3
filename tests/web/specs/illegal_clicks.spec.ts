// A click that plays nothing says why: an illegal move with the reason of the rules, or that it is not the player's turn.
import type { Page } from '@playwright/test';
import { expect, test } from '../support/test';
import { openRoom, RoomPage, type RoomOptions } from '../support/room';

test.use({ serverOptions: { engines: [] } });

/** The point of a board of any game. */
const point = (page: Page, name: string) =>
  page.getByRole('grid').getByRole('gridcell', { name: new RegExp(`^${name}, `) });

const cases: (Pick<RoomOptions, 'game' | 'variant' | 'moves' | 'start'> & { clicks: string[]; expected: RegExp })[] = [
  { variant: 'freestyle', moves: ['h8', 'h9'], clicks: ['h8'], expected: /^`h8` is refused: a black stone is on h8/ },
  {
    // Three and three for black at h8.
    variant: 'renju',
    moves: ['h9', 'a1', 'h10', 'a15', 'i8', 'o1', 'j8', 'o15'],
    clicks: ['h8'],
    expected: /three/,
  },
  { game: 'reversi', variant: 'standard-8', clicks: ['a1'], expected: /^`a1` is refused: / },
  { game: 'xiangqi', variant: 'computer', clicks: ['a0', 'b5'], expected: /^`a0b5` is refused: / },
];

for (const { clicks, expected, ...room } of cases) {
  test(`${room.game ?? 'gomoku'} ${room.variant}: ${clicks.join(' ')}`, async ({ server, page }) => {
    const opened = await openRoom(server, { ...room, seats: [{ name: 'Anna' }, { name: 'Bo' }] });
    // Both play at this browser, so that it is always the viewer's turn.
    for (const path of opened.paths) {
      await page.goto(path);
      await expect(page.getByRole('grid')).toBeVisible();
    }
    await expect(page.getByText(/^Your move/).first()).toBeVisible();
    for (const click of clicks) {
      await point(page, click).click({ force: true });
    }
    await expect(page.locator('.refusal')).toHaveText(expected);
    await expect(page.getByRole('alert')).toHaveCount(0);
  });
}

test('a click out of turn, by keyboard too', async ({ server, person }) => {
  const opened = await openRoom(server, { variant: 'freestyle', seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  const [anna, bo] = [await person(), await person()];
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  const [black, white] = [new RoomPage(anna.page), new RoomPage(bo.page)];
  await black.place('h8', 'black');
  const refusal = anna.page.locator('.refusal');
  await expect(refusal).toHaveCount(0);
  // A free point would be a premove; this one has a stone.
  await black.point('g8').focus();
  await anna.page.keyboard.press('ArrowRight');
  await anna.page.keyboard.press('Enter');
  await expect(refusal).toHaveText('It is not your turn.');
  // It goes with the next move.
  await white.place('h9', 'white');
  await expect(refusal).toHaveCount(0);
  // A spectator plays nothing, and no reason is shown.
  const spectator = (await person()).page;
  await spectator.goto(opened.spectatorPath);
  await point(spectator, 'j8').click({ force: true });
  await new RoomPage(spectator).button('One move back').click();
  await expect(spectator.locator('.refusal')).toHaveCount(0);
});
