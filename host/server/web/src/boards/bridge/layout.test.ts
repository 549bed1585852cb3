// Nothing on the table overlaps, whatever the hands.
import { expect, test } from 'vitest';
import perft from '../../../../../../tests/fixtures/bridge/perft.json';
import { samples } from '../demo/samples';
import { layoutTable, type Box } from './layout';
import { parsePosition } from './notation';

const texts = [
  ...perft.records.map(({ position }) => position),
  ...samples.filter(({ game }) => game === 'bridge').map(({ position }) => position.position),
];

const overlap = (a: Box, b: Box) =>
  a.x + a.width > b.x && b.x + b.width > a.x && a.y + a.height > b.y && b.y + b.height > a.y;

test.each([true, false])('wide: %s', (wide) => {
  for (const text of texts) {
    for (const bottom of [0, 1, 2, 3]) {
      const position = parsePosition(text);
      const layout = layoutTable(position, bottom, wide);
      const cards = layout.rows.flat();
      expect(cards.map(({ card }) => card).sort(), text).toEqual(position.hands.flat().sort());
      const boxes: Box[] = [...cards, ...layout.trick];
      const outside = boxes.filter(
        (box) => box.x < 0 || box.y < 0 || box.x + box.width > layout.width || box.y + box.height > layout.height,
      );
      expect(outside, text).toEqual([]);
      const overlaps = boxes.flatMap((box, nth) =>
        boxes
          .slice(nth + 1)
          .filter((other) => overlap(box, other))
          .map((other) => [box, other]),
      );
      expect(overlaps, text).toEqual([]);
    }
  }
});

test.each([
  [0, 'north'],
  [1, 'east'],
  [2, 'south'],
  [3, 'west'],
])('seat %i at the bottom, the others clockwise', (bottom) => {
  const { names, trick, height } = layoutTable(parsePosition(texts[0]!), bottom, true);
  const [low, left, high, right] = [0, 1, 2, 3].map((turns) => (bottom + turns) % 4);
  expect(names[low!]!.y).toBeGreaterThan(height / 2);
  expect(names[high!]!.y).toBeLessThan(names[left!]!.y);
  expect(names[left!]!.x).toBeLessThan(names[right!]!.x);
  expect(trick[left!]!.x).toBeLessThan(trick[right!]!.x);
  expect(trick[high!]!.y).toBeLessThan(trick[low!]!.y);
});
