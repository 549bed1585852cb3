// The form of a new arena.
import { expect, test } from 'vitest';
import type { Engine } from '../api/types';
import { createForm, createRequest, fieldAt, formatsFor, type ArenaForm } from './new-arena';

const engine = (id: string): Engine => ({
  id,
  name: id,
  version: '1',
  author: '',
  description: '',
  kind: 'wasm',
  purpose: 'play',
  sha256: '',
  games: [{ id: 'gomoku', variants: null }],
  options: [{ name: 'level', type: 'spin', default: 0, min: 0, max: 5 }],
  abilities: [],
  memory_bytes: 0,
  threads_max: 1,
  uploaded_file: null,
});
const engines = [engine('alpha'), engine('beta')];
const form = (more: Partial<ArenaForm> = {}): ArenaForm => ({
  ...createForm('gomoku', 'freestyle-9', 2, engines),
  ...more,
});
const request = {
  name: '',
  game: 'gomoku',
  variant: 'freestyle-9',
  format: 'match',
  count: 10,
  players: [{ engine: { id: 'alpha', options: {} } }, { engine: { id: 'beta', options: {} } }],
  budget: '1s/move',
  games_at_once: 1,
};

test.each<[string, Partial<ArenaForm>, object]>([
  ['the defaults', {}, {}],
  ['a name', { name: ' Spring cup ' }, { name: 'Spring cup' }],
  ['empty numbers, which the server refuses', { count: null, gamesAtOnce: null }, { count: 0, games_at_once: 0 }],
  [
    'a level and a time of its own',
    {
      players: [
        { engine: 'alpha', options: { level: '3' }, threads: 2, hasBudget: true, budget: 'depth:4' },
        { engine: 'alpha', options: { level: '0' }, threads: 1, hasBudget: false, budget: 'depth:4' },
      ],
    },
    {
      players: [
        { engine: { id: 'alpha', options: { level: '3' }, threads: 2 }, budget: 'depth:4' },
        { engine: { id: 'alpha', options: {} } },
      ],
    },
  ],
  ['blank openings', { openings: ' \n' }, {}],
  ['typed openings', { openings: 'e5 e6' }, { openings: { name: 'openings.txt', text: 'e5 e6' } }],
  ['openings of a file', { openings: 'e5', openingsName: 'book.txt' }, { openings: { name: 'book.txt', text: 'e5' } }],
  ['a test', { hasTest: true }, { sprt: { elo0: 0, elo1: 10 } }],
  ['a test that was chosen for another format', { hasTest: true, format: 'swiss' }, { format: 'swiss' }],
])('the request of a form with %s', (_, more, expected) => {
  expect(createRequest(form(more), engines)).toEqual({ ...request, ...expected });
});

test('games of more than two players have no formats of pairs', () => {
  expect(formatsFor(2)).toContain('knockout');
  expect(formatsFor(4)).not.toContain('knockout');
});

test.each([
  ['players[1].engine', { field: 'player', player: 1 }],
  ['players[0].budget', { field: 'player', player: 0 }],
  ['players', null],
  ['budget', { field: 'budget' }],
  ['games_at_once', { field: 'games_at_once' }],
  ['body', null],
  [null, null],
])('the field at %s', (location, expected) => {
  expect(fieldAt(location)).toEqual(expected);
});
