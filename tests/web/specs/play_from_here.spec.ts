// A new game from a position of a finished one keeps its moves: in the list, on the board, in the record. They are no moves
// of the new game: Undo ends after them.
import { readFile } from 'node:fs/promises';
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

test('a game that continues another one has its moves', async ({ server, person }) => {
  const opened = await openRoom(server, { variant: 'freestyle', seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  const [anna, bo] = [await person(), await person()];
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  const { page } = anna;
  const room = new RoomPage(page);
  await room.place('h8', 'black');
  await new RoomPage(bo.page).place('h9', 'white');
  await room.place('i8', 'black');
  await room.resign();

  // The replay, one move back.
  await page.getByRole('link', { name: 'Replay' }).click();
  await room.expectOn('i8', 'black');
  await room.button('One move back').click();
  await room.expectOn('i8', 'empty');
  await room.button('Play from here').click();
  const dialog = page.getByRole('dialog');
  const [black, white] = [dialog.getByRole('group', { name: 'Black' }), dialog.getByRole('group', { name: 'White' })];
  await black.getByRole('radio', { name: 'You', exact: true }).check();
  await white.getByRole('radio', { name: 'Engine', exact: true }).check();
  await white.getByRole('combobox', { name: 'Engine' }).selectOption('random-mover');
  await dialog.getByRole('button', { name: 'Start game' }).click();

  const moves = page.getByRole('group', { name: 'Moves' });
  const listed = () => moves.getByRole('button').allInnerTexts();
  await expect(moves).toContainText('This game begins here.');
  await expect.poll(listed).toEqual(['Start', 'h8', 'h9']);
  await room.expectOn('h8', 'black');
  await room.expectOn('h9', 'white');
  await expect(room.button('Undo')).toBeDisabled();

  // The moves of the other game can be looked at.
  await room.button('One move back').click();
  await room.expectOn('h9', 'empty');
  await room.button('One move back').click();
  await room.expectOn('h8', 'empty');
  await room.button('Back to the game').click();

  await room.placeInRow('j7', 'black');
  await expect(room.stones('white')).toHaveCount(2);
  await expect.poll(async () => (await listed()).length).toBe(5);
  expect((await listed()).slice(0, 3)).toEqual(['Start', 'h8', 'h9']);
  await room.button('To the start').click();
  await room.button('Undo to here').click();
  await expect(room.stones('black')).toHaveCount(1);
  await expect(room.button('Undo')).toBeDisabled();
  await room.expectOn('h9', 'white');

  await room.placeInRow('k7', 'black');
  await expect(room.stones('white')).toHaveCount(2);
  const download = page.waitForEvent('download');
  await room.button('Download game').click();
  const record = JSON.parse(await readFile(await (await download).path(), 'utf8')) as Record<string, unknown>;
  expect(record['opening']).toEqual([
    { seat: 0, move: 'h8' },
    { seat: 1, move: 'h9' },
  ]);
  expect(record['plies']).toHaveLength(2);

  // So does the replay of the new game; and after a reload of the page.
  await page.reload();
  await room.expectOn('h9', 'white');
  await expect(moves).toContainText('This game begins here.');
  await room.resign();
  await page.getByRole('link', { name: 'Replay' }).click();
  await expect.poll(async () => (await listed()).slice(0, 3)).toEqual(['Start', 'h8', 'h9']);
  await expect(moves).toContainText('This game begins here.');
});
