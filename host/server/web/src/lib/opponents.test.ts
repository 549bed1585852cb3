// Which engines are opponents, their levels, and the groups of their options.
import { expect, test } from 'vitest';
import type { Engine, EngineOption } from '../api/types';
import { groupOptions, houseOpponent, isOpponent, levelsOf } from './opponents';

const spin = (name: string, min: number, max: number, tunable = false): EngineOption => ({
  name,
  type: 'spin',
  default: '0',
  min,
  max,
  tunable,
});

function engine(id: string, more: Partial<Engine> = {}): Engine {
  return { id, name: id, options: [], purpose: 'play', uploaded_file: null, ...more } as Engine;
}

test.each<[string, EngineOption[], number[]]>([
  ['none', [], []],
  ['full strength is no level', [spin('level', 0, 3)], [1, 2, 3]],
  ['levels that begin later', [spin('level', 2, 4)], [2, 3, 4]],
  ['a single one', [spin('level', 0, 1)], []],
  ['the most', [spin('level', 0, 20)], Array.from({ length: 20 }, (_, index) => index + 1)],
  ['too many', [spin('level', 0, 21)], []],
  ['another name', [spin('levels', 0, 3)], []],
  ['another type', [{ name: 'level', type: 'combo', default: '1', choices: ['1', '2'] }], []],
])('levels: %s', (_, options, expected) => {
  expect(levelsOf({ options })).toEqual(expected);
});

test.each([
  ['play', true],
  ['test', false],
] as const)('an engine for %s is an opponent: %s', (purpose, expected) => {
  expect(isOpponent({ purpose })).toBe(expected);
});

test('the opponent with one click', () => {
  const levels = { options: [spin('level', 0, 10)] };
  const uploaded = { uploaded_file: 'x.wasm' };
  const check = (engines: Engine[], expected: string | undefined) => expect(houseOpponent(engines)?.id).toBe(expected);
  check([], undefined);
  check([engine('a'), engine('b', levels), engine('c', levels)], 'b');
  check([engine('a', { ...levels, ...uploaded }), engine('b')], 'b');
  check([engine('a', uploaded), engine('b', { ...levels, ...uploaded })], 'b');
  check([engine('a', uploaded), engine('b', uploaded)], 'a');
});

test('weights are apart from other options, and the level is in neither group', () => {
  const names = (options: EngineOption[]) => options.map(({ name }) => name);
  const check = (options: EngineOption[], plain: string[], tunable: string[]) => {
    const groups = groupOptions({ options });
    expect([names(groups.plain), names(groups.tunable)]).toEqual([plain, tunable]);
  };
  check([spin('weight', 0, 9, true), spin('level', 0, 10), spin('depth', 0, 9)], ['depth'], ['weight']);
  // A level that is not shown as levels stays an option.
  check([spin('level', 0, 1000)], ['level'], []);
  check([], [], []);
});
