// The configuration of the build, the unit tests and the development server.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

/** The address of a running `sandboard serve`, for `npm run dev`. */
const server = process.env.SANDBOARD_SERVER ?? 'http://127.0.0.1:8000';

export default defineConfig(({ mode }) => ({
  plugins: [svelte({ compilerOptions: { css: 'external' } })],
  // Tests mount components, which needs Svelte's browser build.
  resolve: mode === 'test' ? { conditions: ['browser'] } : {},
  build: {
    target: 'es2022',
    cssTarget: 'chrome123',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // The gallery of boards shows those of tests/fixtures.
  server: { proxy: { '/api': { target: server, ws: true } }, fs: { allow: ['../../..'] } },
  // Without a timeout, tests do not fail on a slow machine.
  test: {
    environment: 'happy-dom',
    setupFiles: ['src/text/test-setup.ts'],
    include: ['src/**/*.test.ts'],
    testTimeout: 0,
    // Files share a worker, which takes a quarter of the CPU time: a test leaves no state behind.
    isolate: false,
  },
}));
