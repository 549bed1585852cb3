// The tables of texts are complete: the same keys in every language, no empty text, and for every code of the server a
// text with the parameters of the English one.
import { expect, test } from 'vitest';
import { prefs } from '../settings/prefs.svelte';
import { textsOf } from '.';
import codes from './codes.json';
import { en } from './en';
import { ownTexts } from './game-texts';
import { LANGUAGE_IDS, preferredLanguage } from './language';
import { setGameTexts, problemText } from './i18n.svelte';
import { messageOf, translate, type ServerMessage } from './messages';
import { pluralOf } from './plural';
import { zh } from './zh';

/** Words of the server that some languages show as they are. */
const OPTIONAL = ['messageWords', 'problemKinds'];

function paths(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null) {
    return [prefix];
  }
  return Object.entries(value)
    .filter(([key]) => !OPTIONAL.includes(key))
    .flatMap(([key, inner]) => paths(inner, `${prefix}/${key}`));
}

function empty(value: unknown, prefix = ''): string[] {
  if (typeof value === 'string') {
    return value.trim() === '' ? [prefix] : [];
  }
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => empty(inner, `${prefix}/${key}`))
    : [];
}

test.each(LANGUAGE_IDS)('%s has the keys of English, and no empty text', (language) => {
  expect(paths(textsOf(language)).sort()).toEqual(paths(en).sort());
  expect(empty(textsOf(language))).toEqual([]);
});

const paramsOf = (template: string) => [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

test.each(LANGUAGE_IDS)('%s: texts of the server have no parameter that the code lacks', (language) => {
  const { messages } = textsOf(language);
  expect(Object.keys(messages).sort()).toEqual(Object.keys(codes).sort());
  for (const [code, text] of Object.entries(messages)) {
    const known = paramsOf(codes[code as keyof typeof codes]);
    expect(paramsOf(text).filter((name) => !known.includes(name))).toEqual([]);
  }
});

test('Chinese texts of the server use full-width punctuation', () => {
  // Latin words and what stands between them have their own.
  const wrong = Object.values(zh.messages).filter((text) => /[一-龥}][,;:?!]|[,;:?!][一-龥{]/.test(text));
  expect(wrong).toEqual([]);
});

const code = (text: string): [string, unknown] | null => {
  const message = messageOf(text);
  return message === null ? null : [message.code, message.params];
};

// As in host/server/src/wire/message.rs.
test.each<[string, [string, unknown] | null]>([
  ['a black stone is on h8', ['stone_on_point', { color: 'black', point: 'h8' }]],
  ['a black stone is on', null],
  ['checkmate', ['checkmate', {}]],
  ['checkmate!', null],
  ['the game is over: a fine attack', ['game_is_over', { rule: 'a fine attack' }]],
  [
    'Bo (2) (white) loses on time: it took 1.5s and was allowed 1s',
    ['lost_on_time', { player: 'Bo (2)', side: 'white', how: 'took 1.5s and was allowed 1s' }],
  ],
  ['took 1.5s and was allowed 1s of CPU time', ['took_too_much_cpu', { spent: '1.5s', allowed: '1s' }]],
  ['', null],
])('the code of “%s”', (text, expected) => {
  expect(code(text)).toEqual(expected);
});

const late = 'Ada (black) loses on time: it took 1.5s and was allowed 1s';
const illegal = 'Ada (red) loses: the move `e0e1` is illegal: the kings would face each other';
const nested: ServerMessage = {
  code: 'game_is_over',
  params: { rule: { code: 'checkmate', text: 'checkmate' } },
  text: 'the game is over: checkmate',
};
test.each<[string, ServerMessage | null, string, string]>([
  [late, null, 'Ada ran out of time', 'Ada（黑方）超时判负：用了 1.5 秒，限时 1 秒'],
  [illegal, null, illegal, 'Ada（红方）判负：着法 e0e1 不合规则：将帅会照面'],
  ['north has spades and must follow suit', null, 'north has spades and must follow suit', '北家有黑桃，必须跟出'],
  [nested.text, nested, nested.text, '对局已结束：绝杀'],
  ['a text of a game', null, 'a text of a game', 'a text of a game'],
  ['a text', { code: 'of_a_later_server', text: 'a text' }, 'a text', 'a text'],
])('“%s” in English and Chinese', (text, message, english, chinese) => {
  expect([translate(text, message, en), translate(text, message, zh)]).toEqual([english, chinese]);
});

test.each([
  [['de-AT', 'en'], 'de'],
  [['fr', 'zh-TW'], 'zh'],
  [['fr'], 'en'],
  [[], 'en'],
])('of the languages %o, %s is shown', (tags, expected) => {
  expect(preferredLanguage(tags)).toBe(expected);
});

test.each([
  ['en', 1, '1 move'],
  ['en', 0, '0 moves'],
  ['de', 1, '1 move'],
  ['de', 2, '2 moves'],
])('plural in %s of %i', (language, n, expected) => {
  expect(pluralOf(language)(n, 'move', 'moves')).toBe(expected);
});

test.each([
  [2, 'match of 12 pairs', '3 of 12 pairs', 'pair 1, round 2', '1 void pair'],
  [4, 'match of 12 tables', '3 of 12 tables', 'table 1, round 2', '1 void table'],
])('an arena of %i players in each game', (players, format, progress, place, voided) => {
  const t = en.arenas;
  expect(t.format({ format: 'match', pairs: 12 }, players)).toBe(format);
  expect([t.pairs('3', '12', players), t.pairAndRound(1, 2, players)]).toEqual([progress, place]);
  expect(t.voidPairs(1, players)).toMatch(voided);
  expect(zh.arenas.pairAndRound(1, 2, players)).toContain(players > 2 ? '桌' : '对');
});

test.each<[string, string]>([
  ['four in a row', '四连'],
  // A parameter, a word of a game, a sentence in a sentence.
  ['Ann (gold) wins: four in a row', 'Ann（金）胜：四连'],
  ['Ann: a1 refused: column a is full', 'Ann：a1 被拒绝：a 列已满'],
  // The name of a player is no text of the game, also if it reads like one.
  ['gold (gold) wins: four in a row', 'gold（金）胜：四连'],
  // A word that the game does not translate.
  ['Ann (black) wins: no moves left', 'Ann（黑方）胜：no moves left'],
])('with the texts of a game: %s', (english, chinese) => {
  const own = ownTexts('zh', { zh: { gold: '金', 'four in a row': '四连', 'column a is full': 'a 列已满' } });
  expect(translate(english, null, zh, own)).toBe(chinese);
});

test('a problem is in the words of the game whose rules have found it', () => {
  const language = prefs.language;
  try {
    prefs.language = 'zh';
    const translations = { zh: { '{} is occupied': '{} 已有棋子' } };
    setGameTexts([{ id: 'hex', name: 'Hex', translations }]);
    const message = { code: 'move_refused', params: { mv: 'b2', reason: 'b2 is occupied' }, text: '' };
    const say = (game?: string) => problemText('illegal-move', '`b2` is refused: b2 is occupied', message, game);
    expect(say('hex')).toBe('着法“b2”被拒绝：b2 已有棋子');
    expect(say()).toBe('着法“b2”被拒绝：b2 is occupied');
    expect(problemText('illegal-move', 'b2 is occupied', null, 'hex')).toMatch(/：b2 已有棋子$/);
  } finally {
    prefs.language = language;
    setGameTexts([]);
  }
});
