// The requests of the games that start with one click, and the room that a tile shows.
import { describe, expect, test } from 'vitest';
import type { Engine, Game, RoomSummary, Variant } from '../api/types';
import { againstComputer, againstFriends, hasOpponents, variantToStart, type PlayerNames } from './quick-start';
import { roomsOfGames } from './room-choice';

const variant = (id: string, seats: number): Variant => ({ id, text: id, summary: '', size: null, seats });

function game(id: string, sides: string[], variants: Variant[], features?: Game['features']): Game {
  return {
    id,
    name: id,
    seats: Math.max(...variants.map(({ seats }) => seats)),
    sides,
    board: '',
    variants,
    formats: [],
    start: '',
    ...(features === undefined ? {} : { features }),
  };
}

const gomoku = game('gomoku', ['black', 'white'], [variant('freestyle', 2), variant('renju', 2)]);
const bridge = game('bridge', ['NS', 'EW'], [variant('double-dummy', 4)]);
const cards = game('cards', ['a', 'b', 'c'], [variant('three', 3)], {
  chance: true,
  hidden_information: true,
  simultaneous: false,
});
const alone = game('alone', ['a'], [variant('standard', 1)]);
const engine = { id: 'alpha', name: 'Alpha' } as Engine;
const names: PlayerNames = { own: 'Ann', guest: (player) => `guest ${player}`, engine: 'Alpha, level 3' };

describe('against the computer', () => {
  test.each<[string, Game, number | null, unknown[]]>([
    [
      'at a level',
      gomoku,
      3,
      [
        { seats: [0], name: 'Ann', budget: 'none', person: {}, engine: null },
        {
          seats: [1],
          name: 'Alpha, level 3',
          budget: '10s/move',
          person: null,
          engine: { id: 'alpha', options: { level: '3' } },
        },
      ],
    ],
    [
      'at full strength, with two seats each',
      bridge,
      null,
      [
        { seats: [0, 2], name: 'Ann', budget: 'none', person: {}, engine: null },
        {
          seats: [1, 3],
          name: 'Alpha, level 3',
          budget: '2s/move',
          person: null,
          engine: { id: 'alpha', options: {} },
        },
      ],
    ],
  ])('%s', (_, game, level, players) => {
    const request = againstComputer(game, game.variants[0], engine, level, names);
    expect(request).toMatchObject({ game: game.id, variant: game.variants[0]?.id, random_seats: true });
    expect(request.players).toEqual(players);
  });

  test('all others are engines', () => {
    const { players } = againstComputer(cards, cards.variants[0], engine, null, names);
    expect(players.map(({ engine }) => engine?.id ?? null)).toEqual([null, 'alpha', 'alpha']);
  });
});

test('all others are friends, who choose their names', () => {
  const check = (game: Game, expected: unknown[]) =>
    expect(againstFriends(game, game.variants[0], names).players.map(({ name, person }) => [name, person])).toEqual(
      expected,
    );
  check(gomoku, [
    ['Ann', {}],
    ['guest 1', { chooses_name: true }],
  ]);
  check(cards, [
    ['Ann', {}],
    ['guest 1', { chooses_name: true }],
    ['guest 2', { chooses_name: true }],
  ]);
});

test.each<[string, string[], string]>([
  ['no opponent', [], 'freestyle'],
  ['an opponent for all', ['freestyle', 'renju'], 'freestyle'],
  ['an opponent for the second only', ['renju'], 'renju'],
])('the variant that is started: %s', (_, played, expected) => {
  const opponentsFor = (id: string) => (played.includes(id) ? [engine] : []);
  expect(variantToStart(gomoku, opponentsFor)?.id).toBe(expected);
});

test.each([
  [gomoku, true],
  [bridge, true],
  [cards, true],
  [alone, false],
])('whether $id has opponents', (game, expected) => {
  expect(hasOpponents(game, game.variants[0])).toBe(expected);
});

test('the room of a tile is in progress, and has the most spectators, then the most moves', () => {
  const room = (id: string, state: RoomSummary['state'], spectators: number, plies: number) =>
    ({ id, game: 'gomoku', state, spectators, plies }) as RoomSummary;
  const check = (rooms: RoomSummary[], expected: string | undefined) =>
    expect(roomsOfGames(rooms).get('gomoku')?.id).toBe(expected);
  check([], undefined);
  check([room('a', 'waiting', 9, 0), room('b', 'paused', 9, 9)], undefined);
  check([room('a', 'playing', 0, 2), room('b', 'playing', 0, 3), room('c', 'playing', 0, 3)], 'b');
  check([room('a', 'playing', 0, 9), room('b', 'playing', 1, 0)], 'b');
});
