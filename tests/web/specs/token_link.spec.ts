// The link that the server prints makes its holder the operator; no other visitor is.
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: [], token: 'drawn' } });

test('the printed link logs in, and the token does not stay in the address', async ({ server, person }) => {
  const [operator, stranger] = [await person(), await person()];
  await stranger.page.goto('/');
  await expect(stranger.page.getByLabel('Token')).toBeVisible();
  await stranger.page.goto('/#token=00000000000000000000000000000000');
  await expect(stranger.page.getByLabel('Token')).toBeVisible();

  expect(server.link).toMatch(/#token=[0-9a-f]{32}$/);
  await operator.page.goto(server.link);
  await operator.page.getByRole('link', { name: 'Operator' }).click();
  await expect(operator.page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(operator.page.url()).not.toContain('token');
  // The page of a new game says that its link for spectators needs the token.
  await operator.page.goto('/');
  await operator.page
    .getByRole('article', { name: 'Gomoku and renju' })
    .getByRole('button', { name: 'Play a friend' })
    .click();
  await expect(operator.page.getByText('Spectators need the token of this server.')).toBeVisible();
  // The cookie keeps the operator logged in.
  await operator.page.goto('/operator');
  await expect(operator.page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(operator.page.getByLabel('Token')).toHaveCount(0);

  // In a tab that shows the login page already, the link changes only the fragment of the address.
  await stranger.page.goto('/');
  await expect(stranger.page.getByLabel('Token')).toBeVisible();
  await stranger.page.evaluate((link) => (location.href = link), server.link);
  await expect(stranger.page.getByRole('link', { name: 'Operator' })).toBeVisible();
  expect(stranger.page.url()).not.toContain('token');
});
