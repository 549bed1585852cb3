// A move chosen while the other player thinks is played at once when the turn comes, or dropped if it is not legal. Pieces
// are moved by dragging, too, and moves are shown as motions.
import type { Page } from '@playwright/test';
import { openRoom, RoomPage, type RoomOptions } from '../support/room';
import type { Server } from '../support/server';
import { expect, test } from '../support/test';
import type { Person } from '../support/test';

test.use({ serverOptions: { engines: [], games: ['chess'] } });

/** The pages of both players of a new room. */
async function openPages(
  server: Server,
  person: (options?: { reducedMotion?: 'reduce' }) => Promise<Person>,
  options: Omit<RoomOptions, 'seats'>,
  motion: { reducedMotion?: 'reduce' } = {},
): Promise<[RoomPage, RoomPage]> {
  const opened = await openRoom(server, { ...options, seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  const [anna, bo] = [await person(motion), await person()];
  await watchMotions(anna.page);
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  const rooms: [RoomPage, RoomPage] = [new RoomPage(anna.page), new RoomPage(bo.page)];
  await expect(rooms[0].yourMove).toBeVisible();
  await expect(rooms[1].board).toBeVisible();
  return rooms;
}

/** Records the motions of pieces, as first position and duration. */
async function watchMotions(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(window, { motions: seen });
    const animate = Reflect.get(Element.prototype, 'animate') as (this: Element, ...args: unknown[]) => Animation;
    Element.prototype.animate = function (frames, options) {
      const [first] = frames as Keyframe[];
      const { duration } = options as KeyframeAnimationOptions;
      const cell = this.getAttribute('data-piece') ?? '';
      seen.push(`${cell} ${String(first?.['transform'])} ${String(duration)}`);
      return animate.call(this, frames, options);
    };
  });
}
const motionsOf = (page: Page) => page.evaluate(() => (window as unknown as { motions: string[] }).motions);

async function drag(room: RoomPage, from: string, to: string): Promise<void> {
  await room.point(from).hover({ force: true });
  await room.page.mouse.down();
  await room.point(to).hover({ force: true });
  await room.page.mouse.up();
}

test('a premove is shown, played, dropped and cancelled', async ({ server, person }) => {
  const [anna, bo] = await openPages(server, person, { variant: 'freestyle' });
  const { page } = anna;
  const shown = page.locator('.premove rect');
  await anna.place('h8', 'black');
  await expect(anna.yourMove).toHaveCount(0);
  await anna.point('j8').click();
  await expect(page.getByText('Premove: j8').first()).toBeVisible();
  await expect(shown).toHaveCount(1);
  await bo.place('h9', 'white');
  await anna.expectOn('j8', 'black');
  await bo.expectOn('j8', 'black');
  await expect(shown).toHaveCount(0);

  // The other player takes the point.
  await anna.point('k8').click();
  await expect(shown).toHaveCount(1);
  await bo.place('k8', 'white');
  await expect(page.getByText('Your premove k8 is not legal now. It was not played.').first()).toBeVisible();
  await expect(shown).toHaveCount(0);
  await anna.place('a1', 'black');
  await expect(page.locator('.message').getByText('Your premove')).toHaveCount(0);

  // Another click changes it; Escape and a right click cancel it.
  await anna.point('b1').click();
  await anna.point('c1').click();
  await expect(page.getByText('Premove: c1').first()).toBeVisible();
  await expect(shown).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(shown).toHaveCount(0);
  await anna.point('b1').click();
  await expect(shown).toHaveCount(1);
  await anna.point('m5').click({ button: 'right' });
  await expect(shown).toHaveCount(0);
  await bo.place('o15', 'white');
  await expect(anna.yourMove).toBeVisible();
  await anna.expectOn('b1', 'empty');
  await anna.expectOn('c1', 'empty');
});

