// Filters and their addresses.
import { expect, test } from 'vitest';
import {
  gamesQuery,
  isFiltered,
  parseGamesFilter,
  parseOrdinal,
  parseTableFilter,
  searchString,
  tableQuery,
} from './filters';

const noTableFilter = { players: [], opening: null, round: null, noFaults: false };
const noGamesFilter = { player: null, opponent: null, opening: null, round: null, onlyFaults: false };

test.each([
  ['', noTableFilter],
  ['?player=2&player=0', { ...noTableFilter, players: [0, 2] }],
  ['?player=2&player=2', { ...noTableFilter, players: [2] }],
  ['?player=x&player=-1&player=&player=1.5', noTableFilter],
  ['?opening=3&round=0', { ...noTableFilter, opening: 3, round: 0 }],
  ['?opening=1e3', noTableFilter],
  ['?opening=12345678901', noTableFilter],
  ['?no_faults=true', { ...noTableFilter, noFaults: true }],
  ['?no_faults=1', noTableFilter],
])('table filter of %s', (search, expected) => {
  expect(parseTableFilter(search)).toEqual(expected);
});

test.each([
  ['', noGamesFilter],
  ['?player=0&opponent=2', { ...noGamesFilter, player: 0, opponent: 2 }],
  ['?player=zero&fault=yes', noGamesFilter],
  ['?opening=1&round=2&fault=true', { ...noGamesFilter, opening: 1, round: 2, onlyFaults: true }],
])('games filter of %s', (search, expected) => {
  expect(parseGamesFilter(search)).toEqual(expected);
});

test.each(['', '?player=0&player=2', '?player=1&opening=3&round=0&no_faults=true'])(
  'address to table filter and back: %s',
  (search) => {
    expect(searchString(tableQuery(parseTableFilter(search)))).toBe(search);
    expect(isFiltered(parseTableFilter(search))).toBe(search !== '');
  },
);

test.each(['', '?player=0&opponent=2', '?opening=3&round=0&fault=true'])(
  'address to games filter and back: %s',
  (search) => {
    expect(searchString(gamesQuery(parseGamesFilter(search)))).toBe(search);
  },
);

test.each([
  ['1', 0],
  [' 12 ', 11],
  ['0', null],
  ['', null],
  ['-3', null],
  ['two', null],
])('typed: %s', (text, expected) => {
  expect(parseOrdinal(text)).toBe(expected);
});
