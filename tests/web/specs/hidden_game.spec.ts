// A person plays a game with hidden cards. Neither the page nor its sockets have the opponent's card before the end.
import type { Page } from '@playwright/test';
import { findViolations, injectAxe } from '../support/axe';
import { openRoom, RoomPage } from '../support/room';
import type { Server } from '../support/server';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: ['kuhn-equilibrium'], games: ['kuhn-poker'] } });

const CARD_NAMES: Record<string, string> = { J: 'jack', Q: 'queen', K: 'king' };

/** The cards of Kuhn poker that a text names, as letters or as words. The name of the game has a K, too. */
function cardsIn(text: string): string[] {
  const rest = text.replace(/Kuhn[ -]\w+|\bKeyboard\b/g, '');
  return Object.entries(CARD_NAMES).flatMap(([letter, name]) =>
    rest.includes(letter) || new RegExp(`\\b${name}\\b`).test(rest) ? [letter] : [],
  );
}

/** Everything that the page's main part contains, with names and other attributes. */
const markupOf = (page: Page): Promise<string> =>
  page.locator('main').evaluate((main) => new XMLSerializer().serializeToString(main));

/** The messages that a page's sockets receive from now on. */
function receivedFrames(page: Page): string[] {
  const frames: string[] = [];
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => frames.push(payload.toString())));
  return frames;
}

const isOver = (frame: string) => (JSON.parse(frame) as { state?: string }).state === 'over';

/** A room of a person and an engine, opened in the person's browser. */
async function openAgainstEngine(server: Server, page: Page, personFirst: boolean): Promise<string> {
  const [person, engine] = [{ name: 'Anna' }, { name: 'Bot', engine: { id: 'kuhn-equilibrium' }, budget: '5s/move' }];
  const seats = personFirst ? [person, engine] : [engine, person];
  const opened = await openRoom(server, { game: 'kuhn-poker', variant: 'standard', seats });
  await page.goto(opened.paths[0]!);
  return opened.id;
}

/** The cards dealt to both seats, from the record. */
async function dealtCards(server: Server, room: string): Promise<[string, string]> {
  const response = await fetch(`${server.address}/api/v1/rooms/${room}/record`);
  expect(response.status).toBe(200);
  const { plies } = (await response.json()) as { plies: { move: string }[] };
  return [plies[0]!.move, plies[1]!.move];
}

for (const personFirst of [true, false]) {
  test(`the other card is secret until the end: the person is ${personFirst ? 'first' : 'second'}`, async ({
    server,
    person,
  }) => {
    const { page } = await person({ viewport: { width: 390, height: 844 } });
    await injectAxe(page);
    const frames = receivedFrames(page);
    const id = await openAgainstEngine(server, page, personFirst);
    const room = new RoomPage(page);
    await expect(room.yourMove).toBeVisible();

    // What needs the whole game is not offered, and the page says why.
    const early = await fetch(`${server.address}/api/v1/rooms/${id}/record`);
    expect(early.status).toBe(409);
    await expect(page.getByText('You see what your seat sees.')).toBeVisible();
    await expect(page.getByText('can be saved after its end')).toBeVisible();
    for (const name of ['Try moves', 'Web page (HTML)', 'Undo']) {
      await expect(room.button(name)).toHaveCount(0);
    }
    for (const name of ['Analysis', 'Play from here', 'Download game']) {
      await expect(room.button(name)).toBeDisabled();
    }
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);

    // The own card is the only one on the page. A bet is legal at each turn, so it is called or calls.
    const own = cardsIn(await markupOf(page));
    expect(own).toHaveLength(1);
    const before = [...frames];
    await page.getByRole('button', { name: /^(Bet|Call)$/ }).click();
    await expect(page.getByRole('table', { name: 'Scores' })).toBeVisible();

    const dealt = await dealtCards(server, id);
    const [ownSeat, otherSeat] = personFirst ? ([0, 1] as const) : ([1, 0] as const);
    expect(own).toEqual([dealt[ownSeat]]);
    const earlyFrames = frames.filter((frame) => !isOver(frame));
    expect(earlyFrames.length).toBeGreaterThanOrEqual(before.length);
    expect([...new Set(earlyFrames.flatMap(cardsIn))]).toEqual(own);

    // After the end both cards are shown, on the board and in the moves; the rest of the page is there, too.
    await expect(page.getByRole('gridcell', { name: new RegExp(`, ${dealt[otherSeat]}\\b`) })).toBeVisible();
    await expect(page.getByRole('row')).toContainText([/Score/, /Anna|Bot/, /Anna|Bot/]);
    for (const name of ['Try moves', 'Play from here', 'Download game', 'Web page (HTML)']) {
      await expect(room.button(name)).toBeEnabled();
    }
    await room.button('To the start').click();
    await expect(page.getByText('Position after 0 of', { exact: false }).first()).toBeAttached();
    expect(await findViolations(page)).toEqual([]);
  });
}

test('a spectator sees no card before the end', async ({ server, person }) => {
  const [anna, eve] = [await person(), await person()];
  const frames = receivedFrames(eve.page);
  const id = await openAgainstEngine(server, anna.page, true);
  await eve.page.goto(`/room/${id}`);
  await expect(new RoomPage(anna.page).yourMove).toBeVisible();
  await expect(eve.page.getByText('hidden from spectators')).toBeVisible();
  expect(cardsIn(await markupOf(eve.page))).toEqual([]);
  await anna.page.getByRole('button', { name: 'Bet', exact: true }).click();
  await expect(eve.page.getByRole('table', { name: 'Scores' })).toBeVisible();
  expect(frames.filter((frame) => !isOver(frame)).flatMap(cardsIn)).toEqual([]);
  expect(cardsIn(await markupOf(eve.page)).length).toBeGreaterThanOrEqual(2);
});

test('two persons at one browser are refused, with the reason', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'New game' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: /^Game/ }).selectOption('kuhn-poker');
  const second = dialog.getByRole('group', { name: 'Second', exact: true });
  await second.getByRole('radio', { name: 'You', exact: true }).check();
  await expect(dialog.getByRole('alert')).toContainText('Only one person can play at this browser');
  await expect(dialog.getByRole('button', { name: 'Start game' })).toBeDisabled();
  await second.getByRole('radio', { name: 'Friend (link)' }).check();
  await dialog.getByRole('button', { name: 'Start game' }).click();
  await expect(page.getByRole('textbox', { name: /^Invite link for Second/ })).toBeVisible();
});