for (const { name, room, own, answer, premove, dropped, second } of [
  {
    name: 'xiangqi',
    room: { game: 'xiangqi', variant: 'computer' },
    own: ['h2', 'e2'],
    answer: ['h9', 'g7'],
    premove: ['h0', 'g2'],
    dropped: ['a0', 'b1'],
    second: ['b9', 'c7'],
  },
  {
    name: 'chess',
    room: { game: 'chess', variant: 'standard' },
    own: ['e2', 'e4'],
    answer: ['e7', 'e5'],
    premove: ['g1', 'f3'],
    dropped: ['a1', 'a4'],
    second: ['b8', 'c6'],
  },
]) {
  test(`${name} is played and premoved by dragging and by clicks`, async ({ server, person }) => {
    const [anna, bo] = await openPages(server, person, room);
    const { page } = anna;
    const [from, to] = own as [string, string];
    await drag(anna, from, to);
    await expect(anna.point(to)).not.toHaveAccessibleName(/empty/);
    await expect(anna.point(from)).toHaveAccessibleName(/empty/);
    // The hand has moved it.
    expect(await motionsOf(page)).toEqual([]);
    await drag(anna, premove[0]!, premove[1]!);
    await expect(page.locator('.premove rect')).toHaveCount(2);
    await expect(page.getByText(`Premove: ${premove.join('')}`).first()).toBeVisible();
    await bo.clickMove(...answer);
    await expect(bo.point(premove[1]!)).not.toHaveAccessibleName(/empty/);
    await expect(anna.point(premove[0]!)).toHaveAccessibleName(/empty/);
    await expect.poll(async () => (await motionsOf(page)).length, { message: 'motions' }).toBe(2);
    for (const motion of await motionsOf(page)) {
      expect(motion).toMatch(/^\S+ translate\(-?\d+(\.\d+)?px, -?\d+(\.\d+)?px\) 1(5\d|[6-9]\d)$/);
    }
    // A piece, then its target, by clicks; a click on the piece again takes it back.
    const [begin, end] = dropped as [string, string];
    await anna.point(begin).click({ force: true });
    await expect(page.locator('.premove rect')).toHaveCount(1);
    await anna.point(begin).click({ force: true });
    await expect(page.locator('.premove rect')).toHaveCount(0);
    await anna.point(begin).click({ force: true });
    await anna.point(end).click({ force: true });
    await expect(page.locator('.premove rect')).toHaveCount(2);
    await bo.clickMove(...second);
    await expect(page.getByText(`Your premove ${dropped.join('')} is not legal now.`).first()).toBeVisible();
  });
}

test('a premove that was only begun is forgotten when the turn comes', async ({ server, person }) => {
  const [anna, bo] = await openPages(server, person, { game: 'xiangqi', variant: 'computer' });
  const chosen = anna.page.locator('.premove rect');
  const play = async (room: RoomPage, ...points: string[]) => {
    await room.clickMove(...points);
    await expect(room.yourMove).toHaveCount(0);
  };
  await play(anna, 'h2', 'e2');
  await anna.point('h0').click({ force: true });
  await expect(chosen).toHaveCount(1);
  await play(bo, 'h9', 'g7');
  await expect(anna.yourMove).toBeVisible();
  await expect(chosen).toHaveCount(0);
  await play(anna, 'i0', 'i1');
  await expect(chosen, 'after the next own move').toHaveCount(0);
});

test('stepping shows motions, unless the user wants none', async ({ server, person }) => {
  for (const reducedMotion of [undefined, 'reduce'] as const) {
    const [anna, bo] = await openPages(
      server,
      person,
      { game: 'xiangqi', variant: 'computer' },
      reducedMotion === undefined ? {} : { reducedMotion },
    );
    await anna.clickMove('h2', 'e2');
    await bo.clickMove('h9', 'g7');
    await expect(anna.point('g7')).not.toHaveAccessibleName(/empty/);
    await anna.button('One move back').click();
    await expect(anna.point('h9')).not.toHaveAccessibleName(/empty/);
    await anna.button('One move forward').click();
    await expect(anna.point('g7')).not.toHaveAccessibleName(/empty/);
    const cells = (await motionsOf(anna.page)).map((motion) => motion.split(' ')[0]);
    expect(cells).toEqual(reducedMotion === 'reduce' ? [] : ['e2', 'g7', 'h9', 'g7']);
    if (reducedMotion === undefined) {
      const back = (await motionsOf(anna.page))[2]!;
      expect(back, 'the way back').not.toBe((await motionsOf(anna.page))[3]);
    }
  }
});
