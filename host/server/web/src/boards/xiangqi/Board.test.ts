// The xiangqi board as a screen reader and a keyboard use it.
import { expect, test } from 'vitest';
import { mountBoard } from '../demo/mount-board.svelte';
import { sampleOf } from '../demo/samples';
import Board from './Board.svelte';

test('points are named in both languages', async () => {
  const english = mountBoard(Board, 'xiangqi', 'start');
  expect(english.names()).toHaveLength(90);
  expect(english.names()).toEqual(
    expect.arrayContaining(['e0, red king', 'b7, black cannon', 'a5, empty', 'h2, red cannon, hint']),
  );
  await english.remove();
  const chinese = mountBoard(Board, 'xiangqi', 'check', { language: 'zh' });
  expect(chinese.names()).toEqual(expect.arrayContaining(['e9，黑将，被将军', 'e6，红炮，最后一手', 'e4，空']));
  expect(chinese.text()).toContain('黑方被将军。');
  await chinese.remove();
});

test('a selected piece shows its legal moves and plays one', async () => {
  const board = mountBoard(Board, 'xiangqi', 'start');
  const targets = () =>
    board
      .names()
      .filter((name) => name.includes('legal move'))
      .map((name) => name.slice(0, 2))
      .sort()
      .join(' ');
  board.focus();
  expect([board.focused(), targets()]).toEqual(['e0, red king', '']);
  await board.press('ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'Enter');
  expect([board.focused(), targets()]).toEqual(['b0, red horse', 'a2 c2']);
  expect(board.element.querySelectorAll('[aria-selected=true]')).toHaveLength(1);
  await board.press('ArrowUp', 'Enter');
  expect([board.moves, targets()]).toEqual([[], 'a2 c2']);
  await board.press('ArrowUp', 'ArrowRight', 'Enter');
  expect([board.moves, targets()]).toEqual([['b0c2'], '']);
  await board.remove();
});

test('Escape, the piece itself, or another piece ends a selection', async () => {
  const board = mountBoard(Board, 'xiangqi', 'start');
  const selected = () => board.element.querySelector('[aria-selected=true]')?.getAttribute('data-cell') ?? null;
  board.click('h2');
  expect(selected()).toBe('h2');
  board.click('b0');
  expect(selected()).toBe('b0');
  board.click('b0');
  expect(selected()).toBe(null);
  board.focus();
  await board.press('Enter');
  expect(selected()).toBe('b0');
  await board.press('Escape');
  expect([selected(), board.moves]).toEqual([null, []]);
  await board.remove();
});

test('without legal moves nothing can be selected', async () => {
  const board = mountBoard(Board, 'xiangqi', 'start', { legal: [] });
  board.click('h2');
  expect(board.element.querySelectorAll('[aria-selected]')).toHaveLength(0);
  await board.remove();
});

test('pieces show characters or letters; a flipped board starts with i0', async () => {
  const classical = mountBoard(Board, 'xiangqi', 'start');
  expect(classical.text()).toContain('帥');
  expect(classical.names()[0]).toBe('a9, black rook');
  await classical.remove();
  const lettered = mountBoard(Board, 'xiangqi', 'start', { appearance: { pieces: 'letters' }, flipped: true });
  expect(lettered.text()).not.toContain('帥');
  expect(lettered.names()[0]).toBe('i0, red rook');
  await lettered.remove();
});

test('a selection ends with its position', async () => {
  const board = mountBoard(Board, 'xiangqi', 'start');
  board.click('h2');
  expect(board.element.querySelectorAll('[aria-selected=true]')).toHaveLength(1);
  await board.change({
    position: {
      ...sampleOf('xiangqi', 'start').position,
      position: sampleOf('xiangqi', 'start').position.position.replace('0 1', '2 2'),
    },
  });
  expect(board.element.querySelectorAll('[aria-selected=true]')).toHaveLength(0);
  await board.remove();
});
