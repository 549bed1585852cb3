// What a move does is heard and listed: captures, checks, little time; the times of moves and the captured pieces are shown.
import type { Page } from '@playwright/test';
import { openRoom, RoomPage } from '../support/room';
import { expect, test } from '../support/test';

test.use({ serverOptions: { engines: [], games: ['chess'] } });

/** Records what a page plays: the pitches of tones, and `~` with the pitch of a knock. */
async function listen(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const heard: string[] = [];
    Object.assign(window, { heard });
    const Original = window.AudioContext;
    window.AudioContext = class extends Original {
      override createOscillator(): OscillatorNode {
        const tone = super.createOscillator();
        const start = tone.start.bind(tone);
        tone.start = (when) => {
          heard.push(String(Math.round(tone.frequency.value)));
          start(when);
        };
        return tone;
      }

      override createBiquadFilter(): BiquadFilterNode {
        const filter = super.createBiquadFilter();
        queueMicrotask(() => heard.push(`~${Math.round(filter.frequency.value)}`));
        return filter;
      }
    };
  });
}
const heardBy = (page: Page) =>
  page.evaluate(() => (window as unknown as { heard: string[] }).heard.splice(0).join(' '));

for (const { name, room, moves } of [
  {
    name: 'xiangqi',
    room: { game: 'xiangqi', variant: 'computer' },
    // The cannon captures a soldier and gives check over the advisor.
    moves: [
      { move: ['h2', 'e2'], heard: '523 659', captured: 0 },
      { move: ['d9', 'e8'], heard: '~1150', captured: 0 },
      { move: ['e2', 'e6'], heard: '880 784 659 ~520', captured: 1 },
    ],
  },
  {
    name: 'chess',
    room: { game: 'chess', variant: 'standard' },
    moves: [
      { move: ['e2', 'e4'], heard: '523 659', captured: 0 },
      { move: ['f7', 'f6'], heard: '~1150', captured: 0 },
      { move: ['d1', 'h5'], heard: '880 784 659', captured: 0 },
      { move: ['g7', 'g6'], heard: '~1150', captured: 0 },
      { move: ['h5', 'g6'], heard: '880 784 659 ~520', captured: 1 },
      { move: ['h7', 'g6'], heard: '~520', captured: 2 },
    ],
  },
]) {
  test(`captures and checks of ${name}`, async ({ server, person }) => {
    const opened = await openRoom(server, { ...room, seats: [{ name: 'Anna' }, { name: 'Bo' }] });
    const [anna, bo] = [await person(), await person()];
    await listen(bo.page);
    await anna.page.goto(opened.paths[0]!);
    await bo.page.goto(opened.paths[1]!);
    const rooms = [new RoomPage(anna.page), new RoomPage(bo.page)] as const;
    await expect(rooms[0].yourMove).toBeVisible();
    await expect(rooms[1].board).toBeVisible();
    // The parts of a game that are loaded later.
    await expect(bo.page.getByText('Captured: 0 pieces')).toBeAttached();
    await heardBy(bo.page);
    for (const [ply, { move, heard, captured }] of moves.entries()) {
      await rooms[ply % 2 === 0 ? 0 : 1].clickMove(...move);
      const list = bo.page.getByRole('group', { name: 'Moves' });
      await expect(list.getByRole('button')).toHaveCount(ply + 2);
      await expect(bo.page.getByText(`Captured: ${captured} piece`)).toBeAttached();
      expect(await heardBy(bo.page), move.join('')).toBe(heard);
    }
    await expect(bo.page.locator('.captured .piece')).toHaveCount(Math.max(...moves.map(({ captured }) => captured)));
    const times = bo.page.locator('.moves .time');
    await expect(times).toHaveCount(moves.length);
    await expect(times.first()).toHaveText(/^(\d+(\.\d)?s|\d+:\d\d)$/);
  });
}

test('little time is heard', async ({ server, person }) => {
  const seats = ['Anna', 'Bo'].map((name) => ({ name, budget: '11s' }));
  const opened = await openRoom(server, { variant: 'freestyle', seats, settings: { first_move_ms: 0 } });
  const [anna, bo] = [await person(), await person()];
  await listen(anna.page);
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  await expect(new RoomPage(anna.page).yourMove).toBeVisible();
  await expect.poll(() => heardBy(anna.page), { message: 'tones of the clock' }).toContain('1175 1175 1175');
});
