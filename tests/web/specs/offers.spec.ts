// A draw offer and a take-back request between two persons: seen at once on a phone, called out in the title and by a
// sound, and the answer is shown to the player who asked.
import type { Page } from '@playwright/test';
import { expect, test } from '../support/test';
import { openRoom, RoomPage } from '../support/room';

const PHONE = { width: 360, height: 740 };

/** Counts the tones that a page plays. */
async function countTones(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const counted = window as unknown as { tones: number };
    counted.tones = 0;
    const Original = window.AudioContext;
    window.AudioContext = class extends Original {
      override createOscillator(): OscillatorNode {
        counted.tones += 1;
        return super.createOscillator();
      }
    };
  });
}

const tonesOf = (page: Page) => page.evaluate(() => (window as unknown as { tones: number }).tones);

test('an offer in a low window covers neither board nor clocks', async ({ server, person }) => {
  const seats = ['Anna', 'Bo'].map((name) => ({ name, budget: '5m' }));
  const opened = await openRoom(server, { variant: 'freestyle', seats });
  const [anna, bo] = [await person(), await person({ viewport: { width: 844, height: 390 } })];
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  await new RoomPage(anna.page).place('h8', 'black');
  await new RoomPage(anna.page).button('Offer a draw').click();
  const { page } = bo;
  const bar = page.getByRole('group', { name: 'Anna offers a draw.' });
  await expect(bar.getByRole('button', { name: 'Decline' })).toBeInViewport({ ratio: 1 });
  const { y, height } = (await bar.boundingBox())!;
  for (const part of [new RoomPage(page).board, page.getByRole('timer').first(), page.getByRole('timer').last()]) {
    const box = (await part.boundingBox())!;
    expect(box.y, `top of ${part.toString()}, under the bar`).toBeGreaterThanOrEqual(y + height - 1);
  }
});

test('offers on a phone', async ({ server, person }) => {
  const opened = await openRoom(server, { variant: 'freestyle', seats: [{ name: 'Anna' }, { name: 'Bo' }] });
  const [anna, bo] = [await person({ viewport: PHONE }), await person({ viewport: PHONE })];
  await countTones(bo.page);
  await anna.page.goto(opened.paths[0]!);
  await bo.page.goto(opened.paths[1]!);
  const [black, white] = [new RoomPage(anna.page), new RoomPage(bo.page)];
  await black.place('h8', 'black');
  await white.place('h9', 'white');
  await expect(black.yourMove).toBeVisible();

  for (const { offer, question, waiting, declined } of [
    {
      offer: 'Offer a draw',
      question: 'Anna offers a draw.',
      waiting: 'You offered a draw. Waiting for your opponent.',
      declined: 'The draw was declined.',
    },
    {
      offer: 'Undo',
      question: 'Anna asks to undo 2 moves.',
      waiting: 'You asked to undo. Waiting for your opponent.',
      declined: 'The undo was declined.',
    },
  ]) {
    const tones = await tonesOf(bo.page);
    await black.button(offer).click();
    await expect(anna.page.locator('.offers')).toHaveText(waiting);
    const group = bo.page.getByRole('group', { name: question });
    await expect(group.getByRole('button', { name: 'Accept' })).toBeInViewport({ ratio: 1 });
    await expect(group.getByRole('button', { name: 'Decline' })).toBeInViewport({ ratio: 1 });
    await expect(bo.page).toHaveTitle(`● ${question} – Sandboard`);
    await expect.poll(() => tonesOf(bo.page), { message: 'tones of the offer' }).toBe(tones + 2);
    await group.getByRole('button', { name: 'Decline' }).click();
    await expect(group).toHaveCount(0);
    await expect(anna.page.locator('.offers').getByText(declined)).toBeInViewport({ ratio: 1 });
    await expect(bo.page.locator('.offers')).toHaveText('');
  }

  // The answer is shown until the player who asked moves.
  await black.place('i8', 'black');
  await expect(anna.page.locator('.offers')).toHaveText('');

  // A move is an answer, too.
  await black.button('Undo').click();
  await expect(bo.page.getByRole('group', { name: 'Anna asks to undo 1 move.' })).toBeVisible();
  await white.place('i9', 'white');
  await expect(anna.page.locator('.offers')).toHaveText('The undo was declined.');

  // Nothing of the page stays behind the bar.
  await anna.page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const bar = (await anna.page.locator('.offers').boundingBox())!;
  const main = (await anna.page.locator('main').boundingBox())!;
  expect(main.y + main.height).toBeLessThanOrEqual(bar.y + 1);

  await black.button('Offer a draw').click();
  await bo.page.getByRole('button', { name: 'Accept' }).click();
  for (const page of [anna.page, bo.page]) {
    await expect(page.getByText('Draw', { exact: true }).first()).toBeVisible();
    await expect(page.locator('.offers')).toHaveText('');
  }
});
