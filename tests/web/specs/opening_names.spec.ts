// The names of openings: the last one on the way to the shown position, in the language of the page.
import { openRoom } from '../support/room';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: [] } });

const SEATS = [{ name: 'Anna' }, { name: 'Bo' }];

for (const { game, variant, moves, names, chinese } of [
  {
    game: 'reversi',
    variant: 'standard',
    moves: 'f5 d6 c3 d3 c4 f3',
    // After all moves, and after each step back.
    names: ['Tiger', 'Tiger', 'Perpendicular Opening'],
    chinese: '虎开局',
  },
  {
    game: 'xiangqi',
    variant: 'computer',
    moves: 'b2e2 b9c7 b0c2 h9g7 a3a4',
    names: ['Central Cannon v Screen Horses', 'Central Cannon v Screen Horses', 'Central Cannon'],
    chinese: '中炮对屏风马',
  },
  {
    game: 'gomoku',
    variant: 'renju',
    moves: 'h8 h9 i9 j10',
    names: ['Kagetsu', 'Kagetsu', ''],
    chinese: '花月',
  },
  { game: 'gomoku', variant: 'freestyle', moves: 'h8 h9 i9', names: ['', ''], chinese: '' },
]) {
  test(`the opening of a game of ${game}, ${variant}`, async ({ server, person }) => {
    const opened = await openRoom(server, { game, variant, seats: SEATS, moves: moves.split(' ') });
    const english = (await person()).page;
    await english.goto(opened.spectatorPath);
    await expect(english.getByRole('grid')).toBeVisible();
    for (const name of names) {
      const shown = english.getByText(/^Opening: /);
      await (name === '' ? expect(shown).toHaveCount(0) : expect(shown).toHaveText(`Opening: ${name}`));
      await english.keyboard.press('ArrowLeft');
    }
    const other = (await person({ locale: 'zh-CN' })).page;
    await other.goto(opened.spectatorPath);
    await expect(other.getByRole('grid')).toBeVisible();
    const shown = other.getByText(/^开局：/);
    await (chinese === '' ? expect(shown).toHaveCount(0) : expect(shown).toHaveText(`开局：${chinese}`));
  });
}
