// The gomoku board as a screen reader and a keyboard use it.
import { expect, test } from 'vitest';
import { mountBoard } from '../demo/mount-board.svelte';
import { sampleOf } from '../demo/samples';
import Board from './Board.svelte';

test('points, the last move and hints are named in both languages', async () => {
  const english = mountBoard(Board, 'gomoku', 'freestyle');
  expect(english.names()).toHaveLength(225);
  expect(english.names()).toEqual(
    expect.arrayContaining(['h8, black', 'i9, white', 'a1, empty', 'i10, white, last move', 'k9, empty, hint']),
  );
  await english.remove();
  const chinese = mountBoard(Board, 'gomoku', 'freestyle', { language: 'zh', appearance: { numbers: 'all' } });
  expect(chinese.names()).toEqual(expect.arrayContaining(['h8，黑，第 1 手', 'a1，空', 'i10，白，第 16 手，最后一手']));
  await chinese.remove();
});

test('forbidden points name their kind, and exist for black only', async () => {
  const renju = mountBoard(Board, 'gomoku', 'renju');
  const names = renju.names().filter((name) => name.includes('forbidden'));
  const facts = sampleOf('gomoku', 'renju').position.facts.forbidden as { point: string; kind: string }[];
  expect(names.sort()).toEqual(
    facts.map(({ point, kind }) => `${point}, empty, forbidden: ${kind.replace('-', ' ')}`).sort(),
  );
  expect(renju.element.querySelectorAll('[aria-disabled]').length).toBeGreaterThan(facts.length);
  await renju.remove();
  const position = { ...sampleOf('gomoku', 'renju').position };
  const white = mountBoard(Board, 'gomoku', 'renju', {
    position: { ...position, position: position.position.replace(/b$/, 'w') },
  });
  expect(white.names().filter((name) => name.includes('forbidden'))).toEqual([]);
  await white.remove();
});

test('one tab stop, arrows move the focus, Enter and Space play', async () => {
  const board = mountBoard(Board, 'gomoku', 'freestyle');
  expect(board.tabStops()).toEqual(['i10, white, last move']);
  board.focus();
  await board.press('Enter');
  expect(board.moves).toEqual([]);
  await board.press('ArrowUp', 'ArrowRight', 'Enter', 'Home', ' ', 'Ctrl+End', 'Enter', 'ArrowRight', 'ArrowDown');
  expect(board.moves).toEqual(['j11', 'a11', 'o1']);
  expect([board.focused(), board.tabStops()]).toEqual(['o1, empty', ['o1, empty']]);
  await board.remove();
});

test('on a flipped board the arrow keys are flipped', async () => {
  const board = mountBoard(Board, 'gomoku', 'freestyle', { flipped: true });
  board.focus();
  await board.press('ArrowUp', 'ArrowRight');
  expect(board.focused()).toBe('h9, black');
  await board.remove();
});

test('without legal moves nothing is played', async () => {
  const board = mountBoard(Board, 'gomoku', 'freestyle', { legal: [] });
  board.click('a1');
  expect([board.moves, board.focused()]).toEqual([[], null]);
  board.focus();
  await board.press('ArrowUp', 'Enter');
  expect([board.moves, board.focused()]).toEqual([[], 'a2, empty']);
  await board.remove();
});

test.each([
  ['swap', 'Swap colours?', ['Swap colours', 'Keep colours'], ['swap', 'keep']],
  ['ten', 'Swap colours?', ['Offer 10 fifth moves'], ['fifths-10']],
  ['announce', 'How many fifth moves do you offer?', ['3', '12'], ['fifths-3', 'fifths-12']],
  ['offer', 'Offer a point for the fifth move. 1 of 3 offered', ['b1'], ['b1']],
  ['pick', 'Choose one of the offered points.', ['g9', 'h8'], ['g9']],
])('the phase %s shows its question and plays the answer', async (name, question, clicks, moves) => {
  const board = mountBoard(Board, 'gomoku', name);
  expect(board.text()).toContain(question);
  for (const click of clicks) {
    board.click(click);
  }
  expect(board.moves).toEqual(moves);
  await board.remove();
});

test('offered points have letters', async () => {
  const board = mountBoard(Board, 'gomoku', 'pick');
  expect(
    board
      .names()
      .filter((name) => name.includes('offer'))
      .sort(),
  ).toEqual(['f6, empty, offer A', 'g9, empty, offer C', 'i8, empty, offer B']);
  await board.remove();
});

test('an unreadable position text shows an error', async () => {
  const board = mountBoard(Board, 'gomoku', 'freestyle', {
    position: { ...sampleOf('gomoku', 'freestyle').position, position: '5/5 b' },
  });
  expect(board.element.querySelector('[role=alert]')?.textContent).toContain('2 rows; a board has 5 to 22');
  await board.remove();
});

test('a button toggles move numbers where the moves are known', async () => {
  const board = mountBoard(Board, 'gomoku', 'freestyle');
  const numbered = () => board.names().filter((name) => name.includes(', move ')).length;
  expect(numbered()).toBe(0);
  board.click('Move numbers');
  expect(numbered()).toBe(16);
  board.click('Move numbers');
  expect(numbered()).toBe(0);
  await board.remove();
  const unknown = mountBoard(Board, 'gomoku', 'freestyle', { moves: [] });
  expect(unknown.element.querySelector('[aria-pressed]')).toBe(null);
  await unknown.remove();
});
