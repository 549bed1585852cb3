// Variant texts and their parts.
import { expect, test } from 'vitest';
import type { Game } from '../api/types';
import { formatVariant, parseVariant } from './variants';

const game: Game = {
  id: 'gomoku',
  name: 'Gomoku',
  seats: 2,
  sides: ['black', 'white'],
  board: 'gomoku',
  variants: [
    { id: 'freestyle', text: 'freestyle', summary: '', size: { min: 5, max: 22, default: 15 }, seats: 2 },
    { id: 'soosorv-8', text: 'soosorv-8', summary: '', size: null, seats: 2 },
    {
      id: 'renju-contest',
      text: 'renju-contest',
      summary: '',
      size: null,
      setting: { name: 'fifths', summary: '', min: 1, max: 12, default: 12 },
      seats: 2,
    },
  ],
  formats: [],
  start: '',
};

test.each([
  ['freestyle', 15, null, 'freestyle'],
  ['freestyle', 19, 6, 'freestyle-19'],
  ['freestyle', null, null, 'freestyle'],
  ['soosorv-8', 19, null, 'soosorv-8'],
  ['renju-contest', null, 6, 'renju-contest:fifths=6'],
  ['renju-contest', null, 12, 'renju-contest'],
])('%s with size %s and setting %s', (id, size, setting, text) => {
  const variant = game.variants.find((other) => other.id === id);
  expect(formatVariant(variant, id, size, setting)).toBe(text);
});

test.each([
  ['freestyle', { id: 'freestyle', size: 15, setting: null }],
  ['freestyle-19', { id: 'freestyle', size: 19, setting: null }],
  ['soosorv-8', { id: 'soosorv-8', size: null, setting: null }],
  ['renju-contest', { id: 'renju-contest', size: null, setting: 12 }],
  ['renju-contest:fifths=6', { id: 'renju-contest', size: null, setting: 6 }],
  ['unheard-of', { id: 'freestyle', size: 15, setting: null }],
])('parts of %s', (text, expected) => {
  expect(parseVariant(game, text)).toEqual(expected);
});
