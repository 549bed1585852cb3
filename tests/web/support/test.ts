// The fixtures of every test: a server, and persons who open its pages in separate browser profiles.
import { test as base, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { Server, type ServerOptions } from './server';

export { expect } from '@playwright/test';

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

export const test = base.extend<Fixtures>({
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
