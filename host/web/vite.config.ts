// How the client is built, tested and served to its developers; nothing of it reaches the browser.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

/** Where `npm run dev` finds a running `sandboard serve`. */
const server = process.env.SANDBOARD_SERVER ?? 'http://127.0.0.1:8000';

export default defineConfig(({ mode }) => ({
  plugins: [svelte({ compilerOptions: { css: 'external' } })],
  // Components are mounted in tests, for which Svelte's browser build is wanted.
  resolve: mode === 'test' ? { conditions: ['browser'] } : {},
  build: {
    target: 'es2022',
    cssTarget: 'chrome123',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': { target: server, ws: true } } },
  // No test may fail for want of speed.
  test: { environment: 'happy-dom', include: ['src/**/*.test.ts'], testTimeout: 0 },
}));
