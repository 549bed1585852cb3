// Settings are stored and read back; no stored text can break the client.
import { describe, expect, test } from 'vitest';
import { defaultSettings, loadSettings, parseSettings, saveSettings, SETTINGS_KEY, type Settings } from './settings';

const base = defaultSettings(['en']);

describe('parses', () => {
  const cases: [string, string | null, Partial<Settings>][] = [
    ['nothing', null, {}],
    ['not JSON', '{', {}],
    ['not an object', '[]', {}],
    ['another version', '{"version":2,"theme":"dark"}', {}],
    ['a theme', '{"version":1,"theme":"dark"}', { theme: 'dark' }],
    ['an unknown theme', '{"version":1,"theme":"pink","sound":false}', { sound: false }],
    ['two taps', '{"version":1,"twoTaps":false}', { twoTaps: false }],
    ['two taps that are a number', '{"version":1,"twoTaps":0}', {}],
    ['exact values', '{"version":1,"showValues":true}', { showValues: true }],
    ['exact values that are not a boolean', '{"version":1,"showValues":"yes"}', {}],
    ['a number for a name', '{"version":1,"name":7}', {}],
    ['a name too long', JSON.stringify({ version: 1, name: 'x'.repeat(41) }), {}],
    [
      'appearance',
      '{"version":1,"appearance":{"xiangqi":{"pieces":"letters","x":1}}}',
      { appearance: { xiangqi: { pieces: 'letters' } } },
    ],
    ['a prototype', '{"version":1,"variants":{"__proto__":"x","a":"b"}}', { variants: { a: 'b' } }],
    [
      'seats',
      '{"version":1,"seats":{"gomoku":[{"kind":"engine","engine":"e","options":{"a":"1","b":2},"budget":"5s/move"},3]}}',
      { seats: { gomoku: [{ kind: 'engine', engine: 'e', options: { a: '1' }, budget: '5s/move' }] } },
    ],
  ];
  test.each(cases)('%s', (_, stored, expected) => {
    expect(parseSettings(stored, base)).toEqual({ ...base, ...expected });
  });
});

test.each([
  [['zh-CN', 'en'], 'zh'],
  [['fr', 'zh-TW'], 'zh'],
  [['de-AT'], 'de'],
  [['fr'], 'en'],
  [['en-GB', 'zh'], 'en'],
])('the default language for %o', (languages, language) => {
  expect(defaultSettings(languages).language).toBe(language);
});

test('saved settings are loaded again', () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  };
  const settings: Settings = {
    ...base,
    name: 'Ada',
    language: 'zh',
    showValues: true,
    quickBudget: '3m+2s',
    variants: { gomoku: 'renju' },
  };
  saveSettings(storage, settings);
  expect(loadSettings(storage, ['en'])).toEqual(settings);
  expect([...stored.keys()]).toEqual([SETTINGS_KEY]);
});

test('a storage that throws is ignored', () => {
  const storage = {
    getItem: () => {
      throw new Error('denied');
    },
    setItem: () => {
      throw new Error('denied');
    },
  };
  saveSettings(storage, base);
  expect(loadSettings(storage, ['en'])).toEqual(base);
});
