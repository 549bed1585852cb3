// On the table nothing lies upon anything else, whatever the hands.
import { expect, test } from 'vitest';
import perft from '../../../../../tests/fixtures/bridge/perft.json';
import { samples } from '../demo/samples';
import { layout, type Box } from './layout';
import { parse } from './notation';

const texts = [...perft.records.map((it) => it.position), ...samples.filter((it) => it.game === 'bridge').map((it) => it.position.position)];

const apart = (one: Box, other: Box) =>
  one.x + one.width <= other.x || other.x + other.width <= one.x || one.y + one.height <= other.y || other.y + other.height <= one.y;

test.each([true, false])('wide: %s', (wide) => {
  for (const text of texts) {
    for (const bottom of [0, 1, 2, 3]) {
      const table = parse(text);
      const plan = layout(table, bottom, wide);
      const cards = plan.rows.flat();
      expect(cards.map((it) => it.card).sort(), text).toEqual(table.hands.flat().sort());
      const boxes: Box[] = [...cards, ...plan.trick];
      const outside = boxes.filter((it) => it.x < 0 || it.y < 0 || it.x + it.width > plan.width || it.y + it.height > plan.height);
      expect(outside, text).toEqual([]);
      const upon = boxes.flatMap((one, nth) => boxes.slice(nth + 1).filter((other) => !apart(one, other)).map((other) => [one, other]));
      expect(upon, text).toEqual([]);
    }
  }
});

test.each([
  [0, 'north'],
  [1, 'east'],
  [2, 'south'],
  [3, 'west'],
])('seat %i at the bottom, the others clockwise', (bottom) => {
  const { names, trick, height } = layout(parse(texts[0]!), bottom, true);
  const [low, left, high, right] = [0, 1, 2, 3].map((turns) => (bottom + turns) % 4);
  expect(names[low!]!.y).toBeGreaterThan(height / 2);
  expect(names[high!]!.y).toBeLessThan(names[left!]!.y);
  expect(names[left!]!.x).toBeLessThan(names[right!]!.x);
  expect(trick[left!]!.x).toBeLessThan(trick[right!]!.x);
  expect(trick[high!]!.y).toBeLessThan(trick[low!]!.y);
});
