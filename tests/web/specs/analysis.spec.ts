// An engine analyses a finished game up to its last position, which has no move and is no error.
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

test('the analysis of a finished game ends without an error', async ({ server, person }) => {
  const moves = ['h8', 'h9', 'i8', 'i9', 'j8', 'j9', 'k8', 'k9'];
  const opened = await openRoom(server, {
    variant: 'freestyle',
    moves,
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  const [anna, bo] = [await person(), await person()];
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  await new RoomPage(anna.page).place('l8', 'black');
  const { page } = anna;
  await expect(page.getByText(/Anna \(black\) wins/i).first()).toBeVisible();
  const section = page.getByRole('region', { name: 'Analyse the game' });
  await section.getByLabel('Engine').selectOption('gomoku-alpha');
  await section.getByLabel('Time').selectOption({ label: 'depth 6' });
  await section.getByRole('button', { name: 'Analyse the game' }).click();
  await expect(section.getByText('2 of 2 positions')).toBeVisible();
  await expect(section.getByRole('button', { name: 'Analyse the game' })).toBeVisible();
  await expect(section.locator('.error')).toHaveCount(0);
});

test('a mistake has the number of its move in the list of moves', async ({ server, person }) => {
  const opened = await openRoom(server, {
    variant: 'freestyle',
    moves: ['h8', 'h9', 'i8', 'i9', 'j8', 'j9', 'k8', 'k9'],
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  const [anna, bo] = [await person(), await person()];
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  // Black has an open row of four and does not complete it.
  await new RoomPage(anna.page).place('a15', 'black');
  await new RoomPage(bo.page).place('l9', 'white');
  const { page } = anna;
  await expect(page.getByText(/Bo \(white\) wins/i).first()).toBeVisible();
  await expect(page.getByRole('group', { name: 'Moves' })).toContainText(/5\.\s*a15/);
  const section = page.getByRole('region', { name: 'Analyse the game' });
  await section.getByLabel('Engine').selectOption('gomoku-alpha');
  await section.getByLabel('Time').selectOption({ label: 'depth 6' });
  await section.getByRole('button', { name: 'Analyse the game' }).click();
  await expect(section.getByText('3 of 3 positions')).toBeVisible();
  await section.getByRole('button', { name: '5. a15' }).click();
  await expect(new RoomPage(page).point('a15')).toHaveAccessibleName(/black/);
  await expect(new RoomPage(page).point('l9')).toHaveAccessibleName(/empty/);
});
