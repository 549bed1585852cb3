// The sort orders and columns of the standings.
import { expect, test } from 'vitest';
import { anna, bo, chance, player } from './fixtures';
import { BY_PLACE, columnsOf, gamesOf, nextOrder, sortPlayers, type Column } from './standings';

const players = [anna, bo, chance];
const ranking = [1, 0, 2];

test.each<[Column, boolean, string]>([
  ['place', false, 'Bo Anna Chance'],
  ['place', true, 'Chance Anna Bo'],
  ['name', false, 'Anna Bo Chance'],
  ['name', true, 'Chance Bo Anna'],
  ['points', true, 'Bo Anna Chance'],
  // Equal values: in the order of places.
  ['games', true, 'Bo Anna Chance'],
  ['games', false, 'Bo Anna Chance'],
  ['wins', false, 'Chance Anna Bo'],
  // A player without a value is last in either direction.
  ['rating', true, 'Bo Anna Chance'],
  ['rating', false, 'Anna Bo Chance'],
  ['time', true, 'Anna Bo Chance'],
  ['time', false, 'Bo Anna Chance'],
  ['faults', true, 'Chance Bo Anna'],
  ['memory', true, 'Bo Anna Chance'],
  ['tie0', true, 'Chance Bo Anna'],
  ['tie1', true, 'Anna Bo Chance'],
  ['tie7', true, 'Bo Anna Chance'],
])('by %s, descending: %s', (column, descending, expected) => {
  expect(
    sortPlayers(players, ranking, { column, descending })
      .map(({ name }) => name)
      .join(' '),
  ).toBe(expected);
});

test('sorting does not change the given list', () => {
  sortPlayers(players, ranking, { column: 'name', descending: true });
  expect(players).toEqual([anna, bo, chance]);
});

test('columns without values are left out', () => {
  const plain = ['place', 'name', 'points', 'games', 'wins', 'rating', 'tie0', 'tie1', 'faults', 'time', 'memory'];
  expect(columnsOf([anna, chance])).toEqual(plain);
  expect(columnsOf([anna, bo])).toEqual(plain.toSpliced(10, 0, 'cpu'));
  const ladder = player(0, 'A', { rating: null, glicko: { value: 1500, low: 1400, high: 1600 }, tie_breaks: [] });
  expect(columnsOf([ladder])).toEqual([
    'place',
    'name',
    'points',
    'games',
    'wins',
    'glicko',
    'faults',
    'time',
    'memory',
  ]);
  const ponders = (predictions: number) =>
    player(0, 'A', { pondering: { predictions, hits: 0, wall_us: 1, cpu_us: null } });
  expect(columnsOf([ponders(4)])).toContain('hits');
  expect(columnsOf([ponders(0)])).not.toContain('hits');
  expect(columnsOf([player(0, 'A', { totals: { ...anna.totals, fuel: 5 } })])).toContain('fuel');
});

test('games of four have skills and mean scores', () => {
  const seat = { wins: 3, draws: 1, losses: 2 };
  const interval = { value: -6.5, low: -8, high: -5 };
  const four = (name: string, mu: number | null) =>
    player(0, name, {
      by_seat: [seat, seat, seat, seat],
      rating: null,
      tie_breaks: [],
      skill: mu === null ? null : { mu, sigma: 2 },
      mean_score: interval,
      duplicate_score: interval,
    });
  const columns = columnsOf([four('A', 25)]);
  expect(columns.slice(5, 9)).toEqual(['skill', 'score', 'duplicate', 'faults']);
  // A game counts once for each of three opponents.
  expect(gamesOf(four('A', 25))).toBe(8);
  const sorted = sortPlayers([four('A', 25), four('B', 31), four('C', null)], [0], {
    column: 'skill',
    descending: true,
  });
  expect(sorted.map(({ name }) => name).join(' ')).toBe('B A C');
});

test('a click sorts, a second click reverses', () => {
  const once = nextOrder(BY_PLACE, 'points');
  expect(once).toEqual({ column: 'points', descending: true });
  expect(nextOrder(once, 'points')).toEqual({ column: 'points', descending: false });
  expect(nextOrder(once, 'name')).toEqual({ column: 'name', descending: false });
  expect(nextOrder(BY_PLACE, 'place')).toEqual({ column: 'place', descending: true });
});
