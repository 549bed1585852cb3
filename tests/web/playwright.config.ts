// The configuration of the browser tests: one browser at a time, long timeouts for busy machines, no downloads.
import { defineConfig } from '@playwright/test';

/** Chromium's sandbox does not work as root. */
const isRoot = process.getuid?.() === 0;

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
        ...(isRoot ? ['--no-sandbox'] : []),
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
    { name: 'figures', testDir: 'figures' },
  ],
});
