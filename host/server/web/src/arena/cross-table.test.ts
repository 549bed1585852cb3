// The cross table of players.
import { expect, test } from 'vitest';
import { createCrossTable, MAX_CROSS_TABLE_PLAYERS, nextCell, shadeOf, tabStopOf } from './cross-table';
import { formatPoints, halfPoints, formatTally } from './statistics';
import { player, tally, view } from './fixtures';

test('each row from the view of its player, in the order of places', () => {
  const rows = createCrossTable(view).map(({ number, player: { name }, cells }) => [
    number,
    name,
    ...cells.map((cell) =>
      cell.tally === null ? '–' : `${formatPoints(halfPoints(cell.tally))} ${formatTally(cell.tally)} ${cell.shade}`,
    ),
  ]);
  expect(rows).toEqual([
    [1, 'Bo', '–', '1.5 +1 =1 −0 3', '2 +2 =0 −0 4'],
    [2, 'Anna', '0.5 +0 =1 −1 1', '–', '–'],
    [3, 'Chance', '0 +0 =0 −2 0', '–', '–'],
  ]);
});

test('two players without counted games have no result', () => {
  const nothing = {
    players: [0, 2],
    first_seat: tally(0, 0, 0),
    second_seat: tally(0, 0, 0),
    pairs: [0, 0, 0, 0, 0],
    superiority: null,
  } as const;
  const rows = createCrossTable({ ...view, head_to_head: [{ ...nothing, players: [0, 2], pairs: [0, 0, 0, 0, 0] }] });
  expect(rows.flatMap(({ cells }) => cells).every((cell) => cell.tally === null && cell.shade === null)).toBe(true);
});

test('the table is limited in size; an unknown player is left out', () => {
  const players = Array.from({ length: MAX_CROSS_TABLE_PLAYERS + 1 }, (_, number) => player(number, `p${number}`));
  const rows = createCrossTable({ players, ranking: players.map(({ number }) => number), head_to_head: [] });
  expect([rows.length, rows[0]?.cells.length]).toEqual([MAX_CROSS_TABLE_PLAYERS, MAX_CROSS_TABLE_PLAYERS]);
  expect(createCrossTable({ ...view, ranking: [1, 99, 0] })).toHaveLength(2);
});

test.each([
  [0, 0],
  [0.01, 1],
  [0.44, 1],
  [0.45, 2],
  [0.55, 2],
  [0.56, 3],
  [0.99, 3],
  [1, 4],
])('shade of %d', (share, expected) => {
  expect(shadeOf(share)).toBe(expected);
});

// Bo has played both others; they have not played each other.
test.each([
  [0, 1, 'ArrowRight', [0, 2]],
  [0, 2, 'ArrowRight', null],
  [0, 2, 'ArrowLeft', [0, 1]],
  [0, 1, 'ArrowLeft', null],
  // Skips the cell without games.
  [1, 0, 'ArrowDown', [2, 0]],
  [2, 0, 'ArrowUp', [1, 0]],
  [1, 0, 'ArrowUp', null],
  [1, 0, 'ArrowRight', null],
  [0, 2, 'Home', [0, 1]],
  [0, 1, 'End', [0, 2]],
  [0, 1, 'Enter', null],
])('from %d, %d by %s', (row, column, key, expected) => {
  const position = nextCell(createCrossTable(view), { row, column }, key);
  expect(position === null ? null : [position.row, position.column]).toEqual(expected);
});

test.each([
  [null, { row: 0, column: 1 }],
  [
    { row: 2, column: 0 },
    { row: 2, column: 0 },
  ],
  [
    { row: 1, column: 2 },
    { row: 0, column: 1 },
  ],
  [
    { row: 9, column: 9 },
    { row: 0, column: 1 },
  ],
])('the stop of the tab key after %j', (was, expected) => {
  expect(tabStopOf(createCrossTable(view), was)).toEqual(expected);
  expect(tabStopOf(createCrossTable({ ...view, head_to_head: [] }), was)).toBeNull();
});
