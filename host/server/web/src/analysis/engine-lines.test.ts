// Which lines of an engine are kept, and in which order.
import { expect, test } from 'vitest';
import type { EngineLine } from '../api/types';
import { withLine } from './engine-lines';

const line = (rank: number, depth: number, score?: number): EngineLine => ({
  rank,
  depth,
  nodes: 1,
  pv: ['h8'],
  ...(score === undefined ? {} : { score }),
});

/** The ranks and depths of lines that arrive one after another. */
test.each<[string, EngineLine[], [number, number][]]>([
  [
    'the latest of each rank',
    [line(1, 4), line(2, 3), line(1, 5)],
    [
      [1, 5],
      [2, 3],
    ],
  ],
  [
    'without scores, in the order of the search',
    [line(2, 4), line(1, 4)],
    [
      [1, 4],
      [2, 4],
    ],
  ],
  [
    'the best first',
    [line(1, 4, 42), line(2, 4, 29), line(3, 4, 57)],
    [
      [3, 4],
      [1, 4],
      [2, 4],
    ],
  ],
  [
    'as good: in the order of the search',
    [line(2, 4, 42), line(1, 5, 42)],
    [
      [1, 5],
      [2, 4],
    ],
  ],
  [
    'a line that got worse',
    [line(1, 4, 42), line(2, 4, 29), line(1, 4, -7)],
    [
      [2, 4],
      [1, 4],
    ],
  ],
  [
    'less deep than the first line: after the deeper ones, whatever their values',
    [line(1, 24, 6), line(2, 24, 7), line(3, 24, 6), line(1, 52, 5), line(3, 52, 6)],
    [
      [3, 52],
      [1, 52],
      [2, 24],
    ],
  ],
  [
    'deeper than the first line: by value',
    [line(1, 14, 20), line(2, 15, 15)],
    [
      [1, 14],
      [2, 15],
    ],
  ],
])('%s', (_, arrived, expected) => {
  const lines = arrived.reduce<EngineLine[]>(withLine, []);
  expect(lines.map(({ rank, depth }) => [rank, depth])).toEqual(expected);
});
