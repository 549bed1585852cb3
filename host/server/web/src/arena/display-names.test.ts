// Names for people in place of ids.
import { expect, test } from 'vitest';
import { arenaTitle, namePlayer, namePlayers, type Naming } from './display-names';

const naming: Naming = {
  engines: [
    { id: 'alpha', name: 'Alpha Gomoku' },
    { id: 'beta', name: 'Beta' },
    { id: 'blank', name: ' ' },
  ],
  atLevel: (name, level) => `${name}, level ${level}`,
};

test.each([
  ['alpha', 'Alpha Gomoku'],
  ['alpha (2)', 'Alpha Gomoku (2)'],
  ['gone', 'gone'],
  ['gone (1)', 'gone (1)'],
  ['blank', 'blank'],
  ['(2)', '(2)'],
])('the name of the player %s', (name, expected) => {
  expect(namePlayer(name, naming)).toBe(expected);
});

const player = (number: number, name: string, engine: string, options: Record<string, string> = {}) => ({
  number,
  name,
  engine,
  options,
});

test.each([
  ['different engines', [player(0, 'alpha', 'alpha'), player(1, 'beta', 'beta')], ['Alpha Gomoku', 'Beta']],
  [
    'levels of one engine',
    [player(0, 'alpha (1)', 'alpha', { level: '3' }), player(1, 'alpha (2)', 'alpha', { level: '5' })],
    ['Alpha Gomoku, level 3', 'Alpha Gomoku, level 5'],
  ],
  [
    'an engine against itself',
    [player(0, 'alpha (1)', 'alpha', { level: '0' }), player(1, 'alpha (2)', 'alpha')],
    ['Alpha Gomoku (1)', 'Alpha Gomoku (2)'],
  ],
  [
    'names that the arena has chosen',
    [player(0, 'alpha 0a1b2c3d', 'alpha'), player(1, 'Ann', 'alpha')],
    ['alpha 0a1b2c3d', 'Ann'],
  ],
])('the names of players: %s', (_, players, expected) => {
  expect([...namePlayers(players, naming).values()]).toEqual(expected);
});

const andMore = (names: string, more: number) => (more === 0 ? names : `${names} and ${more} more`);

test.each([
  ['Spring cup', ['A', 'B'], 'Spring cup'],
  ['alpha-beta-20260701-123456', ['A', 'B'], 'A – B'],
  ['alpha-beta-20260701-123456-2', ['A', 'B'], 'A – B'],
  ['alpha-and-others-20260701-123456', ['A', 'B', 'C', 'D'], 'A – B – C – D'],
  ['alpha-and-others-20260701-123456', ['A', 'B', 'C', 'D', 'E'], 'A – B – C and 2 more'],
  ['cup-20260701', ['A', 'B'], 'cup-20260701'],
  ['alpha-20260701-123456', [], 'alpha-20260701-123456'],
])('the title of the arena %s', (name, players, expected) => {
  expect(arenaTitle(name, players, andMore)).toBe(expected);
});
