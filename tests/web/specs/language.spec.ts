// The languages: what the server says is shown in the language of the page, moves are named as its readers write them, and
// a page loads the texts of its language only.
import type { Page } from '@playwright/test';
import { expect, test } from '../support/test';
import { openRoom } from '../support/room';

test.use({ serverOptions: { engines: ['faulty'], games: ['connect-four', 'hearts', 'hex'] } });

/** Words in Latin letters, other than the names of players and of points. */
const latinWords = (text: string) =>
  (text.match(/[A-Za-z]{2,}/g) ?? []).filter((word) => !['Anna', 'Bo', 'Humpty', 'CPU'].includes(word));

const cell = (page: Page, name: string) =>
  page.getByRole('grid').getByRole('gridcell', { name: new RegExp(`^${name}[,，]`) });

test('in Chinese, a refused move says why', async ({ server, person }) => {
  const { page } = await person({ locale: 'zh-CN' });
  const opened = await openRoom(server, {
    variant: 'freestyle',
    moves: ['h8', 'h9'],
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  for (const path of opened.paths) {
    await page.goto(path);
    await expect(page.getByRole('grid')).toBeVisible();
  }
  await expect(page.getByText(/^轮到你走/).first()).toBeVisible();
  await cell(page, 'h8').click({ force: true });
  await expect(page.locator('.refusal')).toHaveText('着法“h8”被拒绝：h8 已有黑子');
  await expect(page.locator('.title').first()).toContainText('自由规则（15 路）');
});

test('in Chinese, a result by time', async ({ server, person }) => {
  const { page } = await person({ locale: 'zh-CN' });
  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: ['Anna', 'Bo'].map((name) => ({ name, budget: '1s/move' })),
    settings: { grace_ms: 0, first_move_ms: 0 },
  });
  for (const path of opened.paths) {
    await page.goto(path);
    await expect(page.getByRole('grid')).toBeVisible();
  }
  const result = page.locator('.result p.muted');
  await expect(result).toHaveText(/^Anna（黑方）超时判负：用了 .*，限时 1 秒$/);
  expect(latinWords(await result.innerText())).toEqual([]);
});

test('in Chinese, a fault of an engine', async ({ server, person }) => {
  const { page } = await person({ locale: 'zh-CN' });
  const opened = await openRoom(server, {
    variant: 'freestyle',
    seats: [
      { name: 'Anna' },
      { name: 'Humpty', engine: { id: 'faulty', options: { fault: 'loop' } }, budget: '1s/move' },
    ],
  });
  await page.goto(opened.paths[0]!);
  await expect(page.getByText('轮到你走', { exact: true })).toBeVisible();
  await cell(page, 'h8').click();
  const result = page.locator('.result p.muted');
  await expect(result).toHaveText(/^Humpty（白方）超时判负：没有在 .*毫秒.*内回应$/);
  const log = page.getByRole('region', { name: '日志' });
  await expect(log).toContainText('内回应');
  expect(latinWords(`${await result.innerText()} ${await log.innerText()}`)).toEqual([]);
});

