// How the tests in a browser are run: one browser at a time, generous deadlines (a loaded machine
// fails no test), nothing fetched from anywhere.
import { defineConfig } from '@playwright/test';

/** Without a user of its own to drop to, Chromium's sandbox is not to be had. */
const asRoot = process.getuid?.() === 0;

export default defineConfig({
  forbidOnly: true,
  outputDir: process.env.SANDBOARD_RESULTS ?? 'test-results',
  reporter: [['list']],
  retries: 0,
  workers: 1,
  timeout: 300_000,
  expect: { timeout: 60_000 },
  use: {
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    locale: 'en-GB',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(process.env.SANDBOARD_BROWSER ? { executablePath: process.env.SANDBOARD_BROWSER } : {}),
      args: [
        ...(asRoot ? ['--no-sandbox'] : []),
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  projects: [
    { name: 'specs', testDir: 'specs' },
    { name: 'pictures', testDir: 'pictures' },
  ],
});
