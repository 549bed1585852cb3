// What axe-core finds on a page.
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { AxeResults, RunOptions } from 'axe-core';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Gives axe-core to the browser, not to the page, whose policy would not have it; before the page is opened. */
export async function bringAxe(page: Page): Promise<void> {
  await page.addInitScript({ path: axe });
}

/** What axe-core holds for serious or worse on a page, each with the first places. */
export async function barriers(page: Page): Promise<string[]> {
  const options: RunOptions = { resultTypes: ['violations'] };
  const found = await page.evaluate(
    (options) => (window as unknown as { axe: { run: (o: unknown) => Promise<AxeResults> } }).axe.run(options),
    options,
  );
  const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).slice(0, 3).join(' … ')}`);
}
