// A first visit: a person starts a game of gomoku against an engine from the home page and plays it to its end.
import { expect, test } from '../support/test';
import { RoomPage } from '../support/room';

test('a new visitor plays gomoku against the engine to the end', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'New game' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New game' });
  await dialog.getByRole('combobox', { name: 'Game', exact: true }).selectOption({ label: 'Gomoku and renju' });
  const [black, white] = [dialog.getByRole('group', { name: 'Black' }), dialog.getByRole('group', { name: 'White' })];
  await black.getByRole('radio', { name: 'You', exact: true }).check();
  await white.getByRole('radio', { name: 'Engine', exact: true }).check();
  await white.getByRole('combobox', { name: 'Engine' }).selectOption('gomoku-alpha');
  await white.getByRole('combobox', { name: 'Time' }).selectOption({ label: 'depth 6' });
  await dialog.getByRole('button', { name: 'Start game' }).click();

  const room = new RoomPage(page);
  const rematch = page.getByRole('button', { name: /^Rematch/ });
  // Scattered stones do not hinder the engine, so it wins soon.
  for (const row of [1, 4, 7, 10, 13, 15, 2, 5, 8, 11, 14]) {
    for (const column of ['a', 'd', 'g', 'j', 'm', 'o']) {
      await expect(rematch.or(room.yourMove)).toBeVisible();
      if (await rematch.isVisible()) {
        break;
      }
      await room.placeInRow(`${column}${row}`, 'black');
    }
    if (await rematch.isVisible()) {
      break;
    }
  }
  await expect(rematch).toBeVisible();
  await expect(page.getByText(/ \((Black|White)\) wins$/)).toBeVisible();
});
