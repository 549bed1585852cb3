// What every test begins with: a server and people who open its pages. Each person has a browser
// profile of his own.
import { test as base, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { type Begin, Server } from './server';

export { expect } from '@playwright/test';

/** Somebody at a screen. */
export interface Person {
  context: BrowserContext;
  page: Page;
}

interface Given {
  /** What the server begins with. */
  begin: Begin;
  server: Server;
  /** Opens a browser for one more person. */
  person: (settings?: Parameters<Browser['newContext']>[0]) => Promise<Person>;
}

export const test = base.extend<Given>({
  begin: [{ engines: ['random-mover', 'gomoku-alpha'] }, { option: true }],
  server: async ({ begin }, use) => {
    const server = await Server.start(begin);
    await use(server);
    await server.dispose();
  },
  baseURL: async ({ server }, use) => use(server.address),
  person: async ({ browser, server }, use) => {
    const all: BrowserContext[] = [];
    await use(async (settings) => {
      const context = await browser.newContext({ baseURL: server.address, ...settings });
      all.push(context);
      return { context, page: await context.newPage() };
    });
    for (const context of all) await context.close();
  },
});
