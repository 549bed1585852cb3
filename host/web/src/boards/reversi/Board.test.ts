// The board of reversi as a screen reader and a keyboard meet it.
import { expect, test } from 'vitest';
import { draw } from '../demo/draw.svelte';
import Board from './Board.svelte';

test('squares are named, legal ones with what they flip', async () => {
  const board = draw(Board, 'reversi', 'start');
  expect(board.names()).toHaveLength(64);
  expect(board.names().filter((name) => !name.endsWith('empty')).sort()).toEqual([
    'c4, empty, flips 1', 'd3, empty, flips 1', 'd4, white', 'd5, black', 'e4, black', 'e5, white', 'e6, empty, flips 1', 'f5, empty, flips 1',
  ]);
  await board.remove();
});

test('what would flip is marked when the focus comes and no longer when it goes', async () => {
  const board = draw(Board, 'reversi', 'start');
  const marked = () => board.element.querySelectorAll('[stroke-dasharray]').length;
  board.focus();
  expect([board.focused(), marked()]).toEqual(['e4, black', 0]);
  await board.press('ArrowDown', 'ArrowRight');
  expect([board.focused(), marked()]).toEqual(['f5, empty, flips 1', 1]);
  await board.press('Enter', 'ArrowUp');
  expect([board.moves, board.focused(), marked()]).toEqual([['f5'], 'f4, empty', 0]);
  await board.remove();
});

test('a forced pass is a button, and only then', async () => {
  const board = draw(Board, 'reversi', 'pass', { lang: 'zh' });
  expect(board.text()).toContain('黑 1 · 白 2');
  board.click('弃权');
  expect(board.moves).toEqual(['pass']);
  await board.remove();
  const other = draw(Board, 'reversi', 'start');
  expect(other.element.querySelector('button')).toBe(null);
  await other.remove();
});

test('the last move is told', async () => {
  const board = draw(Board, 'reversi', 'middle');
  expect(board.names().filter((name) => name.includes('last move'))).toEqual(['e7, white, last move']);
  await board.remove();
});
