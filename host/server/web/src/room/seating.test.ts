// The players above and below the board.
import { expect, test } from 'vitest';
import { player, snapshot } from '../api/fixtures';
import { seatPlayers } from './seating';

test.each([
  [[], false, ['Bo', 'Ada']],
  [[], true, ['Ada', 'Bo']],
  [[1], false, ['Ada', 'Bo']],
  [[1], true, ['Bo', 'Ada']],
  [[0, 1], false, ['Bo', 'Ada']],
])('own players %o, flipped %s', (own, flipped, names) => {
  const [above, below] = seatPlayers(snapshot(), new Set(own), flipped);
  expect([above[0]!.name, below[0]!.name]).toEqual(names);
});

test('after a rematch the second player may have the first seat', () => {
  const players = [player(0, { seats: [1] }), player(1, { seats: [0] })];
  const [above, below] = seatPlayers(snapshot({ players }), new Set(), false);
  expect([above[0]!.name, below[0]!.name]).toEqual(['Ada', 'Bo']);
});

test.each([
  [[], false, 'Bo Cy Di | Ada'],
  [[0], false, 'Bo Cy Di | Ada'],
  [[2], false, 'Di Ada Bo | Cy'],
  [[3], false, 'Ada Bo Cy | Di'],
  [[2], true, 'Cy | Di Ada Bo'],
])('four players in the order of the table: own %o, flipped %s', (own, flipped, expected) => {
  const players = [player(0), player(1), player(2), player(3)];
  const edges = seatPlayers(snapshot({ players }), new Set(own), flipped);
  expect(edges.map((edge) => edge.map(({ name }) => name).join(' ')).join(' | ')).toBe(expected);
});
