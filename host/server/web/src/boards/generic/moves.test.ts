// What clicks mean.
import { expect, test } from 'vitest';
import { buttonMoves, choicesAfter, clickOn, nextPlaces } from './moves';
import type { PlacedMove } from './types';

const chess: PlacedMove[] = [
  { move: 'e2e3', places: ['e2', 'e3'] },
  { move: 'e2e4', places: ['e2', 'e4'] },
  { move: 'b7b8q', places: ['b7', 'b8'], label: 'queen' },
  { move: 'b7b8n', places: ['b7', 'b8'], label: 'knight' },
  { move: 'resign', label: 'Resign' },
];
/** A jump that may go on. */
const jumps: PlacedMove[] = [
  { move: 'a-c', places: ['a', 'c'] },
  { move: 'a-c-e', places: ['a', 'c', 'e'] },
];
const columns: PlacedMove[] = [
  { move: 'a', places: ['a1'] },
  { move: 'a', places: ['a2'] },
  { move: 'b', places: ['b1'] },
];

test.each<[PlacedMove[], string[], string, unknown]>([
  [columns, [], 'a2', { move: 'a' }],
  [columns, [], 'c1', { selected: [] }],
  [chess, [], 'e2', { selected: ['e2'] }],
  [chess, [], 'e4', { selected: [] }],
  [chess, ['e2'], 'e4', { move: 'e2e4' }],
  [chess, ['e2'], 'e2', { selected: [] }],
  [chess, ['e2'], 'b7', { selected: ['b7'] }],
  [chess, ['e2'], 'h1', { selected: [] }],
  [chess, ['b7'], 'b8', { selected: ['b7', 'b8'] }],
  [chess, ['b7', 'b8'], 'b8', { selected: ['b7'] }],
  [chess, ['b7', 'b8'], 'e2', { selected: ['e2'] }],
  [jumps, ['a'], 'c', { selected: ['a', 'c'] }],
  [jumps, ['a', 'c'], 'e', { move: 'a-c-e' }],
])('%#: a click on %s', (entries, selected, place, expected) => {
  expect(clickOn(entries, selected, place)).toEqual(expected);
});

test('the places that go on are known', () => {
  const check = (entries: PlacedMove[], selected: string[], expected: string[]) =>
    expect([...nextPlaces(entries, selected)]).toEqual(expected);
  check(chess, [], ['e2', 'b7']);
  check(chess, ['e2'], ['e3', 'e4']);
  check(chess, ['b7', 'b8'], []);
  check(columns, [], ['a1', 'a2', 'b1']);
});

test('several moves with the same places are a choice', () => {
  const check = (entries: PlacedMove[], selected: string[], expected: string[]) =>
    expect(choicesAfter(entries, selected).map(({ move }) => move)).toEqual(expected);
  check(chess, [], []);
  check(chess, ['b7'], []);
  check(chess, ['b7', 'b8'], ['b7b8q', 'b7b8n']);
  check(jumps, ['a', 'c'], ['a-c']);
  check([...columns, ...columns], ['a1'], ['a']);
});

test('moves without places, and few unlisted ones, are buttons', () => {
  const check = (legal: string[], maxUnlisted: number, expected: string[]) =>
    expect(buttonMoves(chess, legal, maxUnlisted).map(({ move }) => move)).toEqual(expected);
  check(['e2e4', 'resign'], 2, ['resign']);
  check(['e2e4', 'x', 'y'], 2, ['resign', 'x', 'y']);
  check(['x', 'y', 'z'], 2, ['resign']);
});
