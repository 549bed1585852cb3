// The fixtures of every test: a server, and persons who open its pages in separate browser profiles.
import {
  test as base,
  type Browser,
  type BrowserContext,
  type BrowserType,
  type LaunchOptions,
  type Page,
} from '@playwright/test';
import { Server, type ServerOptions } from './server';

export { expect } from '@playwright/test';

/** How often a browser that crashes while it starts is started. */
const LAUNCHES_MAX = 3;

/** A person with a browser. */
export interface Person {
  context: BrowserContext;
  page: Page;
}

interface Fixtures {
  serverOptions: ServerOptions;
  server: Server;
  /** Opens a browser for one more person. */
  person: (options?: Parameters<Browser['newContext']>[0]) => Promise<Person>;
}

/** Starts a browser. Chromium has been seen to crash (SIGSEGV) at its start on a busy machine, before it opened a page. */
async function launch(browserType: BrowserType, options: LaunchOptions): Promise<Browser> {
  for (let launches = 1; ; launches++) {
    try {
      return await browserType.launch(options);
    } catch (error) {
      if (launches === LAUNCHES_MAX) {
        throw error;
      }
      console.warn(`The browser did not start, and is started again: ${String(error)}`);
    }
  }
}

export const test = base.extend<Fixtures, { browser: Browser }>({
  browser: [
    async ({ playwright, browserName, launchOptions }, use) => {
      const browser = await launch(playwright[browserName], launchOptions);
      await use(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
  serverOptions: [{ engines: ['random-mover', 'gomoku-alpha'] }, { option: true }],
  server: async ({ serverOptions }, use) => {
    const server = await Server.start(serverOptions);
    await use(server);
    await server.dispose();
  },
  baseURL: async ({ server }, use) => use(server.address),
  person: async ({ browser, server }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ baseURL: server.address, ...options });
      contexts.push(context);
      return { context, page: await context.newPage() };
    });
    for (const context of contexts) {
      await context.close();
    }
  },
});
