// Addresses and their screens.
import { expect, test } from 'vitest';
import { routeOf } from './router.svelte';

test.each([
  ['/', { page: 'lobby' }],
  ['/engines', { page: 'engines' }],
  ['/games/', { page: 'games' }],
  ['/operator', { page: 'operator' }],
  ['/room/abc', { page: 'room', id: 'abc' }],
  ['/room/a%20b', { page: 'room', id: 'a b' }],
  ['/room/%zz', { page: 'none' }],
  ['/room', { page: 'none' }],
  ['/room/a/b', { page: 'none' }],
  ['/replay/7', { page: 'replay', id: '7' }],
  ['/arenas', { page: 'arenas' }],
  ['/arenas/00ff', { page: 'arena', id: '00ff' }],
  ['/arenas/00ff/games', { page: 'arenaGames', id: '00ff' }],
  ['/arenas/00ff/games/', { page: 'arenaGames', id: '00ff' }],
  ['/arenas/a%20b/games/pair-000001-1', { page: 'arenaGame', id: 'a b', game: 'pair-000001-1' }],
  ['/arenas/00ff/what', { page: 'none' }],
  ['/arenas/00ff/what/pair-000001-1', { page: 'none' }],
  ['/arenas/00ff/games/a/b', { page: 'none' }],
  ['/arenas/%zz', { page: 'none' }],
  ['/arenas/00ff/games/%zz', { page: 'none' }],
  ['/contests', { page: 'contests' }],
  ['/contests/Herbst%202026', { page: 'contest', id: 'Herbst 2026' }],
  ['/contests/a/b', { page: 'none' }],
  ['/contests/%zz', { page: 'none' }],
  ['/engines/x', { page: 'none' }],
  ['/what', { page: 'none' }],
])('%s', (path, route) => {
  expect(routeOf(path)).toEqual(route);
});
