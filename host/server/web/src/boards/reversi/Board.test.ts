// The reversi board as a screen reader and a keyboard use it.
import { expect, test } from 'vitest';
import { mountBoard } from '../demo/mount-board.svelte';
import Board from './Board.svelte';

test('squares are named; legal moves name the number of flips', async () => {
  const board = mountBoard(Board, 'reversi', 'start');
  expect(board.names()).toHaveLength(64);
  expect(
    board
      .names()
      .filter((name) => !name.endsWith('empty'))
      .sort(),
  ).toEqual([
    'c4, empty, flips 1',
    'd3, empty, flips 1',
    'd4, white',
    'd5, black',
    'e4, black',
    'e5, white',
    'e6, empty, flips 1',
    'f5, empty, flips 1',
  ]);
  await board.remove();
});

test('discs that would flip are marked while the focus is on the move', async () => {
  const board = mountBoard(Board, 'reversi', 'start');
  const marked = () => board.element.querySelectorAll('[stroke-dasharray]').length;
  board.focus();
  expect([board.focused(), marked()]).toEqual(['e4, black', 0]);
  await board.press('ArrowDown', 'ArrowRight');
  expect([board.focused(), marked()]).toEqual(['f5, empty, flips 1', 1]);
  await board.press('Enter', 'ArrowUp');
  expect([board.moves, board.focused(), marked()]).toEqual([['f5'], 'f4, empty', 0]);
  await board.remove();
});

test('a forced pass is a button; otherwise there is none', async () => {
  const board = mountBoard(Board, 'reversi', 'pass', { language: 'zh' });
  expect(board.text()).toContain('黑 1 · 白 2');
  board.click('弃权');
  expect(board.moves).toEqual(['pass']);
  await board.remove();
  const other = mountBoard(Board, 'reversi', 'start');
  expect(other.element.querySelector('button')).toBe(null);
  await other.remove();
});

test('the last move is named', async () => {
  const board = mountBoard(Board, 'reversi', 'middle');
  expect(board.names().filter((name) => name.includes('last move'))).toEqual(['e7, white, last move']);
  await board.remove();
});
