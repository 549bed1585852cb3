// The board of xiangqi as a screen reader and a keyboard meet it.
import { expect, test } from 'vitest';
import { draw } from '../demo/draw.svelte';
import { sample } from '../demo/samples';
import Board from './Board.svelte';

test('points are named in both languages', async () => {
  const english = draw(Board, 'xiangqi', 'start');
  expect(english.names()).toHaveLength(90);
  expect(english.names()).toEqual(expect.arrayContaining(['e0, red king', 'b7, black cannon', 'a5, empty', 'h2, red cannon, pointed out']));
  await english.remove();
  const chinese = draw(Board, 'xiangqi', 'check', { lang: 'zh' });
  expect(chinese.names()).toEqual(expect.arrayContaining(['e9，黑将，被将军', 'e6，红炮，最后一手', 'e4，空']));
  expect(chinese.text()).toContain('黑方被将军。');
  await chinese.remove();
});

test('a piece is chosen, shows where it may go, and goes there', async () => {
  const board = draw(Board, 'xiangqi', 'start');
  const reached = () => board.names().filter((name) => name.includes('can be reached')).map((name) => name.slice(0, 2)).sort().join(' ');
  board.focus();
  expect([board.focused(), reached()]).toEqual(['e0, red king', '']);
  await board.press('ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'Enter');
  expect([board.focused(), reached()]).toEqual(['b0, red horse', 'a2 c2']);
  expect(board.element.querySelectorAll('[aria-selected=true]')).toHaveLength(1);
  await board.press('ArrowUp', 'Enter');
  expect([board.moves, reached()]).toEqual([[], 'a2 c2']);
  await board.press('ArrowUp', 'ArrowRight', 'Enter');
  expect([board.moves, reached()]).toEqual([['b0c2'], '']);
  await board.remove();
});

test('a choice is given up by Escape, by choosing the piece again, or for another piece', async () => {
  const board = draw(Board, 'xiangqi', 'start');
  const chosen = () => board.element.querySelector('[aria-selected=true]')?.getAttribute('data-cell') ?? null;
  board.click('h2');
  expect(chosen()).toBe('h2');
  board.click('b0');
  expect(chosen()).toBe('b0');
  board.click('b0');
  expect(chosen()).toBe(null);
  board.focus();
  await board.press('Enter');
  expect(chosen()).toBe('b0');
  await board.press('Escape');
  expect([chosen(), board.moves]).toEqual([null, []]);
  await board.remove();
});

test('who may not move chooses nothing', async () => {
  const board = draw(Board, 'xiangqi', 'start', { legal: [] });
  board.click('h2');
  expect(board.element.querySelectorAll('[aria-selected]')).toHaveLength(0);
  await board.remove();
});

test('pieces wear signs or letters, and a turned board begins with i0', async () => {
  const classical = draw(Board, 'xiangqi', 'start');
  expect(classical.text()).toContain('帥');
  expect(classical.names()[0]).toBe('a9, black rook');
  await classical.remove();
  const lettered = draw(Board, 'xiangqi', 'start', { settings: { pieces: 'lettered' }, flipped: true });
  expect(lettered.text()).not.toContain('帥');
  expect(lettered.names()[0]).toBe('i0, red rook');
  await lettered.remove();
});

test('a choice does not outlive its position', async () => {
  const board = draw(Board, 'xiangqi', 'start');
  board.click('h2');
  expect(board.element.querySelectorAll('[aria-selected=true]')).toHaveLength(1);
  await board.change({ position: { ...sample('xiangqi', 'start').position, position: sample('xiangqi', 'start').position.position.replace('0 1', '2 2') } });
  expect(board.element.querySelectorAll('[aria-selected=true]')).toHaveLength(0);
  await board.remove();
});
