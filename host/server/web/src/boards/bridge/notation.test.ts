// Bridge notation: position texts as the rules write them; errors name character and reason.
import { expect, test } from 'vitest';
import type { Position } from '../../api/types';
import endplay from '../../../../../../tests/fixtures/bridge/endplay.json';
import perft from '../../../../../../tests/fixtures/bridge/perft.json';
import { sampleOf } from '../demo/samples';
import { tryParse } from '../shared/parsing';
import { describeMove, holderOf, moveNames, parsePosition, SEATS, shownTrick, splitCard } from './notation';

test('positions of the fixtures: number of cards, seat to play, holder of the legal cards', () => {
  for (const { id, hands, trump, leader, trick, to_move, scores, cards_each_at_trick_start } of endplay.positions) {
    const parsed = parsePosition(`${hands} ${trump} ${leader} ${trick.join(',') || '-'}`);
    expect([parsed.strain, SEATS[parsed.next]], id).toEqual([trump, to_move]);
    expect(parsed.hands.flat().length + parsed.trick.length, id).toBe(4 * cards_each_at_trick_start);
    expect(
      Object.keys(scores).map((card) => holderOf(parsed, card)),
      id,
    ).toEqual(Object.keys(scores).map(() => parsed.next));
  }
  for (const { position } of perft.records) {
    expect(tryParse(() => parsePosition(position)).error, position).toBeUndefined();
  }
});

const FOUR = 'N:A2... K3... Q4... 5...';

test.each([
  [`${FOUR} NT W SJ dd=1`, { strain: 'NT', leader: 3, next: 0, trick: ['SJ'], tricksWon: [0, 0], doubleDummy: 1 }],
  [
    'N:2... K... Q... 5... H N - won=1-0 dd=0',
    { strain: 'H', leader: 0, next: 0, trick: [], tricksWon: [1, 0], doubleDummy: 0 },
  ],
])('%s', (text, expected) => {
  expect(parsePosition(text)).toMatchObject(expected);
});

test('a deal may begin with any seat; cards are sorted', () => {
  expect(parsePosition('E:2.A.. .3.K. ..4Q. ...65 C S - won=10-1')).toMatchObject({
    hands: [
      ['C6', 'C5'],
      ['S2', 'HA'],
      ['H3', 'DK'],
      ['DQ', 'D4'],
    ],
    tricksWon: [10, 1],
    doubleDummy: null,
    next: 2,
  });
});

test.each([
  ['', 0, 'the first hand must begin with its seat, as `N:`'],
  ['X:A... K... Q... J... NT W -', 0, 'the first hand must begin with its seat, as `N:`'],
  ['N:A.. K... Q... J... NT W -', 0, 'a hand is four suits separated by dots, with cards of `AKQJT98765432`'],
  ['N:A... K1... Q... J... NT W -', 7, 'a hand is four suits separated by dots, with cards of `AKQJT98765432`'],
  ['N:A... A... Q... J... NT W -', 7, 'SA occurs twice'],
  ['N:A... K... Q... J... X W -', 22, 'the strain must be S, H, D, C or NT'],
  ['N:A... K... Q... J... NT NE -', 25, 'the leader must be N, E, S or W'],
  ['N:A... K... Q... ... NT W SA', 26, '`SA` is not a card, or is in a hand'],
  ['N:... ... ... ... NT W SA,SK,SQ,SJ', 23, 'an unfinished trick has at most three cards'],
  [`${FOUR} NT W SJ won=1`, 33, 'unknown word `won=1`'],
])('invalid: %s', (text, index, reason) => {
  expect(tryParse(() => parsePosition(text)).error).toMatchObject({ index, reason });
});

test.each([
  ['SA', { suit: 'S', rank: 'A' }],
  ['CT', { suit: 'C', rank: 'T' }],
  ['C1', null],
  ['C10', null],
  ['XA', null],
  ['S', null],
])('the parts of %s', (card, expected) => {
  expect(splitCard(card)).toEqual(expected);
});

test.each([
  [`${FOUR} NT W SJ`, ['SJ'], false, 'W SJ'],
  // Won by the highest trump, by the highest card of the suit led, by the leader.
  ['N:A... K... Q... J... H N -', ['C2', 'CA', 'H2', 'C3'], true, 'S C2, W CA, N H2, E C3'],
  ['N:A... K... Q... J... H W -', ['C2', 'CA', 'D2', 'SK'], true, 'S C2, W CA, N D2, E SK'],
  ['N:A... K... Q... J... NT E -', ['DT', 'D9', 'C2', 'D8'], true, 'E DT, S D9, W C2, N D8'],
  ['N:A... K... Q... J... NT E -', ['DT', 'D9', 'C2'], true, ''],
  ['N:A... K... Q... J... NT E -', [], true, ''],
])('%s after %j', (text, moves, isFinished, cards) => {
  const trick = shownTrick(parsePosition(text), moves);
  expect([trick.isFinished, trick.cards.map(({ seat, card }) => `${SEATS[seat]} ${card}`).join(', ')]).toEqual([
    isFinished,
    cards,
  ]);
});

test.each([
  ['S4', sampleOf('bridge', 'deal').position, 'west, four of spades', '西，黑桃4'],
  ['HT', sampleOf('bridge', 'deal').position, 'north, ten of hearts', '北，红心10'],
  ['HT', null, 'ten of hearts', '红心10'],
  ['nonsense', null, 'nonsense', 'nonsense'],
])('description of %s', (move, position, en, zh) => {
  expect([describeMove(move, position, 'en'), describeMove(move, position, 'zh')]).toEqual([en, zh]);
});

test('cards have the symbols of their suits', () => {
  expect(moveNames.nameMoves(['SA', 'HT', 'C2', 'x'], null, 'en', {})).toEqual([
    '♠\uFE0EA',
    '♥\uFE0E10',
    '♣\uFE0E2',
    'x',
  ]);
});

test.each([
  ['♥A', 'HA'],
  ['♥10', 'HT'],
  ['♠\uFE0E k', 'SK'],
  ['h10', 'HT'],
  ['♦A', null],
])('the text %s means %s', (typed, expected) => {
  expect(moveNames.readMove(typed, ['HA', 'HT', 'SK'], {} as Position)).toBe(expected);
});
