// A game against an engine is paused, three moves are taken back by looking at the position before them, the record is
// saved, the page reloaded, the game resumed.
import { readFile } from 'node:fs/promises';
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

test('pause, undo three, save, reload, resume', async ({ server, page }) => {
  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: [{ name: 'Anna' }, { name: 'Chance', engine: { id: 'random-mover' }, budget: '1s/move' }],
    settings: { undo: true, draw_offers: true },
  });
  const room = new RoomPage(page);
  await page.goto(opened.paths[0]!);
  for (const point of ['a1', 'c3', 'e5']) {
    await room.placeInRow(point, 'black');
  }
  await expect(room.stones('black')).toHaveCount(3);
  await expect(room.stones('white')).toHaveCount(3);

  await room.button('Pause').click();
  await expect(room.button('Resume')).toBeVisible();
  await room.button('To the start').click();
  for (let ply = 0; ply < 3; ply++) {
    await room.button('One move forward').click();
  }
  await room.button('Undo to here').click();
  // The engine is to move, but waits until the game is resumed.
  await expect(room.stones('black')).toHaveCount(2);
  await expect(room.stones('white')).toHaveCount(1);

  const download = page.waitForEvent('download');
  await room.button('Download game').click();
  const record = JSON.parse(await readFile(await (await download).path(), 'utf8')) as { plies: unknown[] };
  expect(record.plies).toHaveLength(3);

  await page.reload();
  await expect(room.stones('black')).toHaveCount(2);
  await room.button('Resume').click();
  await expect(room.stones('white')).toHaveCount(2);
  await expect(room.yourMove).toBeVisible();
});
