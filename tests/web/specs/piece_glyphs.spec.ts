// Xiangqi pieces have their characters, whether or not the machine has a font with Chinese ones.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '../support/test';
import { openRoom } from '../support/room';

/** A configuration of fontconfig in which no font has Chinese characters. */
const NO_CHINESE = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include>/etc/fonts/fonts.conf</include>
  <selectfont>
    <rejectfont><pattern><patelt name="lang"><string>zh-cn</string></patelt></pattern></rejectfont>
    <rejectfont><pattern><patelt name="lang"><string>zh-tw</string></patelt></pattern></rejectfont>
    <rejectfont><pattern><patelt name="lang"><string>ja</string></patelt></pattern></rejectfont>
  </selectfont>
</fontconfig>
`;

for (const isChineseInstalled of [true, false]) {
  test(`every kind of piece has a picture of its own, Chinese fonts: ${isChineseInstalled}`, async ({
    server,
    playwright,
    launchOptions,
  }) => {
    const seats = [{ name: 'Anna' }, { name: 'Bo' }];
    const opened = await openRoom(server, { game: 'xiangqi', variant: 'computer', seats });
    const folder = await mkdtemp(join(tmpdir(), 'sandboard-fonts-'));
    const fonts = join(folder, 'fonts.conf');
    await writeFile(fonts, NO_CHINESE);
    const environment: Record<string, string> = { PATH: process.env['PATH'] ?? '', HOME: folder };
    const browser = await playwright.chromium.launch({
      ...launchOptions,
      env: isChineseInstalled ? environment : { ...environment, FONTCONFIG_FILE: fonts },
    });
    try {
      const page = await browser.newPage();
      await page.goto(server.address + opened.paths[0]!);
      await expect(page.getByRole('grid')).toBeVisible();
      await page.evaluate(() => document.fonts.load('700 40px "Sandboard Pieces"', '帥'));
      // Each text is drawn alone, on the same spot.
      const pictures = await page.evaluate(() => {
        const texts = [...document.querySelectorAll<SVGTextElement>('main svg text[font-weight]')];
        const canvas = document.createElement('canvas');
        canvas.width = canvas.height = 80;
        const context = canvas.getContext('2d')!;
        return texts.map((text) => {
          const style = getComputedStyle(text);
          context.clearRect(0, 0, 80, 80);
          context.font = `${style.fontWeight} 40px ${style.fontFamily}`;
          context.fillText(text.textContent?.trim() ?? '', 10, 55);
          return [text.textContent?.trim() ?? '', canvas.toDataURL()] as const;
        });
      });
      expect(pictures).toHaveLength(32);
      const byText = new Map(pictures);
      expect([...byText.keys()].sort().join('')).toBe('仕俥傌兵卒士將帥炮相砲象車馬');
      expect(new Set(byText.values()).size, [...byText.keys()].join(' ')).toBe(byText.size);
    } finally {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
}
