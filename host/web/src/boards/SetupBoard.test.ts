// A position is set up on the board by clicks and keys.
import { flushSync, mount, unmount, type Component } from 'svelte';
import { expect, test } from 'vitest';
import type { BoardProps } from './board';
import { boards } from './index';
import { setups } from './setup';
import SetupBoard from './SetupBoard.svelte';

/** Clicks what has these names, one after the other, and gives the texts that came of it. */
async function afterClicks(game: string, start: string, names: string[]): Promise<string[]> {
  const [{ default: board }, { setup }] = await Promise.all([boards[game]!(), setups[game]!()]);
  const texts: string[] = [];
  const props = { board: board as Component<BoardProps>, setup, variant: '', text: start, lang: 'en' as const, settings: {}, onchange: (text: string) => texts.push(text) };
  const mounted = mount(SetupBoard, { target: document.body, props });
  flushSync();
  for (const name of names) {
    const elements = [...document.querySelectorAll<HTMLElement>('[role=gridcell], label, button')];
    const found = elements.find((it) => (it.getAttribute('aria-label') ?? it.textContent?.trim()) === name);
    if (!found) throw new Error(`nothing is called ${name}`);
    found.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    flushSync();
  }
  await unmount(mounted);
  return texts;
}


test.each([
  ['gomoku', '5/5/5/5/5 b', ['c3, empty', 'white', 'a1, empty'], ['5/5/2x2/5/5 b', '5/5/5/5/o4 b']],
  ['reversi', 'XO-------------O O', ['a1, black', 'Clear the board'], ['XO-------------O O', '---------------- X']],
  ['xiangqi', '4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1', ['black rook', 'a5, empty'], ['4k4/9/9/9/r8/9/9/9/9/4K4 w - - 0 1']],
  ['xiangqi', 'nonsense', ['Clear the board'], []],
])('%s: %s', async (game, start, names, texts) => {
  expect(await afterClicks(game, start, names)).toEqual(texts);
});
