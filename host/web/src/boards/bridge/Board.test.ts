// The bridge table as a screen reader and a keyboard meet it.
import { expect, test } from 'vitest';
import { draw } from '../demo/draw.svelte';
import { sample } from '../demo/samples';
import Board from './Board.svelte';

test('cards are named with their holder, and with what is pointed out', async () => {
  const english = draw(Board, 'bridge', 'follow');
  expect(english.names()).toHaveLength(52 - 5);
  expect(english.names()).toEqual(expect.arrayContaining(['north, six of hearts, pointed out', 'north, seven of hearts', 'west, ace of spades']));
  expect(english.text()).toContain('Spades are trumps · north plays · tricks: north-south 0, east-west 1');
  await english.remove();
  const chinese = draw(Board, 'bridge', 'follow', { lang: 'zh' });
  expect(chinese.names()).toContain('北，红心6，提示');
  await chinese.remove();
});

/** The badges on the cards: what is written there, the bold ones with a star. */
const badges = (element: HTMLElement) =>
  [...element.querySelectorAll('text[font-weight]')]
    .filter((it) => /^[0-9]+$/.test(it.textContent.trim()) && it.hasAttribute('text-anchor'))
    .map((it) => it.textContent.trim() + (it.getAttribute('font-weight') === '700' ? '*' : ''));

test('values stand on the cards that they are of and in their names, the best are marked', async () => {
  const board = draw(Board, 'bridge', 'values');
  expect(badges(board.element)).toEqual(['4*', '3', '3', '3', '3', '3']);
  expect(board.names()).toEqual(
    expect.arrayContaining([
      'south, queen of spades, 4 tricks, best',
      'south, ace of clubs, 3 tricks, pointed out',
      'south, two of diamonds, 3 tricks',
      'north, eight of diamonds',
    ]),
  );
  expect(board.text()).toContain('from here perfect play gives north-south 4');
  const { legal } = sample('bridge', 'values').position;
  await board.change({ values: { side: 0, value: 1, moves: legal.map((move) => ({ move, value: 1 })) }, legal: [] });
  expect(badges(board.element)).toEqual(legal.map(() => '1*'));
  expect(board.names()).toContain('south, queen of spades, 1 trick, best');
  await board.change({ values: null });
  expect([badges(board.element), board.text().includes('from here')]).toEqual([[], false]);
  expect(board.names()).toContain('south, queen of spades');
  await board.remove();
});

test('values in Chinese, of east and west', async () => {
  const values = { side: 1 as const, value: 0, moves: [{ move: 'SQ', value: 0 }] };
  const board = draw(Board, 'bridge', 'values', { lang: 'zh', values });
  expect(board.names()).toContain('南，黑桃Q，0 墩，最佳');
  expect(board.text()).toContain('此局面双明手东西 0 墩');
  await board.remove();
});

test('only cards that follow suit can be played', async () => {
  const board = draw(Board, 'bridge', 'follow');
  const enabled = [...board.element.querySelectorAll('[role=gridcell]:not([aria-disabled])')].map((it) => it.getAttribute('data-cell'));
  expect(enabled.sort()).toEqual(['H6', 'H7']);
  board.click('north, ace of diamonds');
  board.click('west, queen of hearts');
  expect(board.moves).toEqual([]);
  board.click('north, six of hearts');
  expect(board.moves).toEqual(['H6']);
  await board.remove();
});

test('one tab stop on a card that can be played, the arrows go from hand to hand', async () => {
  const board = draw(Board, 'bridge', 'trick');
  expect(board.stops()).toEqual(['south, nine of spades']);
  board.focus();
  await board.press('ArrowRight', 'End', 'Enter', 'ArrowDown', 'Enter');
  expect([board.moves, board.focused()]).toEqual([['S2', 'DT'], 'south, ten of diamonds']);
  await board.press('ArrowUp', 'ArrowUp', 'ArrowUp');
  expect(board.focused()).toMatch(/^(west|east), /);
  await board.press('Ctrl+Home');
  expect(board.focused()).toBe('north, king of spades');
  await board.remove();
});

test.each([
  [[], false, 'north'],
  [[0, 2], false, 'north'],
  [[0, 2], true, 'south'],
  [[1, 3], false, 'west'],
  [[1, 3], true, 'east'],
  [[3], false, 'east'],
])('to seats %j, turned %s, %s is far', async (mySeats, flipped, far) => {
  const board = draw(Board, 'bridge', 'deal', { mySeats, flipped });
  expect(board.names()[0]!.split(',')[0]).toBe(far);
  await board.remove();
});

test('the trick before stays in sight until the next card', async () => {
  const { position, moves } = sample('bridge', 'follow');
  const cards = (element: HTMLElement) => element.querySelectorAll('g[opacity] > rect').length;
  const during = draw(Board, 'bridge', 'follow');
  expect(cards(during.element)).toBe(1);
  await during.remove();
  const between = { ...position, position: position.position.replace('AT74.Q', 'AT74.KQ').replace('HK', '-') };
  const after = draw(Board, 'bridge', 'follow', { position: between, moves: moves.slice(0, 4) });
  expect(cards(after.element)).toBe(4);
  await after.remove();
});

test('the focus stays on the table when its card is played', async () => {
  const { position } = sample('bridge', 'trick');
  const board = draw(Board, 'bridge', 'trick');
  board.focus();
  await board.press('ArrowRight', 'Enter');
  expect([board.moves, board.focused()]).toEqual([['S3'], 'south, three of spades']);
  const text = position.position.replace('932..KQT75', '92..KQT75').replace('S W HA,HT,H5', 'S W -').replace('AT74.KQ', 'AT7.KQ');
  await board.change({ position: { ...position, position: text }, legal: ['HK', 'C8'] });
  expect([board.focused(), board.stops()]).toEqual(['west, king of hearts', ['west, king of hearts']]);
  await board.change({ legal: [] });
  expect(board.focused()).toBe('west, king of hearts');
  await board.remove();
});

test('the focus is not taken from elsewhere', async () => {
  const { position } = sample('bridge', 'trick');
  const board = draw(Board, 'bridge', 'trick');
  await board.change({ position: { ...position, position: position.position.replace('932..', '92..').replace('AT74.', 'AT7.') } });
  expect(board.focused()).toBe(null);
  await board.remove();
});
