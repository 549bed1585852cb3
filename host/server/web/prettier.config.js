// The formatter's settings, for the client and for `tests/web`.

import * as svelte from 'prettier-plugin-svelte';

/** @type {import('prettier').Config} */
export default {
  plugins: [svelte],
  overrides: [{ files: '*.svelte', options: { parser: 'svelte' } }],
  printWidth: 120,
  singleQuote: true,
};
