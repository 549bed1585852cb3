// The request that the new-game form makes.
import { describe, expect, test } from 'vitest';
import type { Engine, Game } from '../api/types';
import type { SeatKind } from '../settings/settings';
import {
  createRequest,
  createSeatForm,
  deviceSeatOf,
  fitSeats,
  problemOf,
  rotateSeats,
  splitMoves,
  withKind,
  type NewGameForm,
  type SeatForm,
} from './form';

const game: Game = {
  id: 'gomoku',
  name: 'Gomoku',
  seats: 2,
  sides: ['black', 'white'],
  features: { chance: false, hidden_information: false, simultaneous: false },
  board: 'gomoku',
  variants: [{ id: 'freestyle', text: 'freestyle', summary: '', size: { min: 5, max: 22, default: 15 }, seats: 2 }],
  formats: [],
  start: '',
};
const engine = {
  id: 'e',
  name: 'Engine',
  options: [
    { name: 'level', type: 'spin', default: 5 },
    { name: 'book', type: 'check', default: true },
  ],
} as unknown as Engine;

test.each([
  ['', []],
  ['h8 i9', ['h8', 'i9']],
  ['1. h8, i9\n2. a1;b2', ['h8', 'i9', 'a1', 'b2']],
  ['1... e5 12', ['e5', '12']],
])('moves in %o', (text, moves) => {
  expect(splitMoves(text)).toEqual(moves);
});

const here = createSeatForm(undefined, 'here', ' Ada ');
const byEngine: SeatForm = { ...createSeatForm(undefined, 'engine', ''), engine: 'e', budget: '5s/move' };
const onDevice: SeatForm = { ...byEngine, kind: 'device', options: { level: '2', book: 'true' }, budget: 'none' };
const byLink = createSeatForm(undefined, 'link', '');
const form: NewGameForm = {
  game: 'gomoku',
  variant: 'freestyle',
  size: 15,
  setting: null,
  seats: [here, byEngine],
  randomSides: false,
  start: '',
  moves: '',
  allowUndo: true,
  allowDraws: false,
  graceSeconds: 0.5,
  firstMoveSeconds: null,
  hintEngine: '',
};
const hearts: Game = {
  ...game,
  id: 'hearts',
  seats: 4,
  sides: ['south', 'west', 'north', 'east'],
  features: { chance: true, hidden_information: true, simultaneous: true },
  variants: [
    { id: 'four', text: 'four', summary: '', seats: 4, size: null },
    { id: 'three', text: 'three', summary: '', seats: 3, size: null },
  ],
};

describe('requests', () => {
  test('a person and an engine', () => {
    expect(createRequest(form, game, [engine], ['One', 'Two'])).toEqual({
      game: 'gomoku',
      variant: 'freestyle',
      players: [
        { name: 'Ada', seats: [0], budget: '10m+5s', person: {}, engine: null },
        { name: 'Engine', seats: [1], budget: '5s/move', person: null, engine: { id: 'e', options: {} } },
      ],
      settings: { undo: true, draw_offers: false, grace_ms: 500, first_move_ms: 0 },
    });
  });

  test('the person at this browser is the host, on either side', () => {
    const names = ['One', 'Two'];
    expect(createRequest({ ...form, seats: [byLink, here] }, game, [], names).host).toBe(1);
    expect(createRequest({ ...form, seats: [here, byLink] }, game, [], names).host).toBeUndefined();
    expect(createRequest({ ...form, seats: [byEngine, byEngine] }, game, [], names).host).toBeUndefined();
  });

  test('a guest gives the name when joining', () => {
    const room = createRequest({ ...form, seats: [here, { ...byLink, name: 'Old' }] }, game, [], ['One', 'Two']);
    expect(room.players.map(({ name, person }) => [name, person])).toEqual([
      ['Ada', {}],
      ['Two', { chooses_name: true }],
    ]);
  });

  test.each([[true], [false]])('sides by chance: %s', (randomSides) => {
    const room = createRequest({ ...form, randomSides }, game, [engine], ['One', 'Two']);
    expect(room.random_seats ?? false).toBe(randomSides);
  });

  test('start, moves, hint, threads, size, and a default name', () => {
    const seats = [
      { ...here, name: ' ' },
      { ...byEngine, threads: 2, ponders: true, options: { level: '9' } },
    ];
    const room = createRequest(
      { ...form, seats, size: 19, start: ' p ', moves: 'h8', hintEngine: 'e' },
      game,
      [engine],
      ['One', 'Two'],
    );
    expect(room).toMatchObject({
      variant: 'freestyle-19',
      start: 'p',
      moves: ['h8'],
      hint: { id: 'e', options: {}, budget: '3s/move' },
    });
    expect(room.players[0]!.name).toBe('One');
    expect(room.players[1]).toMatchObject({ engine: { id: 'e', options: { level: '9' }, threads: 2 }, ponders: true });
  });

  test('four players have a seat each, and three in a variant with three seats', () => {
    const names = ['One', 'Two', 'Three', 'Four'];
    const seats = [byEngine, here, byLink, byLink];
    const players = (variant: string) =>
      createRequest({ ...form, game: 'hearts', variant, seats }, hearts, [engine], names).players.map(
        ({ name, seats, engine }) => `${name} ${seats.join()} ${engine === null ? 'person' : 'engine'}`,
      );
    const three = ['Engine 0 engine', 'Ada 1 person', 'Three 2 person'];
    expect(players('four')).toEqual([...three, 'Four 3 person']);
    expect(players('three')).toEqual(three);
  });
});

