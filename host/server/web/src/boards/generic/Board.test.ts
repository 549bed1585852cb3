// Boards as data, as a screen reader, a keyboard and a mouse use them.
import { flushSync, tick } from 'svelte';
import { expect, test } from 'vitest';
import { mountBoard, type MountedBoard } from '../demo/mount-board.svelte';
import { sampleOf } from '../demo/samples';
import Board from './Board.svelte';

const mountGame = (game: string, changed: Parameters<typeof mountBoard>[3] = {}) =>
  mountBoard(Board, game, 'described', changed);
const buttonsOf = ({ element }: MountedBoard) =>
  [...element.querySelectorAll('button')].map((button) => button.textContent?.trim());
const selectedOf = ({ element }: MountedBoard) =>
  [...element.querySelectorAll('[aria-selected=true]')].map((cell) => cell.getAttribute('data-cell'));
const targetsOf = (board: MountedBoard) =>
  board
    .names()
    .filter((name) => name.includes('legal move'))
    .map((name) => name.split(',')[0]);

test('places are named in both languages', async () => {
  const check = async (game: string, language: 'en' | 'zh', expected: string[]) => {
    const board = mountGame(game, { language });
    expect(board.names()).toEqual(expect.arrayContaining(expected));
    await board.remove();
  };
  await check('connect-four', 'en', ['a1, yellow, last move', 'd3, red', 'd4, empty']);
  await check('connect-four', 'zh', ['a1，黄，最后一手', 'd3，红', 'd4，空']);
  await check('chess', 'en', ['e1, white king, threatened', 'd8, black queen, last move', 'e4, empty']);
  await check('kuhn-poker', 'en', ['Opponent, card, face down', 'You, queen']);
  await check('hearts', 'en', ['North, 10 cards, face down', 'South, Q♠', 'Trick, E, 4♣, last move']);
  await check('goofspiel', 'en', ['Prize, 5, marked', 'Points of seat 0, 3, blue', 'Points of seat 0, 4, empty']);
  await check('backgammon', 'en', ['24, 2 × white', '12, 5 × black', 'Off, off, empty']);
  await check('backgammon', 'zh', ['24，2 × 白']);
});

test('a click anywhere in a column plays it', async () => {
  const board = mountGame('connect-four');
  expect(board.names()).toHaveLength(42);
  board.click('c6');
  board.click('c1');
  expect(board.moves).toEqual(['c', 'c']);
  await board.remove();
});

test('a place without a legal move does nothing', async () => {
  const board = mountGame('connect-four', { legal: ['a'] });
  board.click('b1');
  board.click('a3');
  expect(board.moves).toEqual(['a']);
  const cell = board.element.querySelector('[data-cell=b1]');
  expect([cell?.getAttribute('aria-disabled'), cell?.hasAttribute('aria-selected')]).toEqual(['true', false]);
  await board.remove();
});

test('a hexagonal grid has rows for arrow keys, and moves without a place are buttons', async () => {
  const board = mountGame('hex');
  expect(buttonsOf(board)).toEqual(['Swap sides']);
  board.click('Swap sides');
  board.focus();
  expect(board.focused()).toBe('b2, red, last move');
  await board.press('ArrowRight', 'ArrowDown', 'Enter');
  expect(board.moves).toEqual(['swap', 'b3']);
  await board.press('Ctrl+Home');
  expect(board.focused()).toBe('a1, empty');
  await board.remove();
});

test('a source is selected, shows its targets, and plays by a second click', async () => {
  const board = mountGame('chess');
  board.click('f3');
  expect([selectedOf(board), targetsOf(board).sort()]).toEqual([['f3'], ['d2', 'd4', 'e5', 'g1', 'g5', 'h4']]);
  board.click('a1');
  expect([selectedOf(board), board.moves]).toEqual([['a1'], []]);
  board.click('a8');
  expect([selectedOf(board), board.moves]).toEqual([[], ['a1a8']]);
  await board.remove();
});

test('the keyboard selects, cancels and plays', async () => {
  const board = mountGame('chess', { legal: ['g2g3', 'g2g4'] });
  board.click('h1');
  board.element.querySelector<HTMLElement>('[data-cell=g2]')?.focus();
  await board.press(' ');
  expect(selectedOf(board)).toEqual(['g2']);
  await board.press('Escape');
  expect(selectedOf(board)).toEqual([]);
  await board.press('Enter', 'ArrowUp', 'ArrowUp', 'Enter');
  expect(board.moves).toEqual(['g2g4']);
  await board.remove();
});

test('several moves with the same places are a choice, which has the focus', async () => {
  const board = mountGame('chess');
  board.element.querySelector<HTMLElement>('[data-cell=b7]')?.focus();
  await board.press('Enter', 'ArrowUp', 'Enter');
  await tick();
  expect([board.moves, buttonsOf(board)]).toEqual([[], ['queen', 'knight']]);
  expect(board.text()).toContain('Which move?');
  expect(document.activeElement?.textContent?.trim()).toBe('queen');
  document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  flushSync();
  await tick();
  await tick();
  expect([selectedOf(board), buttonsOf(board)]).toEqual([[], []]);
  expect(board.focused()).toContain('b8');
  board.click('b7');
  board.click('a8');
  board.click('rook');
  expect(board.moves).toEqual(['b7a8r']);
  await board.remove();
});

