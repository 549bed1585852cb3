// Arrows and circles are drawn with the right button, for the viewer alone. A left click or the next move removes them.
import { openRoom, RoomPage } from '../support/room';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: [] } });

for (const { name, room, cells, move } of [
  { name: 'gomoku', room: { variant: 'freestyle' }, cells: ['d4', 'h10', 'k5'], move: ['h8'] },
  { name: 'xiangqi', room: { game: 'xiangqi', variant: 'computer' }, cells: ['h2', 'e2', 'e6'], move: ['h2', 'e2'] },
]) {
  test(`arrows and circles on a board of ${name}`, async ({ server, person }) => {
    const opened = await openRoom(server, { ...room, seats: [{ name: 'Anna' }, { name: 'Bo' }] });
    const [anna, bo] = [await person(), await person()];
    await anna.page.goto(opened.paths[0]!);
    await bo.page.goto(opened.paths[1]!);
    const { page } = bo;
    const [black, white] = [new RoomPage(anna.page), new RoomPage(page)];
    await expect(black.yourMove).toBeVisible();
    await expect(white.board).toBeVisible();
    const [first, second, third] = cells as [string, string, string];
    const [arrows, circles] = [page.locator('.drawings .arrow'), page.locator('.drawings .circle')];
    const drag = async (from: string, to: string) => {
      await white.point(from).hover({ force: true });
      await page.mouse.down({ button: 'right' });
      await white.point(to).hover({ force: true });
      await page.mouse.up({ button: 'right' });
    };
    const expectCounts = async (arrowCount: number, circleCount: number) => {
      await expect(arrows).toHaveCount(arrowCount);
      await expect(circles).toHaveCount(circleCount);
    };
    await drag(first, second);
    await drag(second, third);
    await drag(third, third);
    await expectCounts(2, 1);
    // The same again removes it.
    await drag(first, second);
    await drag(third, third);
    await expectCounts(1, 0);
    await expect(anna.page.locator('.drawings')).toHaveCount(0);
    // A left click.
    await white.point(first).click({ force: true });
    await expectCounts(0, 0);
    await page.keyboard.press('Escape');
    // The next move.
    await drag(first, second);
    await expectCounts(1, 0);
    for (const point of move) {
      await black.point(point).click();
    }
    await expectCounts(0, 0);
  });
}
