// The routes of addresses.
import { expect, test } from 'vitest';
import { parseRoute, pathOfFragment } from './router.svelte';

test.each([
  ['/', { page: 'lobby' }],
  ['/engines', { page: 'engines' }],
  ['/engines/a%20b', { page: 'engine', id: 'a b' }],
  ['/engines/%zz', { page: 'notFound' }],
  ['/engines/a/b', { page: 'notFound' }],
  ['/analysis', { page: 'analysis' }],
  ['/analysis/12', { page: 'study', id: '12' }],
  ['/analysis/1/2', { page: 'notFound' }],
  ['/games/', { page: 'games' }],
  ['/operator', { page: 'operator' }],
  ['/room/abc', { page: 'room', id: 'abc' }],
  ['/room/a%20b', { page: 'room', id: 'a b' }],
  ['/room/%zz', { page: 'notFound' }],
  ['/room', { page: 'notFound' }],
  ['/room/a/b', { page: 'notFound' }],
  ['/replay/7', { page: 'replay', id: '7' }],
  ['/arenas', { page: 'arenas' }],
  ['/arenas/new', { page: 'newArena' }],
  ['/arenas/00ff', { page: 'arena', id: '00ff' }],
  ['/arenas/00ff/games', { page: 'arenaGames', id: '00ff' }],
  ['/arenas/00ff/games/', { page: 'arenaGames', id: '00ff' }],
  ['/arenas/a%20b/games/pair-000001-1', { page: 'arenaGame', id: 'a b', game: 'pair-000001-1' }],
  ['/arenas/00ff/what', { page: 'notFound' }],
  ['/arenas/00ff/what/pair-000001-1', { page: 'notFound' }],
  ['/arenas/00ff/games/a/b', { page: 'notFound' }],
  ['/arenas/%zz', { page: 'notFound' }],
  ['/arenas/00ff/games/%zz', { page: 'notFound' }],
  ['/contests', { page: 'contests' }],
  ['/contests/Herbst%202026', { page: 'contest', id: 'Herbst 2026' }],
  [
    '/contests/Herbst%202026/games/final-2/pair-000001-1',
    { page: 'contestGame', id: 'Herbst 2026', arena: 'final-2', game: 'pair-000001-1' },
  ],
  ['/contests/autumn/trials/3', { page: 'contestTrial', id: 'autumn', trial: '3' }],
  ['/contests/autumn/register', { page: 'registration', id: 'autumn' }],
  ['/contests/autumn/register/b', { page: 'notFound' }],
  ['/contests/a/b', { page: 'notFound' }],
  ['/contests/a/games/ladder', { page: 'notFound' }],
  ['/contests/a/games/ladder/b/c', { page: 'notFound' }],
  ['/contests/a/trials/1/2', { page: 'notFound' }],
  ['/contests/%zz', { page: 'notFound' }],
  ['/what', { page: 'notFound' }],
])('%s', (path, route) => {
  expect(parseRoute(path)).toEqual(route);
});

test.each([
  ['#/contests/autumn', '/contests/autumn'],
  ['#/contests/Herbst%202026', '/contests/Herbst%202026'],
  ['#//evil.example', null],
  ['#token=abc', null],
  ['#', null],
  ['', null],
])('the path of %s', (fragment, path) => {
  expect(pathOfFragment(fragment)).toBe(path);
});
