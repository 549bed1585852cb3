// Takes a picture of every screen in four sizes, light and dark, in English and Chinese, to be looked at: one sheet for each
// combination in target/screens. Compares nothing.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { listScreens } from '../support/screens';
import { expect, test } from '../support/test';

const folder = resolve(import.meta.dirname, '../../../target/screens');
const SIZES = [
  { width: 360, height: 740 },
  { width: 844, height: 390 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
];
/** The width of a picture on a sheet. */
const SHOWN_WIDTH = 480;

test.use({ serverOptions: { engines: ['gomoku-alpha', 'random-mover'] } });
test.setTimeout(1_200_000);

for (const viewport of SIZES) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const locale of ['en-GB', 'zh-CN']) {
      const name = `${viewport.width}x${viewport.height}-${colorScheme}-${locale.slice(0, 2)}`;
      test(name, async ({ server, person }) => {
        const { page } = await person({ viewport, colorScheme, locale });
        const own = join(folder, name);
        await rm(own, { recursive: true, force: true });
        await mkdir(own, { recursive: true });
        const pictures: string[] = [];
        for (const screen of await listScreens(server)) {
          await screen.open(page);
          await expect(page.getByText(/^(Loading …|加载中…)$/)).toHaveCount(0);
          await page.evaluate(() => document.fonts.ready);
          const path = join(own, `${screen.name}.png`);
          await page.screenshot({ path });
          const data = (await readFile(path)).toString('base64');
          pictures.push(
            `<figure><img src="data:image/png;base64,${data}"><figcaption>${screen.name}</figcaption></figure>`,
          );
        }
        const sheet = (await person({ viewport: { width: 2000, height: 1200 } })).page;
        const style = `body{display:flex;flex-wrap:wrap;gap:8px;margin:8px;font:16px sans-serif;background:#888}
          figure{margin:0}img{display:block;width:${viewport.width < 500 ? SHOWN_WIDTH / 2 : SHOWN_WIDTH}px}`;
        const html = `<!doctype html><style>${style}</style>${pictures.join('')}`;
        await writeFile(join(own, 'sheet.html'), html);
        await sheet.setContent(html);
        await sheet.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
      });
    }
  }
}
