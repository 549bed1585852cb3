// The square of who met whom.
import { expect, test } from 'vitest';
import { CROSS_MOST, crossTable, nextCell, shadeOf, stopOf } from './cross';
import { points, halfPoints, tallyText } from './figures';
import { player, tally, view } from './fixture';

test('each row as its player sees it, in the order of the places', () => {
  const rows = crossTable(view).map(({ number, player: { name }, cells }) => [
    number,
    name,
    ...cells.map((cell) => (cell.tally === null ? '–' : `${points(halfPoints(cell.tally))} ${tallyText(cell.tally)} ${cell.shade}`)),
  ]);
  expect(rows).toEqual([
    [1, 'Bo', '–', '1.5 +1 =1 −0 3', '2 +2 =0 −0 4'],
    [2, 'Anna', '0.5 +0 =1 −1 1', '–', '–'],
    [3, 'Chance', '0 +0 =0 −2 0', '–', '–'],
  ]);
});

test('a meeting of which no game is counted is none', () => {
  const nothing = { players: [0, 2], first_seat: tally(0, 0, 0), second_seat: tally(0, 0, 0), pairs: [0, 0, 0, 0, 0], superiority: null } as const;
  const rows = crossTable({ ...view, meetings: [{ ...nothing, players: [0, 2], pairs: [0, 0, 0, 0, 0] }] });
  expect(rows.flatMap(({ cells }) => cells).every((cell) => cell.tally === null && cell.shade === null)).toBe(true);
});

test('the table is bounded, and a place without a player is left out', () => {
  const players = Array.from({ length: CROSS_MOST + 1 }, (_, number) => player(number, `p${number}`));
  const rows = crossTable({ players, ranking: players.map(({ number }) => number), meetings: [] });
  expect([rows.length, rows[0]?.cells.length]).toEqual([CROSS_MOST, CROSS_MOST]);
  expect(crossTable({ ...view, ranking: [1, 99, 0] })).toHaveLength(2);
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
])('the shade of %d', (points, expected) => {
  expect(shadeOf(points)).toBe(expected);
});

// Bo has met both others, who have not met each other.
test.each([
  [0, 1, 'ArrowRight', [0, 2]],
  [0, 2, 'ArrowRight', null],
  [0, 2, 'ArrowLeft', [0, 1]],
  [0, 1, 'ArrowLeft', null],
  // Over the one that leads nowhere.
  [1, 0, 'ArrowDown', [2, 0]],
  [2, 0, 'ArrowUp', [1, 0]],
  [1, 0, 'ArrowUp', null],
  [1, 0, 'ArrowRight', null],
  [0, 2, 'Home', [0, 1]],
  [0, 1, 'End', [0, 2]],
  [0, 1, 'Enter', null],
])('from %d, %d by %s', (row, column, key, expected) => {
  const place = nextCell(crossTable(view), { row, column }, key);
  expect(place === null ? null : [place.row, place.column]).toEqual(expected);
});

test.each([
  [null, { row: 0, column: 1 }],
  [{ row: 2, column: 0 }, { row: 2, column: 0 }],
  [{ row: 1, column: 2 }, { row: 0, column: 1 }],
  [{ row: 9, column: 9 }, { row: 0, column: 1 }],
])('the stop of the tab key after %j', (was, expected) => {
  expect(stopOf(crossTable(view), was)).toEqual(expected);
  expect(stopOf(crossTable({ ...view, meetings: [] }), was)).toBeNull();
});
