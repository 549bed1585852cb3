// Places by scores.
import { expect, test } from 'vitest';
import { leadersOf, standingsOf } from './standings';

const player = (name: string, ...seats: number[]) => ({ name, seats });
const four = [player('a', 0), player('b', 1), player('c', 2), player('d', 3)];

test.each([
  [[-5, 0, -13, -8], 'b1 a2 d3 c4', 'b'],
  [[0, -13, 0, -13], 'a1 c1 b3 d3', 'ac'],
  [[1, 1, 1, 1], 'a1 b1 c1 d1', 'abcd'],
  [[1, 1, -1], '', ''],
  [[], '', ''],
])('the scores %o', (scores, places, leaders) => {
  const standings = standingsOf(four, scores);
  expect(standings.map(({ player, place }) => player.name + place).join(' ')).toBe(places);
  expect(
    leadersOf(standings)
      .map(({ name }) => name)
      .join(''),
  ).toBe(leaders);
});

test('a player of two seats has the score of both', () => {
  const standings = standingsOf([player('NS', 0, 2), player('EW', 1, 3)], [4, 9, 4, 9]);
  expect(standings.map(({ player, score }) => [player.name, score])).toEqual([
    ['EW', 9],
    ['NS', 4],
  ]);
});
