// Somebody who has never been here opens the first page, begins a game of gomoku against the sample
// engine, and plays it to its end, with nothing but what the page says.
import { expect, test } from '../support/test';
import { Table } from '../support/room';

test('a stranger plays gomoku against the engine to the end', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'New game' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New game' });
  await dialog.getByRole('combobox', { name: 'Game', exact: true }).selectOption({ label: 'Gomoku and renju' });
  const [black, white] = [dialog.getByRole('group', { name: 'Black' }), dialog.getByRole('group', { name: 'White' })];
  await black.getByRole('radio', { name: 'a person here' }).check();
  await white.getByRole('radio', { name: 'an engine' }).check();
  await white.getByRole('combobox', { name: 'Engine' }).selectOption('gomoku-alpha');
  await white.getByRole('combobox', { name: 'Time' }).selectOption({ label: 'depth 6' });
  await dialog.getByRole('button', { name: 'Begin' }).click();

  const table = new Table(page);
  const over = page.getByRole('button', { name: /^Play again/ });
  // Far apart and out of the engine's way: it wins soon.
  for (const row of [1, 4, 7, 10, 13, 15, 2, 5, 8, 11, 14]) {
    for (const column of ['a', 'd', 'g', 'j', 'm', 'o']) {
      await expect(over.or(table.myMove)).toBeVisible();
      if (await over.isVisible()) break;
      await table.layAnywhere(`${column}${row}`, 'black');
    }
    if (await over.isVisible()) break;
  }
  await expect(over).toBeVisible();
  await expect(page.getByText(/ \((Black|White)\) wins$/)).toBeVisible();
});