/** Drags with the pointer from a cell to another one, or outside of the board. */
function drag({ element }: MountedBoard, from: string, to: string | null): void {
  const cell = (id: string) => element.querySelector(`[data-cell="${id}"]`)!;
  const fire = (target: EventTarget, type: string, x: number) =>
    target.dispatchEvent(new PointerEvent(type, { bubbles: true, isPrimary: true, button: 0, clientX: x, clientY: 0 }));
  // The test's document has no geometry.
  const original = document.elementFromPoint.bind(document);
  document.elementFromPoint = () => (to === null ? document.body : cell(to));
  fire(cell(from), 'pointerdown', 0);
  fire(window, 'pointermove', 3);
  flushSync();
  fire(window, 'pointermove', 30);
  flushSync();
  fire(window, 'pointerup', 30);
  flushSync();
  document.elementFromPoint = original;
}

test('a piece is dragged to its target', async () => {
  const board = mountGame('chess');
  drag(board, 'f3', 'e5');
  expect([board.moves, selectedOf(board)]).toEqual([['f3e5'], []]);
  for (const to of ['f4', 'f3', 'a1', null]) {
    drag(board, 'f3', to);
    expect([to, board.moves.length, selectedOf(board)]).toEqual([to, 1, []]);
  }
  // Only a source can be dragged.
  board.click('f3');
  drag(board, 'e4', 'e5');
  expect([board.moves.length, selectedOf(board)]).toEqual([1, ['f3']]);
  drag(board, 'b7', 'b8');
  expect(buttonsOf(board)).toEqual(['queen', 'knight']);
  await board.remove();
});

test('a finger on a piece that can move does not scroll the page', async () => {
  const board = mountGame('chess');
  const check = (id: string, expected: boolean) => {
    const cell = board.element.querySelector(`[data-cell="${id}"]`)!;
    cell.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, isPrimary: true, button: 0 }));
    flushSync();
    const move = new Event('touchmove', { bubbles: true, cancelable: true });
    cell.dispatchEvent(move);
    window.dispatchEvent(new PointerEvent('pointerup', { isPrimary: true }));
    flushSync();
    expect([id, move.defaultPrevented]).toEqual([id, expected]);
  };
  check('f3', true);
  check('e4', false);
  await board.remove();
});

test('a selection ends with its position', async () => {
  const board = mountGame('chess');
  board.click('f3');
  const { position } = sampleOf('chess', 'described');
  await board.change({ position: { ...position, board: { ...position.board! } } });
  expect(selectedOf(board)).toEqual([]);
  await board.remove();
});

test('a spectator sees the board and plays nothing', async () => {
  for (const game of ['chess', 'hex', 'kuhn-poker']) {
    const board = mountGame(game, { legal: [] });
    expect([board.element.querySelectorAll('[aria-selected]').length, buttonsOf(board)]).toEqual([0, []]);
    await board.remove();
  }
});

test('a turned board begins with the opposite corner, and cards stay in order', async () => {
  const chess = mountGame('chess', { flipped: true });
  expect([chess.names()[0], chess.names().at(-1)]).toEqual(['h1, empty', 'a8, black rook']);
  await chess.remove();
  const hearts = mountGame('hearts', { flipped: true });
  expect(hearts.names().slice(0, 2)).toEqual(['South, A♠', 'South, Q♠']);
  await hearts.remove();
});

test('a hint is at the places of its move', async () => {
  const board = mountGame('chess', { hints: [{ move: 'f3e5' }] });
  expect(board.names().filter((name) => name.endsWith('hint'))).toEqual([
    'e5, black bishop, hint',
    'f3, white knight, hint',
  ]);
  await board.remove();
});

test('texts and cards are drawn', async () => {
  const board = mountGame('kuhn-poker');
  for (const text of ['Pot: 3', 'Seat 1 has bet 1', 'Opponent', 'Q']) {
    expect(board.text()).toContain(text);
  }
  expect(buttonsOf(board)).toEqual(['Call', 'Fold']);
  board.click('Fold');
  expect(board.moves).toEqual(['pass']);
  await board.remove();
});

test('the prompt of the rules is shown once, beside the board', async () => {
  const prompt = 'choose card 1 of 3 to pass to the left';
  const board = mountGame('hearts');
  const promptOf = () => board.element.querySelector('[lang=en]')?.textContent ?? null;
  expect(promptOf()).toBeNull();
  await board.change({ position: { ...sampleOf('hearts', 'described').position, prompt } });
  expect(promptOf()).toBe('Choose card 1 of 3 to pass to the left');
  expect(board.text().match(/1 of 3/gi)).toHaveLength(1);
  await board.remove();
});
