// Accessibility checks with axe-core.
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { AxeResults, RunOptions } from 'axe-core';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Adds axe-core to the browser context, because the page's policy forbids inline scripts. Call before the page opens. */
export async function injectAxe(page: Page): Promise<void> {
  await page.addInitScript({ path: axe });
}

/** The serious and critical violations on a page, each with its first elements. */
export async function findViolations(page: Page): Promise<string[]> {
  const options: RunOptions = { resultTypes: ['violations'] };
  const results = await page.evaluate(
    (options) => (window as unknown as { axe: { run: (o: unknown) => Promise<AxeResults> } }).axe.run(options),
    options,
  );
  const serious = results.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .map((node) => node.html)
        .slice(0, 3)
        .join(' … ')}`,
  );
}
