// On a phone the points of a large board are smaller than a finger: the first tap shows the point enlarged, the second plays.
import { openRoom, RoomPage } from '../support/room';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: [] } });

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

test('two taps play on a small point', async ({ server, person }) => {
  const opened = await openRoom(server, { variant: 'freestyle', seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  const [anna, bo] = [await person(PHONE), await person()];
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  const [black, white] = [new RoomPage(anna.page), new RoomPage(bo.page)];
  const { page } = anna;
  const loupe = page.locator('.loupe');
  await expect(black.yourMove).toBeVisible();
  expect((await black.point('h8').boundingBox())!.width).toBeLessThan(32);

  await black.point('h8').tap();
  await expect(page.getByText('h8: tap again to play.')).toBeVisible();
  await expect(loupe).toHaveCount(1);
  await black.expectOn('h8', 'empty');
  // A tap on another point aims there.
  await black.point('i8').tap();
  await expect(page.getByText('i8: tap again to play.')).toBeVisible();
  await black.point('i8').tap();
  await black.expectOn('i8', 'black');
  await expect(loupe).toHaveCount(0);
  // A mouse needs one click.
  await white.place('h9', 'white');

  // The button plays, too.
  await expect(black.yourMove).toBeVisible();
  await black.point('j8').tap();
  await black.button('Play j8').tap();
  await black.expectOn('j8', 'black');

  // The next move of the other player ends aiming, also for a premove.
  await black.point('a1').tap();
  await expect(loupe).toHaveCount(1);
  await white.place('h10', 'white');
  await expect(loupe).toHaveCount(0);
  await black.expectOn('a1', 'empty');

  await black.button('Settings').tap();
  await page.getByRole('checkbox', { name: /two taps/ }).uncheck();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).tap();
  await black.point('a1').tap();
  await black.expectOn('a1', 'black');
});

test('one tap plays on a large point', async ({ server, person }) => {
  const opened = await openRoom(server, {
    game: 'reversi',
    variant: 'standard',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  const [anna, bo] = [await person(PHONE), await person()];
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  const black = new RoomPage(anna.page);
  await expect(black.yourMove).toBeVisible();
  expect((await black.point('d3').boundingBox())!.width).toBeGreaterThan(32);
  await black.point('d3').tap();
  await black.expectOn('d3', 'black');
});
