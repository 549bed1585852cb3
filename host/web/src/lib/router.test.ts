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
  ['/engines/x', { page: 'none' }],
  ['/what', { page: 'none' }],
])('%s', (path, route) => {
  expect(routeOf(path)).toEqual(route);
});