describe('seats', () => {
  const fuel: SeatForm = { ...byEngine, budget: 'fuel:2e8/move' };
  test.each<[string, SeatForm, SeatKind, string]>([
    ['an engine’s fuel is not a person’s time', fuel, 'here', '10m+5s'],
    ['nor is an engine’s short time', byEngine, 'link', '10m+5s'],
    ['another kind of person', { ...here, budget: '5m' }, 'link', '5m'],
    ['an engine in place of a person', { ...here, budget: '5m' }, 'engine', '5m'],
    ['the same engine', fuel, 'engine', 'fuel:2e8/move'],
  ])('the time of a seat: %s', (_, seat, kind, budget) => {
    expect(withKind(seat, kind)).toEqual({ ...seat, kind, budget });
  });

  const kinds = (seats: SeatForm[]) => seats.map(({ kind }) => kind).join(' ');

  test.each([
    [[here, byLink], 1, 'here'],
    [[here, byLink], 2, 'here link'],
    [[here, byLink], 3, 'here link engine'],
    [[here, byEngine], 4, 'here engine engine engine'],
    [[], 2, 'engine engine'],
  ])('%o, as %i seats', (seats, count, expected) => {
    expect(kinds(fitSeats(seats, count))).toBe(expected);
  });

  test('a new seat has the engine and time of the last engine, and options of its own', () => {
    const [, , third] = fitSeats([here, { ...byEngine, options: { level: '9' } }], 3);
    third!.options['level'] = '1';
    expect([third!.engine, third!.budget, byEngine.options]).toEqual(['e', '5s/move', {}]);
  });

  test('a rotation moves each player to the next seat, and four of them change nothing', () => {
    const seats = [here, byEngine, byLink, byEngine];
    expect(kinds(rotateSeats(seats))).toBe('engine here engine link');
    expect(rotateSeats(rotateSeats(rotateSeats(rotateSeats(seats))))).toEqual(seats);
  });

  test.each<[string, Game, SeatForm[], string | null]>([
    ['one here', hearts, [here, byEngine, byLink, byLink], null],
    ['two here', hearts, [here, byEngine, here, byLink], 'two-here'],
    ['no person here', hearts, [byLink, byEngine, byLink, byLink], null],
    ['two here, all seen', game, [here, here], null],
    ['two here, four seats, all seen', { ...hearts, features: game.features! }, [here, here, here, here], null],
  ])('problems: %s', (_, game, seats, expected) => {
    expect(problemOf({ seats }, game)).toBe(expected);
  });
});

test('the name of an engine says its level', () => {
  const nameEngine = ({ name }: Engine, level: number | null) => `${name} ${level}`;
  const nameOf = (options: Record<string, string>) =>
    createRequest({ ...form, seats: [here, { ...byEngine, options }] }, game, [engine], ['One', 'Two'], nameEngine)
      .players[1]?.name;
  expect([nameOf({ level: '3' }), nameOf({ level: '0' }), nameOf({})]).toEqual([
    'Engine 3',
    'Engine null',
    'Engine null',
  ]);
});

test('an engine on the device is a person to the server, and has what it needs here', () => {
  const request = createRequest({ ...form, seats: [here, onDevice] }, game, [engine], ['One', 'Two']);
  expect(request.players[1]).toEqual({ name: 'Engine', seats: [1], budget: 'none', person: {}, engine: null });
  expect(deviceSeatOf(onDevice, [engine])).toEqual({ engine: 'e', fuel: 2e9, options: { level: '2' } });
  expect([here, byEngine, byLink, undefined].map((seat) => deviceSeatOf(seat, [engine]))).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
