// The request that the new-game form makes.
import { describe, expect, test } from 'vitest';
import type { Engine, Game } from '../api/types';
import { createRequest, createSeatForm, seatsOfSides, splitMoves, type NewGameForm } from './form';

const game: Game = {
  id: 'gomoku',
  name: 'Gomoku',
  seats: 2,
  sides: ['black', 'white'],
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
  [2, [[0], [1]]],
  [
    4,
    [
      [0, 2],
      [1, 3],
    ],
  ],
])('sides of %i seats', (seatCount, expected) => {
  expect(seatsOfSides(seatCount)).toEqual(expected);
});

test.each([
  ['', []],
  ['h8 i9', ['h8', 'i9']],
  ['1. h8, i9\n2. a1;b2', ['h8', 'i9', 'a1', 'b2']],
  ['1... e5 12', ['e5', '12']],
])('moves in %o', (text, moves) => {
  expect(splitMoves(text)).toEqual(moves);
});

describe('requests', () => {
  const form: NewGameForm = {
    game: 'gomoku',
    variant: 'freestyle',
    size: 15,
    setting: null,
    seats: [
      createSeatForm(undefined, 'here', ' Ada '),
      { ...createSeatForm(undefined, 'engine', ''), engine: 'e', budget: '5s/move' },
    ],
    start: '',
    moves: '',
    allowUndo: true,
    allowDraws: false,
    hintEngine: '',
  };

  test('a person and an engine', () => {
    expect(createRequest(form, game, [engine], ['One', 'Two'])).toEqual({
      game: 'gomoku',
      variant: 'freestyle',
      players: [
        { name: 'Ada', seats: [0], budget: '10m+5s', person: {}, engine: null },
        { name: 'Engine', seats: [1], budget: '5s/move', person: null, engine: { id: 'e', options: {} } },
      ],
      settings: { undo: true, draw_offers: false },
    });
  });

  test('the person at this browser is the host, on either side', () => {
    const seats: NewGameForm['seats'] = [
      { ...form.seats[0], kind: 'link' },
      { ...form.seats[1], kind: 'here' },
    ];
    expect(createRequest({ ...form, seats }, game, [], ['One', 'Two']).host).toBe(1);
    expect(createRequest({ ...form, seats: [seats[1], seats[0]] }, game, [], ['One', 'Two']).host).toBeUndefined();
  });

  test('start, moves, hint, threads, size, and a default name', () => {
    const seats: NewGameForm['seats'] = [
      { ...form.seats[0], name: ' ' },
      { ...form.seats[1], threads: 2, ponders: true, options: { level: '9' } },
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
});
