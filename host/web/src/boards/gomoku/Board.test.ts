// The board of gomoku as a screen reader and a keyboard meet it.
import { expect, test } from 'vitest';
import { draw } from '../demo/draw.svelte';
import { sample } from '../demo/samples';
import Board from './Board.svelte';

test('places are named, in both languages, the last move and what is pointed out too', async () => {
  const english = draw(Board, 'gomoku', 'freestyle');
  expect(english.names()).toHaveLength(225);
  expect(english.names()).toEqual(expect.arrayContaining(['h8, black', 'i9, white', 'a1, empty', 'i10, white, last move', 'k9, empty, pointed out']));
  await english.remove();
  const chinese = draw(Board, 'gomoku', 'freestyle', { lang: 'zh', settings: { numbers: 'all' } });
  expect(chinese.names()).toEqual(expect.arrayContaining(['h8，黑，第 1 手', 'a1，空', 'i10，白，第 16 手，最后一手']));
  await chinese.remove();
});

test('forbidden points are told apart, and only black has them', async () => {
  const renju = draw(Board, 'gomoku', 'renju');
  const told = renju.names().filter((name) => name.includes('forbidden'));
  const facts = sample('gomoku', 'renju').position.facts.forbidden as { point: string; kind: string }[];
  expect(told.sort()).toEqual(facts.map(({ point, kind }) => `${point}, empty, forbidden: ${kind.replace('-', ' ')}`).sort());
  expect(renju.element.querySelectorAll('[aria-disabled]').length).toBeGreaterThan(facts.length);
  await renju.remove();
  const position = { ...sample('gomoku', 'renju').position };
  const white = draw(Board, 'gomoku', 'renju', { position: { ...position, position: position.position.replace(/b$/, 'w') } });
  expect(white.names().filter((name) => name.includes('forbidden'))).toEqual([]);
  await white.remove();
});

test('one tab stop, the arrows lead on, Enter and Space play', async () => {
  const board = draw(Board, 'gomoku', 'freestyle');
  expect(board.stops()).toEqual(['i10, white, last move']);
  board.focus();
  await board.press('Enter');
  expect(board.moves).toEqual([]);
  await board.press('ArrowUp', 'ArrowRight', 'Enter', 'Home', ' ', 'Ctrl+End', 'Enter', 'ArrowRight', 'ArrowDown');
  expect(board.moves).toEqual(['j11', 'a11', 'o1']);
  expect([board.focused(), board.stops()]).toEqual(['o1, empty', ['o1, empty']]);
  await board.remove();
});

test('a turned board turns its keys', async () => {
  const board = draw(Board, 'gomoku', 'freestyle', { flipped: true });
  board.focus();
  await board.press('ArrowUp', 'ArrowRight');
  expect(board.focused()).toBe('h9, black');
  await board.remove();
});

test('who may not move is answered nothing', async () => {
  const board = draw(Board, 'gomoku', 'freestyle', { legal: [] });
  board.click('a1');
  expect([board.moves, board.focused()]).toEqual([[], null]);
  board.focus();
  await board.press('ArrowUp', 'Enter');
  expect([board.moves, board.focused()]).toEqual([[], 'a2, empty']);
  await board.remove();
});

test.each([
  ['swap', 'Exchange the colours?', ['Exchange colours', 'Keep colours'], ['swap', 'keep']],
  ['ten', 'Exchange the colours?', ['Offer 10 fifth stones'], ['fifths-10']],
  ['announce', 'How many points for the fifth stone?', ['3', '12'], ['fifths-3', 'fifths-12']],
  ['offer', 'Offer a point for the fifth stone. 1 of 3 offered', ['b1'], ['b1']],
  ['pick', 'Pick one of the offered points.', ['g9', 'h8'], ['g9']],
])('the phase %s asks and takes an answer', async (name, question, clicks, answers) => {
  const board = draw(Board, 'gomoku', name);
  expect(board.text()).toContain(question);
  for (const click of clicks) board.click(click);
  expect(board.moves).toEqual(answers);
  await board.remove();
});

test('offered points have letters', async () => {
  const board = draw(Board, 'gomoku', 'pick');
  expect(board.names().filter((name) => name.includes('offer')).sort()).toEqual(['f6, empty, offer A', 'g9, empty, offer C', 'i8, empty, offer B']);
  await board.remove();
});

test('a text that is no position is said to be none', async () => {
  const board = draw(Board, 'gomoku', 'freestyle', { position: { ...sample('gomoku', 'freestyle').position, position: '5/5 b' } });
  expect(board.element.querySelector('[role=alert]')?.textContent).toContain('2 rows; boards have 5 to 22');
  await board.remove();
});

test('move numbers come and go by a button where the moves are known', async () => {
  const board = draw(Board, 'gomoku', 'freestyle');
  const numbered = () => board.names().filter((name) => name.includes(', move ')).length;
  expect(numbered()).toBe(0);
  board.click('Move numbers');
  expect(numbered()).toBe(16);
  board.click('Move numbers');
  expect(numbered()).toBe(0);
  await board.remove();
  const unknown = draw(Board, 'gomoku', 'freestyle', { moves: [] });
  expect(unknown.element.querySelector('[aria-pressed]')).toBe(null);
  await unknown.remove();
});
