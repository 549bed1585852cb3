// In low windows the board and both players' cards are visible at once, none covers another, and the list of moves shows the
// current move.
import { expect, test } from '../support/test';
import { fullBoard } from '../support/moves';
import { openRoom, RoomPage } from '../support/room';

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const overlaps = (a: Box, b: Box) =>
  a.x < b.x + b.width - 1 && b.x < a.x + a.width - 1 && a.y < b.y + b.height - 1 && b.y < a.y + a.height - 1;

const games = [
  { game: 'gomoku', variant: 'renju' },
  { game: 'xiangqi', variant: 'computer' },
  {
    game: 'bridge',
    variant: 'double-dummy',
    start: 'N:KQ86.T76.A42.AK7 J5.J985.J963.643 932..KQT75.QT952 AT74.AKQ432.8.J8 S W -',
  },
] as const;

for (const [width, height] of [
  [844, 390],
  [1280, 520],
  [1280, 601],
  [1280, 800],
] as const) {
  for (const { game, ...rest } of games) {
    test(`board and cards of ${game} in ${width}×${height}`, async ({ server, person }) => {
      const seats = ['Anna', 'Bo'].map((name, side) => ({
        name,
        budget: '5m',
        ...(game === 'bridge' ? { seats: [side, side + 2] } : {}),
      }));
      const opened = await openRoom(server, { game, ...rest, seats });
      const { page } = await person({ viewport: { width, height } });
      await page.goto(opened.paths[0]!);
      const room = new RoomPage(page);
      await expect(room.board).toBeVisible();
      const parts: [string, Box][] = [];
      for (const [name, part] of [
        ['board', page.getByRole('region', { name: 'Board' }).locator('svg').first()],
        ['own card', page.getByRole('group', { name: /^Anna, / })],
        ['card of the opponent', page.getByRole('group', { name: /^Bo, / })],
      ] as const) {
        const box = await part.boundingBox();
        expect(box, name).not.toBeNull();
        parts.push([name, box!]);
      }
      for (const [index, [name, box]] of parts.entries()) {
        expect(box.y, `top of the ${name}`).toBeGreaterThanOrEqual(0);
        expect(box.y + box.height, `bottom of the ${name}`).toBeLessThanOrEqual(height);
        for (const [otherName, other] of parts.slice(index + 1)) {
          expect(overlaps(box, other), `${name} and ${otherName}: ${JSON.stringify([box, other])}`).toBe(false);
        }
      }
      const [, board] = parts[0]!;
      expect(Math.min(board.width, board.height), 'size of the board').toBeGreaterThan(height * 0.4);
    });
  }
}

for (const [width, height] of [
  [740, 360],
  [900, 480],
] as const) {
  for (const locale of ['en-GB', 'de-DE', 'zh-CN']) {
    test(`all buttons of the game are whole in ${width}×${height}, ${locale}`, async ({ server, person }) => {
      const engine = { id: 'gomoku-alpha' };
      const opened = await openRoom(server, {
        variant: 'renju',
        seats: [
          { name: 'Anna', budget: '5m' },
          { name: 'Alpha', engine, budget: '500ms/move' },
        ],
        settings: { undo: true },
        hint: { ...engine, options: {}, budget: '500ms/move' },
      });
      const { page } = await person({ viewport: { width, height }, locale });
      await page.goto(opened.paths[0]!);
      await page.getByRole('gridcell', { name: /^h8\b/ }).click();
      await page.evaluate(() => (scrollTo(0, 0), document.fonts.ready));
      const buttons = page.locator('.actions button, .navigation button');
      await expect(buttons).toHaveCount(14);
      /** The buttons of which a part is outside of its place, or covered by something else. */
      const cutOff = () =>
        buttons.evaluateAll((elements) =>
          elements.flatMap((button) => {
            const { left, top, right, bottom } = button.getBoundingClientRect();
            const corners = [
              [left + 4, top + 4],
              [right - 4, top + 4],
              [left + 4, bottom - 4],
              [right - 4, bottom - 4],
            ] as const;
            const isWhole =
              button.scrollWidth <= button.clientWidth &&
              button.scrollHeight <= button.clientHeight &&
              corners.every(([x, y]) => button.contains(document.elementFromPoint(x, y)));
            return isWhole ? [] : [button.textContent || button.ariaLabel];
          }),
        );
      expect(await cutOff()).toEqual([]);
      const rows = (selector: string) =>
        page
          .locator(selector)
          .evaluateAll((elements) => new Set(elements.map((element) => element.getBoundingClientRect().top)).size);
      expect(await rows('.actions button'), 'rows of actions').toBe(1);
    });
  }
}

test('the list of moves scrolls to the current move', async ({ server, person }) => {
  const all = fullBoard(19);
  // More than the list has place for; black is to move.
  const moves = all.slice(0, 100);
  const seats = [{ name: 'Anna' }, { name: 'Random', engine: { id: 'random-mover' }, budget: '1s/move' }];
  const opened = await openRoom(server, { variant: 'freestyle-19', moves, seats });
  const { page } = await person();
  await page.goto(opened.paths[0]!);
  const list = page.getByRole('group', { name: 'Moves' });
  const current = list.locator('[aria-current]');
  const isInside = async () => {
    const [frame, box] = [await list.boundingBox(), await current.boundingBox()];
    return frame !== null && box !== null && box.y >= frame.y - 1 && box.y + box.height <= frame.y + frame.height + 1;
  };
  const room = new RoomPage(page);
  await expect(list.locator('.move button')).toHaveCount(moves.length);
  await expect.poll(isInside, { message: 'when it is opened' }).toBe(true);
  await room.place(all[moves.length]!, 'black');
  await expect(list.locator('.move button')).toHaveCount(moves.length + 2);
  await expect.poll(isInside, { message: 'after a move and its answer' }).toBe(true);
  await room.button('To the start').click();
  await expect(current).toHaveText('Start');
  await expect.poll(isInside, { message: 'at the start' }).toBe(true);
  await current.focus();
  const pageTop = await page.evaluate(() => scrollY);
  for (let move = 1; move <= 70; move += 1) {
    await page.keyboard.press('ArrowRight');
  }
  await expect.poll(isInside, { message: 'in the middle' }).toBe(true);
  expect(await page.evaluate(() => scrollY), 'the page does not scroll').toBe(pageTop);
});

for (const viewport of [
  { width: 360, height: 740 },
  { width: 844, height: 390 },
]) {
  test(`the header is one row in ${viewport.width}×${viewport.height}, and shows the current page`, async ({
    person,
  }) => {
    const { page } = await person({ viewport, locale: 'de-DE' });
    await page.goto('/operator');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect((await page.getByRole('banner').boundingBox())!.height).toBeLessThan(56);
    await expect(page.getByRole('navigation').locator('[aria-current]')).toBeInViewport({ ratio: 0.95 });
    await expect(page.getByRole('button', { name: 'Einstellungen' })).toBeInViewport({ ratio: 1 });
    // Keys reach the pages that are scrolled out.
    const first = page.getByRole('navigation').getByRole('link').first();
    await first.focus();
    await expect(first).toBeInViewport({ ratio: 0.95 });
  });
}
