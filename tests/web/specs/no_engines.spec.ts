// The first page of a server without engines and without games in progress.
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: [] } });

test('without engines the first page offers friends, and a place for an engine', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByText('No games right now.')).toBeVisible();
  await expect(page.getByText('No engine plays this game yet.')).toHaveCount(4);
  await expect(page.getByRole('button', { name: /Play the computer/ })).toHaveCount(0);
  await expect(page.getByRole('toolbar')).toHaveCount(0);
  await expect(page.getByRole('group', { name: 'Drop your engine here' })).toBeVisible();
  await page.getByRole('button', { name: 'Reversi: Play a friend' }).click();
  await expect(page.getByRole('textbox', { name: /^Invite link for / })).toHaveValue(/#/);
});
