// Keyboard focus in grids with rows of equal and of different lengths.
import { expect, test } from 'vitest';
import { nextCell, tabStopOf, type GridCell } from './grid-focus';

/** Rows of cells of width 10, one letter each: `.` leaves a gap, a capital letter is an enabled cell. */
function rowsOf(...lines: string[]): GridCell[][] {
  return lines.map((line, row) =>
    [...line].flatMap((id, column) =>
      id === '.'
        ? []
        : [{ id, name: id, x: column * 10, y: row * 10, width: 10, height: 10, enabled: /[A-Z]/.test(id) }],
    ),
  );
}

const even = rowsOf('abc', 'def', 'ghi');
const ragged = rowsOf('pq', '', '...stu', 'v');

test.each([
  [even, 'e', 'ArrowLeft', false, 'd'],
  [even, 'd', 'ArrowLeft', false, null],
  [even, 'e', 'ArrowRight', false, 'f'],
  [even, 'f', 'ArrowRight', false, null],
  [even, 'e', 'ArrowUp', false, 'b'],
  [even, 'b', 'ArrowUp', false, null],
  [even, 'e', 'ArrowDown', false, 'h'],
  [even, 'h', 'ArrowDown', false, null],
  [even, 'e', 'Home', false, 'd'],
  [even, 'e', 'End', false, 'f'],
  [even, 'e', 'Home', true, 'a'],
  [even, 'e', 'End', true, 'i'],
  [even, 'e', 'x', false, null],
  [even, 'z', 'ArrowUp', false, null],
  [ragged, 'q', 'ArrowDown', false, 's'],
  [ragged, 's', 'ArrowUp', false, 'q'],
  [ragged, 'u', 'ArrowDown', false, 'v'],
  [ragged, 'v', 'End', true, 'v'],
])('%#: from %s', (rows, from, key, ctrl, to) => {
  expect(nextCell(rows, from, key, ctrl)).toBe(to);
});

test.each([
  [even, 'e', 'a', 'e'],
  [even, 'gone', 'i', 'i'],
  [even, null, null, 'a'],
  [rowsOf('ab', 'Cd'), null, null, 'C'],
  [rowsOf('', ''), null, null, null],
])('%#: the tab stop', (rows, focused, preferred, stop) => {
  expect(tabStopOf(rows, focused, preferred)).toBe(stop);
});
