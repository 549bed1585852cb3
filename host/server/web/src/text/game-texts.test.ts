// The texts of plugged-in games in the languages of the client.
import { expect, test } from 'vitest';
import type { Position } from '../api/types';
import { ownTexts, withOwnTexts, type Translations } from './game-texts';

test.each<[string, string, Translations | undefined, string, string | undefined]>([
  ['the language itself', 'zh', { de: { a: 'ä' }, zh: { a: '甲' } }, 'a', '甲'],
  ['a tag with a region', 'zh', { 'zh-CN': { a: '甲' } }, 'a', '甲'],
  ['the shortest of several tags', 'zh', { 'zh-TW': { a: '乙' }, zh: { a: '甲' } }, 'a', '甲'],
  ['the first of equally long tags', 'zh', { 'zh-TW': { a: '乙' }, 'zh-CN': { a: '甲' } }, 'a', '甲'],
  ['capitals in a tag', 'de', { DE: { a: 'ä' } }, 'a', 'ä'],
  ['another language that begins alike', 'de', { den: { a: 'b' } }, 'a', undefined],
  ['no translation of the text', 'zh', { zh: { a: '甲' } }, 'b', undefined],
  ['a word of every object', 'zh', { zh: { a: '甲' } }, 'constructor', undefined],
  ['no game', 'de', undefined, 'a', undefined],
  ['a number', 'zh', { zh: { 'card {} of {}': '第 {} 张，共 {} 张' } }, 'card 1 of 13', '第 1 张，共 13 张'],
  ['a text with its own number', 'zh', { zh: { 'card {}': '第 {} 张', 'card 1': '首张' } }, 'card 1', '首张'],
  ['a number too few', 'zh', { zh: { 'card {}': '{}/{}' } }, 'card 7', '7/'],
  ['a number too many', 'zh', { zh: { 'card {} of {}': '第 {} 张' } }, 'card 1 of 13', '第 1 张'],
  ['a word', 'zh', { zh: { 'column {} is full': '{} 列已满' } }, 'column a is full', 'a 列已满'],
  ['a word at the start', 'zh', { zh: { '{} is empty': '{} 是空格' } }, 'b2 is empty', 'b2 是空格'],
  ['a word that is translated', 'zh', { zh: { 'a {} on {}': '{}在 {}', king: '王' } }, 'a king on e1', '王在 e1'],
  ['two words without a space', 'zh', { zh: { '{}-{} is refused': '{}－{} 不行' } }, 'a1-a2 is refused', 'a1－a2 不行'],
  ['no word', 'zh', { zh: { 'column {} is full': '甲' } }, 'column  is full', undefined],
  ['two words', 'zh', { zh: { 'column {} is full': '甲' } }, 'column a b is full', undefined],
  ['another end', 'zh', { zh: { 'column {}': '甲' } }, 'column a ', undefined],
  ['another start', 'zh', { zh: { '{} is empty': '甲' } }, ' b2 is empty', undefined],
  ['another middle', 'zh', { zh: { '{} of {} cards': '甲' } }, '1 or 2 cards', undefined],
  ['the most literal text', 'zh', { zh: { '{} of {}': '甲', '{} of 13': '乙' } }, '1 of 13', '乙'],
  ['only a blank', 'zh', { zh: { '{}': '（{}）' } }, 'word', '（word）'],
  ['another number of numbers', 'zh', { zh: { 'card {} of {}': '甲' } }, 'card 1', undefined],
])('%s', (_, language, translations, text, expected) => {
  expect(ownTexts(language, translations)(text)).toBe(expected);
});

const position = (words: string[]): Position =>
  ({
    prompt: words[0],
    board: {
      elements: [
        [{ kind: 'text', text: words[1] }],
        [
          { kind: 'cards', name: words[2], places: ['a'] },
          { kind: 'grid', rows: [['b']] },
          { kind: 'track', places: ['c'] },
        ],
      ],
      pieces: [{ place: 'a', text: 'K', name: words[3] }, { place: 'b' }],
      moves: [{ move: 'pass', label: words[4] }, { move: 'K' }],
    },
    facts: {},
  }) as unknown as Position;

test('all texts of a position are translated, and nothing else', () => {
  const english = position(['choose', 'note', 'hand', 'king', 'pass']);
  const chinese = {
    ...position(['choose', '说明', '手牌', '王', '不出']),
    prompt_message: { code: 'own-text', text: '选择' },
  };
  const own = ownTexts('zh', {
    zh: { choose: '选择', note: '说明', hand: '手牌', king: '王', pass: '不出', K: '王', a: '甲' },
  });
  expect(withOwnTexts(english, own)).toEqual(chinese);
  expect(withOwnTexts(english, ownTexts('de', {}))).toEqual(english);
});
