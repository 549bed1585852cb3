// The bridge table as a screen reader and a keyboard use it.
import { expect, test } from 'vitest';
import { mountBoard } from '../demo/mount-board.svelte';
import { sampleOf } from '../demo/samples';
import Board from './Board.svelte';

test('cards are named with their holder and with hints', async () => {
  const english = mountBoard(Board, 'bridge', 'follow');
  expect(english.names()).toHaveLength(52 - 5);
  expect(english.names()).toEqual(
    expect.arrayContaining(['north, six of hearts, hint', 'north, seven of hearts', 'west, ace of spades']),
  );
  expect(english.text()).toContain('Spades are trumps · north to play · tricks: north-south 0, east-west 1');
  await english.remove();
  const chinese = mountBoard(Board, 'bridge', 'follow', { language: 'zh' });
  expect(chinese.names()).toContain('北，红心6，提示');
  await chinese.remove();
});

/** The texts of the values on the cards; a star follows the bold ones. */
const shownValues = (element: HTMLElement) =>
  [...element.querySelectorAll('text[font-weight]')]
    .filter((text) => /^[0-9]+$/.test(text.textContent.trim()) && text.hasAttribute('text-anchor'))
    .map((text) => text.textContent.trim() + (text.getAttribute('font-weight') === '700' ? '*' : ''));

test('values are shown on cards and in their names; the best are marked', async () => {
  const board = mountBoard(Board, 'bridge', 'values');
  expect(shownValues(board.element)).toEqual(['4*', '3', '3', '3', '3', '3']);
  expect(board.names()).toEqual(
    expect.arrayContaining([
      'south, queen of spades, 4 tricks, best',
      'south, ace of clubs, 3 tricks, hint',
      'south, two of diamonds, 3 tricks',
      'north, eight of diamonds',
    ]),
  );
  expect(board.text()).toContain('from here with perfect play: north-south 4');
  const { legal } = sampleOf('bridge', 'values').position;
  await board.change({ values: { side: 0, value: 1, moves: legal.map((move) => ({ move, value: 1 })) }, legal: [] });
  expect(shownValues(board.element)).toEqual(legal.map(() => '1*'));
  expect(board.names()).toContain('south, queen of spades, 1 trick, best');
  await board.change({ values: null });
  expect([shownValues(board.element), board.text().includes('from here')]).toEqual([[], false]);
  expect(board.names()).toContain('south, queen of spades');
  await board.remove();
});

test('values for east-west, in Chinese', async () => {
  const values = { side: 1 as const, value: 0, moves: [{ move: 'SQ', value: 0 }] };
  const board = mountBoard(Board, 'bridge', 'values', { language: 'zh', values });
  expect(board.names()).toContain('南，黑桃Q，0 墩，最佳');
  expect(board.text()).toContain('此局面双明手：东西 0 墩');
  await board.remove();
});

test('only cards that follow suit can be played', async () => {
  const board = mountBoard(Board, 'bridge', 'follow');
  const enabled = [...board.element.querySelectorAll('[role=gridcell]:not([aria-disabled])')].map((cell) =>
    cell.getAttribute('data-cell'),
  );
  expect(enabled.sort()).toEqual(['H6', 'H7']);
  board.click('north, ace of diamonds');
  board.click('west, queen of hearts');
  expect(board.moves).toEqual([]);
  board.click('north, six of hearts');
  expect(board.moves).toEqual(['H6']);
  await board.remove();
});

test('one tab stop on a legal card; arrows go from hand to hand', async () => {
  const board = mountBoard(Board, 'bridge', 'trick');
  expect(board.tabStops()).toEqual(['south, nine of spades']);
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
])('seats %j, flipped %s: %s is at the top', async (mySeats, flipped, top) => {
  const board = mountBoard(Board, 'bridge', 'deal', { mySeats, flipped });
  expect(board.names()[0]!.split(',')[0]).toBe(top);
  await board.remove();
});

test('the previous trick stays visible until the next card', async () => {
  const { position, moves } = sampleOf('bridge', 'follow');
  const cards = (element: HTMLElement) => element.querySelectorAll('g[opacity] > rect').length;
  const during = mountBoard(Board, 'bridge', 'follow');
  expect(cards(during.element)).toBe(1);
  await during.remove();
  const between = { ...position, position: position.position.replace('AT74.Q', 'AT74.KQ').replace('HK', '-') };
  const after = mountBoard(Board, 'bridge', 'follow', { position: between, moves: moves.slice(0, 4) });
  expect(cards(after.element)).toBe(4);
  await after.remove();
});

test('the focus stays on the table when the focused card is played', async () => {
  const { position } = sampleOf('bridge', 'trick');
  const board = mountBoard(Board, 'bridge', 'trick');
  board.focus();
  await board.press('ArrowRight', 'Enter');
  expect([board.moves, board.focused()]).toEqual([['S3'], 'south, three of spades']);
  const text = position.position
    .replace('932..KQT75', '92..KQT75')
    .replace('S W HA,HT,H5', 'S W -')
    .replace('AT74.KQ', 'AT7.KQ');
  await board.change({ position: { ...position, position: text }, legal: ['HK', 'C8'] });
  expect([board.focused(), board.tabStops()]).toEqual(['west, king of hearts', ['west, king of hearts']]);
  await board.change({ legal: [] });
  expect(board.focused()).toBe('west, king of hearts');
  await board.remove();
});

test('a change does not move the focus to the table', async () => {
  const { position } = sampleOf('bridge', 'trick');
  const board = mountBoard(Board, 'bridge', 'trick');
  await board.change({
    position: { ...position, position: position.position.replace('932..', '92..').replace('AT74.', 'AT7.') },
  });
  expect(board.focused()).toBe(null);
  await board.remove();
});