test('moves of xiangqi are named as chosen', async ({ server, person }) => {
  const { page } = await person({ locale: 'zh-CN' });
  const opened = await openRoom(server, {
    game: 'xiangqi',
    variant: 'computer',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  for (const path of opened.paths) {
    await page.goto(path);
    await expect(page.getByRole('grid')).toBeVisible();
  }
  await expect(page.getByText(/^轮到你走/).first()).toBeVisible();
  await cell(page, 'h2').click();
  await cell(page, 'e2').click();
  const moves = page.getByRole('group', { name: '着法', exact: true });
  await expect(moves.getByRole('button', { name: '炮二平五' })).toBeVisible();
  // A typed move in any notation.
  const typed = page.getByRole('textbox', { name: '输入着法' });
  await typed.fill('馬8進7');
  await typed.press('Enter');
  await expect(moves.getByRole('button', { name: '马８进７' })).toBeVisible();
  await typed.fill('H2+3');
  await typed.press('Enter');
  await expect(moves.getByRole('button', { name: '马二进三' })).toBeVisible();
  await page.getByRole('button', { name: '设置' }).click();
  await page.getByRole('combobox', { name: '棋种' }).selectOption('xiangqi');
  await page.getByRole('combobox', { name: '记谱' }).selectOption('wxf');
  await page.keyboard.press('Escape');
  await expect(moves.getByRole('button')).toHaveText(['起始局面', 'C2=5', 'H8+7', 'H2+3']);
});

test('in English, moves of xiangqi are those of the board, and cards have symbols', async ({ server, page }) => {
  const xiangqi = await openRoom(server, {
    game: 'xiangqi',
    variant: 'computer',
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  for (const path of xiangqi.paths) {
    await page.goto(path);
    await expect(page.getByRole('grid')).toBeVisible();
  }
  await expect(page.getByText(/^Your move/).first()).toBeVisible();
  await cell(page, 'h2').click();
  await cell(page, 'e2').click();
  const moves = page.getByRole('group', { name: 'Moves', exact: true });
  await expect(moves.getByRole('button', { name: 'h2e2' })).toBeVisible();
  const bridge = await openRoom(server, {
    game: 'bridge',
    variant: 'double-dummy',
    start: 'N:KQ86.T76.A42.AK7 J5.J985.J963.643 932..KQT75.QT952 AT74.AKQ432.8.J8 S W -',
    seats: ['Anna', 'Bo'].map((name, side) => ({ name, seats: [side, side + 2] })),
  });
  for (const path of bridge.paths) {
    await page.goto(path);
    await expect(page.getByRole('grid').first()).toBeVisible();
  }
  await expect(page.getByText(/^Your move/).first()).toBeVisible();
  const typed = page.getByRole('textbox', { name: 'Type a move' });
  await typed.fill('♥A');
  await typed.press('Enter');
  await expect(moves.getByRole('button', { name: /^♥\uFE0EA$/ })).toBeVisible();
  await expect(page.getByText('Bo: west, ace of hearts.')).toBeAttached();
});

test('a German page loads German texts only, and changes to English', async ({ person }) => {
  const { page } = await person({ locale: 'de-DE' });
  const tables: string[] = [];
  page.on('request', (request) => {
    const table = /assets\/(en|zh|de)-[^/]*\.js$/.exec(request.url());
    if (table !== null) {
      tables.push(table[1]!);
    }
  });
  await page.goto('/');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect(page.getByRole('heading', { level: 1, name: 'Spielen' })).toBeAttached();
  expect(tables).toEqual(['de']);
  await page.getByRole('button', { name: 'Einstellungen' }).click();
  await page.getByRole('combobox', { name: 'Sprache' }).selectOption({ label: 'English' });
  await expect(page.getByRole('combobox', { name: 'Language' })).toHaveValue('en');
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  expect(tables).toEqual(['de', 'en']);
});

test('in Chinese, a plugged-in game has its own words', async ({ server, person }) => {
  const { page } = await person({ locale: 'zh-CN' });
  await page.goto('/');
  await expect(page.getByRole('article', { name: '四子棋', exact: true })).toBeVisible();
  await page.getByRole('button', { name: '新对局' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: /^棋种/ }).selectOption({ label: '红心大战' });
  const variants = dialog.getByRole('combobox', { name: /^规则/ });
  await expect(variants.getByRole('option')).toHaveText(['传左家', '传右家', '传对家', '不传牌']);
  await expect(dialog.getByText('一副牌；每家传三张牌给左家')).toBeVisible();
  await expect(dialog.getByRole('group', { name: '南', exact: true })).toBeVisible();

  const opened = await openRoom(server, {
    game: 'connect-four',
    variant: 'standard',
    moves: ['a', 'b', 'a', 'b', 'a', 'b'],
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  for (const path of opened.paths) {
    await page.goto(path);
    await expect(page.getByRole('grid')).toBeVisible();
  }
  await page.goto(opened.paths[0]!);
  await expect(page.locator('.title').first()).toContainText('四子棋，标准规则');
  await cell(page, 'a4').click();
  await expect(page.locator('.result .headline')).toHaveText('Anna（红方）胜');
  await expect(page.locator('.result p.muted')).toHaveText('Anna（红方）胜：四子连线');
});

test('in Chinese, a plugged-in game refuses a move in its own words', async ({ server, person }) => {
  const { page } = await person({ locale: 'zh-CN' });
  const opened = await openRoom(server, {
    game: 'hex',
    variant: 'plain-5',
    moves: ['b2', 'c3'],
    seats: [{ name: 'Anna' }, { name: 'Bo' }],
  });
  for (const path of opened.paths) {
    await page.goto(path);
    await expect(page.getByRole('grid')).toBeVisible();
  }
  await page.goto(opened.paths[0]!);
  const typed = page.getByLabel('输入着法');
  await typed.fill('h9');
  await typed.press('Enter');
  await expect(page.getByText('着法“h9”被拒绝：着法写作列（a 至 e）加行（1 至 5）').first()).toBeVisible();
});

test('in Chinese, the rules of a plugged-in game ask in its own words', async ({ server, person }) => {
  const { page } = await person({ locale: 'zh-CN' });
  const opened = await openRoom(server, {
    game: 'hearts',
    variant: 'pass-left',
    seats: ['Anna', 'Bo', 'Cai', 'Dan'].map((name) => ({ name })),
  });
  for (const path of opened.paths.slice().reverse()) {
    await page.goto(path);
    await expect(page.getByRole('grid')).toBeVisible();
  }
  await expect(page.locator('.prompt')).toHaveText('选择传给左家的第 1 张牌，共 3 张');
  await expect(page.locator('.prompt')).not.toHaveAttribute('lang');
  await expect(page.getByText('得分：南 0 · 西 0 · 北 0 · 东 0')).toBeVisible();
});
