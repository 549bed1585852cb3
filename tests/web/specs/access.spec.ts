// What holds of every screen, light and dark: axe-core finds nothing serious, and at 360 pixels
// nothing has to be scrolled sideways, in English and in Chinese.
import { barriers, bringAxe } from '../support/axe';
import { expect, test } from '../support/test';
import { screens } from '../support/screens';

for (const colorScheme of ['light', 'dark'] as const) {
  test(`nobody is shut out, ${colorScheme}`, async ({ server, person }) => {
    const { page } = await person({ colorScheme, reducedMotion: 'reduce' });
    await bringAxe(page);
    for (const screen of await screens(server)) {
      await screen.open(page);
      expect(await barriers(page), screen.name).toEqual([]);
    }
  });
}

test('a barrier is noticed', async ({ page }) => {
  await bringAxe(page);
  await page.goto('/');
  await page.evaluate(() => document.querySelector('main')?.append(document.createElement('button')));
  expect((await barriers(page)).join()).toContain('button-name');
});

for (const locale of ['en-GB', 'zh-CN']) {
  test(`360 pixels are wide enough, ${locale}`, async ({ server, person }) => {
    const { page } = await person({ viewport: { width: 360, height: 740 }, locale });
    for (const screen of await screens(server)) {
      await screen.open(page);
      await expect(page.locator('html')).toHaveAttribute('lang', new RegExp(`^${locale.slice(0, 2)}`));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide, screen.name).toBeLessThanOrEqual(360);
    }
  });
}

for (const [width, height] of [
  [1200, 800],
  [1366, 768],
  [1920, 1080],
] as const) {
  test(`both players are in sight at ${width} by ${height}`, async ({ server, person }) => {
    const { page } = await person({ viewport: { width, height } });
    for (const screen of await screens(server)) {
      if (['gomoku', 'reversi', 'xiangqi', 'bridge'].includes(screen.name)) {
        await screen.open(page);
        for (const name of [/^Anna, /, /^Bo, /]) {
          await expect(page.getByRole('group', { name }), screen.name).toBeInViewport({ ratio: 1 });
        }
      }
    }
  });
}
