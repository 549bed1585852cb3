// Settings survive, and nothing that is stored can break the client.
import { describe, expect, test } from 'vitest';
import { defaults, KEY, loadSettings, readSettings, saveSettings, type Settings } from './settings';

const base = defaults(['en']);

describe('read', () => {
  const cases: [string, string | null, Partial<Settings>][] = [
    ['nothing', null, {}],
    ['no JSON', '{', {}],
    ['no object', '[]', {}],
    ['another version', '{"version":2,"theme":"dark"}', {}],
    ['a theme', '{"version":1,"theme":"dark"}', { theme: 'dark' }],
    ['a theme that there is not', '{"version":1,"theme":"pink","sound":false}', { sound: false }],
    ['values of moves', '{"version":1,"values":true}', { values: true }],
    ['values that are no choice', '{"version":1,"values":"yes"}', {}],
    ['a number for a name', '{"version":1,"name":7}', {}],
    ['a name too long', JSON.stringify({ version: 1, name: 'x'.repeat(41) }), {}],
    ['looks', '{"version":1,"looks":{"xiangqi":{"pieces":"lettered","x":1}}}', { looks: { xiangqi: { pieces: 'lettered' } } }],
    ['a prototype', '{"version":1,"variants":{"__proto__":"x","a":"b"}}', { variants: { a: 'b' } }],
    [
      'seats',
      '{"version":1,"seats":{"gomoku":[{"kind":"engine","engine":"e","options":{"a":"1","b":2},"budget":"5s/move"},3]}}',
      { seats: { gomoku: [{ kind: 'engine', engine: 'e', options: { a: '1' }, budget: '5s/move' }] } },
    ],
  ];
  test.each(cases)('%s', (_, stored, expected) => {
    expect(readSettings(stored, base)).toEqual({ ...base, ...expected });
  });
});

test.each([
  [['zh-CN', 'en'], 'zh'],
  [['de', 'zh-TW'], 'zh'],
  [['de'], 'en'],
  [['en-GB', 'zh'], 'en'],
])('the language of %o', (languages, lang) => {
  expect(defaults(languages).lang).toBe(lang);
});

test('what is saved is found again', () => {
  const stored = new Map<string, string>();
  const store = { getItem: (key: string) => stored.get(key) ?? null, setItem: (key: string, value: string) => void stored.set(key, value) };
  const settings: Settings = { ...base, name: 'Ada', lang: 'zh', values: true, quickBudget: '3m+2s', variants: { gomoku: 'renju' } };
  saveSettings(store, settings);
  expect(loadSettings(store, ['en'])).toEqual(settings);
  expect([...stored.keys()]).toEqual([KEY]);
});

test('a store that throws is none', () => {
  const store = {
    getItem: () => {
      throw new Error('denied');
    },
    setItem: () => {
      throw new Error('denied');
    },
  };
  saveSettings(store, base);
  expect(loadSettings(store, ['en'])).toEqual(base);
});
