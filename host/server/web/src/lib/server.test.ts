// The operator's token in the fragment of a link.
import { expect, test } from 'vitest';
import { tokenOfFragment } from './server.svelte';

test.each([
  ['#token=0123abcd', '0123abcd'],
  ['#token=a-b_c.d~e', 'a-b_c.d~e'],
  ['#token=', null],
  ['#token=a b', null],
  ['#token=a%20b', null],
  ['#0123abcd', null],
  ['#/contests/autumn', null],
  ['', null],
])('%s', (fragment, token) => {
  expect(tokenOfFragment(fragment)).toBe(token);
});
