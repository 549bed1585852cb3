// Who plays which seats, which side a seat belongs to, and what a game hides.
import { expect, test } from 'vitest';
import type { Game } from '../api/types';
import { closesRecord, hasTwoSides, hasViews, hidesInformation, isPlain, seatsOfPlayers, sideOfSeat } from './seats';

type GameSeats = Pick<Game, 'seats' | 'sides' | 'features'>;
const none = { chance: false, hidden_information: false, simultaneous: false };
const two: GameSeats = { seats: 2, sides: ['black', 'white'], features: none };
const bridge: GameSeats = { seats: 4, sides: ['NS', 'EW'], features: none };
const hearts: GameSeats = {
  seats: 4,
  sides: ['south', 'west', 'north', 'east'],
  features: { chance: true, hidden_information: true, simultaneous: true },
};
const three: GameSeats = { seats: 3, sides: ['red', 'green', 'blue'], features: none };
const teams: GameSeats = { seats: 4, sides: ['NS', 'EW'], features: { ...none, hidden_information: true } };

test.each<[string, GameSeats, number | null, number[][]]>([
  ['two', two, null, [[0], [1]]],
  ['partners, opposite each other', bridge, null, [[0, 2], [1, 3]]], // prettier-ignore
  ['partners that do not see each other’s cards', teams, null, [[0], [1], [2], [3]]],
  ['four', hearts, null, [[0], [1], [2], [3]]],
  ['three', three, null, [[0], [1], [2]]],
  ['a variant with fewer seats', hearts, 3, [[0], [1], [2]]],
  ['a variant with fewer seats than sides, all seen', three, 2, [[0], [1]]],
  ['a variant with more seats', three, 6, [[0, 3], [1, 4], [2, 5]]], // prettier-ignore
])('the seats of players: %s', (_, game, seats, expected) => {
  expect(seatsOfPlayers(game, seats === null ? null : { seats })).toEqual(expected);
});

test('seats belong to the sides in turn', () => {
  expect([0, 1, 2, 3].map((seat) => sideOfSeat(bridge, seat))).toEqual([0, 1, 0, 1]);
  expect([0, 1, 2, 3].map((seat) => sideOfSeat(hearts, seat))).toEqual([0, 1, 2, 3]);
});

test.each<[string, GameSeats, number[][], boolean]>([
  ['two', two, [[0], [1]], true],
  ['four players of two sides', bridge, [[0], [1], [2], [3]], true],
  ['four', hearts, [[0], [1], [2], [3]], false],
  ['two seats of four', hearts, [[0], [1]], true],
])('two sides: %s', (_, game, seats, expected) => {
  expect(
    hasTwoSides(
      game,
      seats.map((seats) => ({ seats })),
    ),
  ).toBe(expected);
});

test.each([
  [undefined, 'plain'],
  [none, 'plain'],
  [{ ...none, chance: true }, 'record'],
  [{ ...none, simultaneous: true }, 'views'],
  [{ ...none, hidden_information: true }, 'views record hides'],
  [hearts.features, 'views record hides'],
])('what a game with %o hides', (features, expected) => {
  const game = features === undefined ? {} : { features };
  const found = [
    isPlain(game) ? 'plain' : '',
    hasViews(game) ? 'views' : '',
    closesRecord(game) ? 'record' : '',
    hidesInformation(game) ? 'hides' : '',
  ];
  expect(found.filter(Boolean).join(' ')).toBe(expected);
});
