// Addresses and what they ask for.
import { expect, test } from 'vitest';
import { counted, gamesFilter, gamesQuery, isFiltered, searchOf, tableFilter, tableQuery } from './filter';

const all = { players: [], opening: null, round: null, noFaults: false };
const every = { player: null, opponent: null, opening: null, round: null, fault: false };

test.each([
  ['', all],
  ['?player=2&player=0', { ...all, players: [0, 2] }],
  ['?player=2&player=2', { ...all, players: [2] }],
  ['?player=x&player=-1&player=&player=1.5', all],
  ['?opening=3&round=0', { ...all, opening: 3, round: 0 }],
  ['?opening=1e3', all],
  ['?opening=12345678901', all],
  ['?no_faults=true', { ...all, noFaults: true }],
  ['?no_faults=1', all],
])('tables of %s', (search, expected) => {
  expect(tableFilter(search)).toEqual(expected);
});

test.each([
  ['', every],
  ['?player=0&opponent=2', { ...every, player: 0, opponent: 2 }],
  ['?player=zero&fault=yes', every],
  ['?opening=1&round=2&fault=true', { ...every, opening: 1, round: 2, fault: true }],
])('games of %s', (search, expected) => {
  expect(gamesFilter(search)).toEqual(expected);
});

test.each(['', '?player=0&player=2', '?player=1&opening=3&round=0&no_faults=true'])('there and back: %s', (search) => {
  expect(searchOf(tableQuery(tableFilter(search)))).toBe(search);
  expect(isFiltered(tableFilter(search))).toBe(search !== '');
});

test.each(['', '?player=0&opponent=2', '?opening=3&round=0&fault=true'])('there and back: %s', (search) => {
  expect(searchOf(gamesQuery(gamesFilter(search)))).toBe(search);
});

test.each([
  ['1', 0],
  [' 12 ', 11],
  ['0', null],
  ['', null],
  ['-3', null],
  ['two', null],
])('typed: %s', (text, expected) => {
  expect(counted(text)).toBe(expected);
});
