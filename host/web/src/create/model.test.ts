// From the filled form to the request.
import { describe, expect, test } from 'vitest';
import type { Engine, Game } from '../api/types';
import { movesOf, newRoom, optionsSet, seatForm, seatsOfSides, variantOf, variantText, type Form } from './model';

const game: Game = {
  id: 'gomoku',
  name: 'Gomoku',
  seats: 2,
  sides: ['black', 'white'],
  board: 'gomoku',
  variants: [
    { id: 'freestyle', text: 'freestyle', summary: '', size: { min: 5, max: 22, default: 15 } },
    { id: 'soosorv-8', text: 'soosorv-8', summary: '', size: null },
    {
      id: 'renju-contest',
      text: 'renju-contest',
      summary: '',
      size: null,
      setting: { name: 'fifths', summary: '', min: 1, max: 12, default: 12 },
    },
  ],
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
  [2, [[0], [1]]],
  [4, [[0, 2], [1, 3]]],
])('sides of %i seats', (seats, expected) => {
  expect(seatsOfSides(seats)).toEqual(expected);
});

describe('variants', () => {
  test.each([
    ['freestyle', 15, null, 'freestyle'],
    ['freestyle', 19, 6, 'freestyle-19'],
    ['freestyle', null, null, 'freestyle'],
    ['soosorv-8', 19, null, 'soosorv-8'],
    ['renju-contest', null, 6, 'renju-contest:fifths=6'],
    ['renju-contest', null, 12, 'renju-contest'],
  ])('%s of %s with %s', (id, size, setting, text) => {
    expect(variantText(game.variants.find((v) => v.id === id), id, size, setting)).toBe(text);
  });

  test.each([
    ['freestyle', { id: 'freestyle', size: 15, setting: null }],
    ['freestyle-19', { id: 'freestyle', size: 19, setting: null }],
    ['soosorv-8', { id: 'soosorv-8', size: null, setting: null }],
    ['renju-contest', { id: 'renju-contest', size: null, setting: 12 }],
    ['renju-contest:fifths=6', { id: 'renju-contest', size: null, setting: 6 }],
    ['unheard-of', { id: 'freestyle', size: 15, setting: null }],
  ])('parts of %s', (text, expected) => {
    expect(variantOf(game, text)).toEqual(expected);
  });
});

test.each([
  ['', []],
  ['h8 i9', ['h8', 'i9']],
  ['1. h8, i9\n2. a1;b2', ['h8', 'i9', 'a1', 'b2']],
  ['1... e5 12', ['e5', '12']],
])('moves of %o', (text, moves) => {
  expect(movesOf(text)).toEqual(moves);
});

test.each([
  [{ level: '5', book: 'true' }, {}],
  [{ level: '6', book: 'false' }, { level: '6', book: 'false' }],
  [{ level: '', other: '1' }, {}],
])('options %o', (options, expected) => {
  expect(optionsSet(engine, options)).toEqual(expected);
});

describe('requests', () => {
  const form: Form = {
    game: 'gomoku',
    variant: 'freestyle',
    size: 15,
    setting: null,
    seats: [seatForm(undefined, 'here', ' Ada '), { ...seatForm(undefined, 'engine', ''), engine: 'e', budget: '5s/move' }],
    start: '',
    moves: '',
    undo: true,
    draws: false,
    hint: '',
  };

  test('a person and an engine', () => {
    expect(newRoom(form, game, [engine], ['One', 'Two'])).toEqual({
      game: 'gomoku',
      variant: 'freestyle',
      players: [
        { name: 'Ada', seats: [0], budget: '10m+5s', person: {}, engine: null },
        { name: 'Engine', seats: [1], budget: '5s/move', person: null, engine: { id: 'e', options: {} } },
      ],
      settings: { undo: true, draw_offers: false },
    });
  });

  test('who sits here is the host, wherever that is', () => {
    const seats: Form['seats'] = [{ ...form.seats[0], kind: 'link' }, { ...form.seats[1], kind: 'here' }];
    expect(newRoom({ ...form, seats }, game, [], ['One', 'Two']).host).toBe(1);
    expect(newRoom({ ...form, seats: [seats[1], seats[0]] }, game, [], ['One', 'Two']).host).toBeUndefined();
  });

  test('start, moves, hint, threads, size; a person without a name has one', () => {
    const seats: Form['seats'] = [
      { ...form.seats[0], name: ' ' },
      { ...form.seats[1], threads: 2, ponders: true, options: { level: '9' } },
    ];
    const room = newRoom({ ...form, seats, size: 19, start: ' p ', moves: 'h8', hint: 'e' }, game, [engine], ['One', 'Two']);
    expect(room).toMatchObject({
      variant: 'freestyle-19',
      start: 'p',
      moves: ['h8'],
      hint: { id: 'e', options: {}, budget: '3s/move' },
    });
    expect(room.players[0]!.name).toBe('One');
    expect(room.players[1]).toMatchObject({ engine: { id: 'e', options: { level: '9' }, threads: 2 }, ponders: true });
  });
});
