// The places of a room are fixed: while an engine thinks, reports and plays, and when the game ends, nothing changes its
// place or its size. Wide windows are used, and on a phone the actions are a bar at the lower edge.
import type { Locator, Page } from '@playwright/test';
import { openRoom, RoomPage } from '../support/room';
import { expect, test } from '../support/test';

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

test.use({ serverOptions: { engines: ['random-mover', 'gomoku-alpha'], games: ['kuhn-poker'] } });

const windows = [
  { width: 360, height: 740, hasTouch: true },
  { width: 740, height: 360, hasTouch: true },
  { width: 844, height: 390, hasTouch: true },
  { width: 900, height: 480 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
];

/** The boxes of the parts of a room in progress, or of those that remain when it is over, from the upper left corner of the page. */
async function measure(page: Page, isOver = false): Promise<Record<string, Box>> {
  const parts = {
    board: page.getByRole('grid'),
    'own card': page.getByRole('group', { name: /^Anna, / }),
    'card of the engine': page.getByRole('group', { name: /^Alpha, / }),
    'engine lines': page.getByRole('region', { name: 'Engine lines' }),
    moves: page.getByRole('group', { name: 'Moves' }),
    navigation: page.getByRole('toolbar', { name: 'Moves' }),
    'play from here': page.getByRole('button', { name: 'Play from here', exact: true }),
    'move numbers': page.getByRole('button', { name: 'Move numbers', exact: true }),
    evaluation: page.getByRole('region', { name: 'Evaluation' }),
    log: page.getByRole('heading', { name: 'Log' }),
    share: page.getByRole('heading', { name: 'Share' }),
    ...(isOver
      ? {}
      : {
          undo: page.getByRole('button', { name: 'Undo', exact: true }),
          resign: page.getByRole('button', { name: 'Resign', exact: true }),
          'move now': page.getByRole('button', { name: 'Move now', exact: true }),
        }),
  };
  return boxesOf(parts);
}

async function boxesOf(parts: Record<string, Locator>): Promise<Record<string, Box>> {
  const boxes: Record<string, Box> = {};
  for (const [name, part] of Object.entries(parts)) {
    const box = await part.boundingBox();
    expect(box, name).not.toBeNull();
    // In a low window the panel scrolls to a button that is clicked.
    const scrolled = await part.evaluate((element) => scrollY + (element.closest('aside')?.scrollTop ?? 0));
    boxes[name] = { ...box!, y: box!.y + scrolled };
  }
  return boxes;
}

/** The parts whose boxes differ by more than rounding. */
function findMoved(before: Record<string, Box>, after: Record<string, Box>): string[] {
  return Object.entries(after).flatMap(([name, now]) => {
    const box = before[name]!;
    const isSame = (['x', 'y', 'width', 'height'] as const).every((side) => Math.abs(box[side] - now[side]) < 1);
    return isSame ? [] : [`${name}: ${JSON.stringify(box)} → ${JSON.stringify(now)}`];
  });
}

for (const { width, height, hasTouch = false } of windows) {
  test(`nothing moves between plies in ${width}×${height}`, async ({ server, person }) => {
    const engine = { id: 'gomoku-alpha' };
    const opened = await openRoom(server, {
      variant: 'renju',
      // The button for a pass below the board comes and goes.
      moves: ['h8', 'h9'],
      seats: [
        { name: 'Anna', budget: '10m+5s' },
        { name: 'Alpha', engine, budget: '500ms/move' },
      ],
      settings: { undo: true },
    });
    const { page } = await person({ viewport: { width, height }, hasTouch });
    await page.goto(opened.paths[0]!);
    const room = new RoomPage(page);
    await expect(room.yourMove).toBeVisible();
    await page.evaluate(() => document.fonts.ready);
    const before = await measure(page);
    for (const [ply, point] of ['i9', 'a1', 'o1', 'a15'].entries()) {
      await room.point(point).click();
      await expect(page.getByText(/^(thinking|to move)$/).first()).toBeVisible();
      expect(findMoved(before, await measure(page)), `after ply ${2 * ply + 1}`).toEqual([]);
      await expect(page.getByRole('toolbar').getByText(`${2 * ply + 4} / ${2 * ply + 4}`)).toBeVisible();
      expect(findMoved(before, await measure(page)), `after ply ${2 * ply + 2}`).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    if (width >= 900 && height >= 600) {
      const { board, moves } = before;
      expect(board!.height, 'the board fills the height').toBeGreaterThan(height * 0.8);
      expect(board!.x, 'nothing is left of the board').toBeLessThan(60);
      const edge = (await page.locator('.panels').boundingBox())!;
      expect(edge.x + edge.width, 'the width is used').toBeGreaterThan(width - 60);
      expect(moves!.x, 'the moves are beside the board').toBeGreaterThan(board!.x + board!.width);
    }
    if (width < 600) {
      const bar = (await page.locator('.actions').boundingBox())!;
      expect(bar.y + bar.height, 'the actions are at the lower edge').toBeCloseTo(height, 0);
    }
    await room.button('Resign').click();
    const question = page.getByRole('group', { name: 'Really resign?' });
    expect(findMoved(before, await measure(page, true)), 'while the question is asked').toEqual([]);
    await question.getByRole('button', { name: 'yes' }).click();
    await expect(room.button('Rematch (swap colours)')).toBeInViewport();
    expect(findMoved(before, await measure(page, true)), 'after the end').toEqual([]);
  });
}

for (const { width, height } of windows) {
  test(`the scores at the end of a card game move nothing in ${width}×${height}`, async ({ server, person }) => {
    const seats = [
      { name: 'Anna', budget: '5m' },
      { name: 'Bo', budget: '5m' },
    ];
    const opened = await openRoom(server, { game: 'kuhn-poker', variant: 'standard', seats });
    const [anna, bo, eve] = [
      await person({ viewport: { width, height } }),
      await person(),
      await person({ viewport: { width, height } }),
    ];
    await anna.page.goto(opened.paths[0]!);
    await bo.page.goto(opened.paths[1]!);
    await eve.page.goto(opened.spectatorPath);
    const room = new RoomPage(anna.page);
    await expect(room.yourMove).toBeVisible();
    await expect(new RoomPage(eve.page).board).toBeVisible();
    await expect(anna.page.getByText('1 watching')).toBeVisible();
    const places = async (page: Page): Promise<Record<string, Box>> => {
      const parts = {
        'card of Anna': page.getByRole('group', { name: /^Anna, / }),
        'card of Bo': page.getByRole('group', { name: /^Bo, / }),
        moves: page.getByRole('group', { name: 'Moves' }),
        navigation: page.getByRole('button', { name: 'To the start' }),
        analysis: page.getByRole('main').getByRole('button', { name: 'Analysis', exact: true }),
        'play from here': page.getByRole('button', { name: 'Play from here', exact: true }),
        download: page.getByRole('button', { name: 'Download game' }),
        log: page.getByRole('heading', { name: 'Log' }),
        share: page.getByRole('heading', { name: 'Share' }),
      };
      return boxesOf(parts);
    };
    const before = [await places(anna.page), await places(eve.page)];
    await room.resign();
    await expect(anna.page.getByRole('group', { name: /^Bo, / }).getByText('Score 1, place 1')).toBeVisible();
    await expect(anna.page.getByRole('group', { name: /^Anna, / }).getByText('Score −1, place 2')).toBeVisible();
    await expect(eve.page.getByRole('link', { name: 'Replay' })).toBeVisible();
    expect(findMoved(before[0]!, await places(anna.page)), 'for a player').toEqual([]);
    expect(findMoved(before[1]!, await places(eve.page)), 'for a spectator').toEqual([]);
  });
}

test('captured pieces keep their place while a position is loaded', async ({ server, person }) => {
  const seats = [{ name: 'Anna' }, { name: 'Bo' }];
  const opened = await openRoom(server, { game: 'xiangqi', variant: 'computer', seats });
  const pages = [(await person()).page, (await person()).page];
  for (const [seat, page] of pages.entries()) {
    await page.goto(opened.paths[seat]!);
    await expect(page.getByRole('grid')).toBeVisible();
  }
  const [anna, bo] = pages as [Page, Page];
  await expect(new RoomPage(anna).yourMove).toBeVisible();
  await expect(anna.locator('.captured')).toBeVisible();
  // The places of the list in every frame.
  await anna.evaluate(() => {
    const places = new Set<number>();
    Object.assign(window, { places });
    const look = () => {
      places.add(Math.round(document.querySelector('[role=group].moves')!.getBoundingClientRect().top));
      requestAnimationFrame(look);
    };
    look();
  });
  for (const [page, from, to] of [
    [anna, 'h2', 'e2'],
    [bo, 'h9', 'g7'],
    [anna, 'h0', 'g2'],
  ] as const) {
    await new RoomPage(page).clickMove(from, to);
  }
  await expect(new RoomPage(bo).yourMove).toBeVisible();
  const places = await anna.evaluate(() => [...(window as unknown as { places: Set<number> }).places]);
  expect(places).toHaveLength(1);
});
