// Which options are sent to an engine.
import { expect, test } from 'vitest';
import type { Engine } from '../api/types';
import { changedOptions } from './engine-options';

const engine = {
  id: 'e',
  name: 'Engine',
  options: [
    { name: 'level', type: 'spin', default: 5 },
    { name: 'book', type: 'check', default: true },
  ],
} as unknown as Engine;

test.each([
  [{ level: '5', book: 'true' }, {}],
  [
    { level: '6', book: 'false' },
    { level: '6', book: 'false' },
  ],
  [{ level: '', other: '1' }, {}],
])('options %o', (options, expected) => {
  expect(changedOptions(engine, options)).toEqual(expected);
});
