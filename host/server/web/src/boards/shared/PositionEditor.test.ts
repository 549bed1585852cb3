// Positions are edited on the board by clicks.
import { flushSync, mount, unmount } from 'svelte';
import { expect, test } from 'vitest';
import { games } from '..';
import PositionEditor from './PositionEditor.svelte';

/** Clicks the controls of these names in turn and returns the reported texts. */
async function textsAfterClicks(game: string, start: string, names: string[]): Promise<string[]> {
  const [board, rules] = await Promise.all([games[game]!.loadBoard(), games[game]!.loadPositionRules!()]);
  const texts: string[] = [];
  const props = {
    board,
    rules,
    variant: '',
    text: start,
    language: 'en' as const,
    appearance: {},
    onchange: (text: string) => texts.push(text),
  };
  const editor = mount(PositionEditor, { target: document.body, props });
  flushSync();
  for (const name of names) {
    const controls = [...document.querySelectorAll<HTMLElement>('[role=gridcell], label, button')];
    const control = controls.find(
      (element) => (element.getAttribute('aria-label') ?? element.textContent?.trim()) === name,
    );
    if (!control) {
      throw new Error(`no control is named ${name}`);
    }
    control.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    flushSync();
  }
  await unmount(editor);
  return texts;
}

test.each([
  ['gomoku', '5/5/5/5/5 b', ['c3, empty', 'white', 'a1, empty'], ['5/5/2x2/5/5 b', '5/5/5/5/o4 b']],
  ['reversi', 'XO-------------O O', ['a1, black', 'Clear the board'], ['XO-------------O O', '---------------- X']],
  ['xiangqi', '4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1', ['black rook', 'a5, empty'], ['4k4/9/9/9/r8/9/9/9/9/4K4 w - - 0 1']],
  ['xiangqi', 'nonsense', ['Clear the board'], []],
])('%s: %s', async (game, start, names, texts) => {
  expect(await textsAfterClicks(game, start, names)).toEqual(texts);
});
