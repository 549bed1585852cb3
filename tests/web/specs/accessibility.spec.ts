// Every screen is accessible in light and dark mode, and fits into 360 pixels in English and Chinese.
import { findViolations, injectAxe } from '../support/axe';
import { expect, test } from '../support/test';
import { listScreens } from '../support/screens';

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no accessibility violations, ${colorScheme}`, async ({ server, person }) => {
    const { page } = await person({ colorScheme, reducedMotion: 'reduce' });
    await injectAxe(page);
    for (const screen of await listScreens(server)) {
      await screen.open(page);
      expect(await findViolations(page), screen.name).toEqual([]);
    }
  });
}

test('a violation is detected', async ({ page }) => {
  await injectAxe(page);
  await page.goto('/');
  await expect(page.getByRole('main')).toBeVisible();
  await page.evaluate(() => document.querySelector('main')?.append(document.createElement('button')));
  expect((await findViolations(page)).join()).toContain('button-name');
});

for (const locale of ['en-GB', 'zh-CN']) {
  test(`every screen fits into 360 pixels, ${locale}`, async ({ server, person }) => {
    const { page } = await person({ viewport: { width: 360, height: 740 }, locale });
    for (const screen of await listScreens(server)) {
      await screen.open(page);
      await expect(page.locator('html')).toHaveAttribute('lang', new RegExp(`^${locale.slice(0, 2)}`));
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, screen.name).toBeLessThanOrEqual(360);
    }
  });
}

for (const [width, height] of [
  [1200, 800],
  [1366, 768],
  [1920, 1080],
] as const) {
  test(`both player cards are visible at ${width} by ${height}`, async ({ server, person }) => {
    const { page } = await person({ viewport: { width, height } });
    for (const screen of await listScreens(server)) {
      if (['gomoku', 'reversi', 'xiangqi', 'bridge'].includes(screen.name)) {
        await screen.open(page);
        for (const name of [/^Anna, /, /^Bo, /]) {
          await expect(page.getByRole('group', { name }), screen.name).toBeInViewport({ ratio: 1 });
        }
      }
    }
  });
}
