// A friend is invited by a link and gives a name; a player who waits for a stranger cancels; chance gives the sides; a person
// who takes the place of an engine gets a person's time.
import { expect, test } from '../support/test';
import { RoomPage } from '../support/room';

test.use({ serverOptions: { engines: ['random-mover'] } });

test('a guest gives a name before the game begins', async ({ page, person }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'New game' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New game' });
  const [own, other] = [dialog.getByRole('group', { name: /^black/i }), dialog.getByRole('group', { name: /^white/i })];
  await own.getByLabel('Name').fill('Anna');
  await other.getByRole('radio', { name: 'Friend (link)' }).check();
  await expect(other.getByLabel('Name')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Start game' }).click();
  const link = await page.getByRole('textbox', { name: 'Invite link for White' }).inputValue();

  const guest = (await person()).page;
  await guest.goto(link);
  await expect(guest.getByRole('heading', { name: 'You are invited to a game' })).toBeVisible();
  await expect(guest.getByText('You play White. Also in the game: Anna.')).toBeVisible();
  // Looking at the invitation does not join the game, nor does loading it again.
  await guest.reload();
  await expect(guest.getByLabel('Name')).toBeFocused();
  await expect(page.getByRole('heading', { name: 'Waiting for players' })).toBeVisible();
  await guest.getByLabel('Name').fill('Bo Ölund');
  await guest.getByRole('button', { name: 'Join the game' }).click();
  await expect(new RoomPage(page).yourMove).toBeVisible();
  for (const each of [page, guest]) {
    await expect(each.getByRole('group', { name: 'Bo Ölund, White' })).toBeVisible();
  }
  // A guest who has joined is not asked again.
  await guest.reload();
  await expect(guest.getByRole('group', { name: 'Bo Ölund, White' })).toBeVisible();
  await new RoomPage(page).place('h8', 'black');
  await new RoomPage(guest).place('h9', 'white');
});

test('a player who waits for a stranger cancels, and is not offered any more', async ({ page, person }) => {
  const stranger = (await person()).page;
  await stranger.goto('/');
  await page.goto('/');
  await page.getByRole('button', { name: 'Find an opponent' }).click();
  await expect(page.getByRole('heading', { name: 'Waiting for players' })).toBeVisible();
  await expect(stranger.getByRole('button', { name: /^Join / })).toHaveCount(1);
  await page.getByRole('button', { name: 'Cancel the game' }).click();
  await expect(page.getByRole('button', { name: 'Find an opponent' })).toBeVisible();
  await expect(stranger.getByRole('button', { name: /^Join / })).toHaveCount(0);

  // A closed page is no opponent, either.
  await page.getByRole('button', { name: 'Find an opponent' }).click();
  await expect(stranger.getByRole('button', { name: /^Join / })).toHaveCount(1);
  await page.close();
  await expect(stranger.getByRole('button', { name: /^Join / })).toHaveCount(0);
});

test('chance gives the sides, and a person has a person’s time', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'New game' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New game' });
  const white = dialog.getByRole('group', { name: /^white/i });
  await white.getByRole('radio', { name: 'Engine', exact: true }).check();
  await white.getByRole('combobox', { name: 'Time' }).selectOption('fuel:1e9/move');
  await white.getByRole('radio', { name: 'You', exact: true }).check();
  await expect(white.getByRole('combobox', { name: 'Time' })).toHaveValue('10m+5s');
  await white.getByRole('radio', { name: 'Engine', exact: true }).check();
  await dialog.getByRole('checkbox', { name: 'sides by chance' }).check();
  await expect(dialog.getByRole('button', { name: 'Swap sides' })).toBeDisabled();
  const request = page.waitForRequest((request) => request.url().endsWith('/rooms') && request.method() === 'POST');
  const second = dialog.getByRole('group', { name: 'Player 2' });
  await expect(second.getByRole('radio', { name: 'Engine', exact: true })).toBeChecked();
  await dialog.getByRole('button', { name: 'Start game' }).click();
  expect((await request).postDataJSON()).toMatchObject({ random_seats: true });
  await expect(page).toHaveURL(/\/room\//);
  await expect(page.getByRole('grid')).toBeVisible();

  await page.goto('/');
  await page.getByRole('button', { name: 'New game' }).first().click();
  await expect(dialog.getByRole('checkbox', { name: 'sides by chance' })).toBeChecked();
});
