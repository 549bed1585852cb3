// Position texts of bridge are read as the rules write them, wrong ones are refused with place and reason.
import { expect, test } from 'vitest';
import endplay from '../../../../../tests/fixtures/bridge/endplay.json';
import perft from '../../../../../tests/fixtures/bridge/perft.json';
import { sample } from '../demo/samples';
import { attempt } from '../fault';
import { describe, holderOf, middle, parse, SEATS, splitCard } from './notation';

test('positions of the fixtures are read: as many cards each, the right seat to play, who holds the cards that may be played', () => {
  for (const { id, hands, trump, leader, trick, to_move, scores, cards_each_at_trick_start } of endplay.positions) {
    const table = parse(`${hands} ${trump} ${leader} ${trick.join(',') || '-'}`);
    expect([table.strain, SEATS[table.plays]], id).toEqual([trump, to_move]);
    expect(table.hands.flat().length + table.trick.length, id).toBe(4 * cards_each_at_trick_start);
    expect(Object.keys(scores).map((card) => holderOf(table, card)), id).toEqual(Object.keys(scores).map(() => table.plays));
  }
  for (const { position } of perft.records) expect(attempt(() => parse(position)).error, position).toBeUndefined();
});

const FOUR = 'N:A2... K3... Q4... 5...';

test.each([
  [`${FOUR} NT W SJ dd=1`, { strain: 'NT', leader: 3, plays: 0, trick: ['SJ'], won: [0, 0], mark: 1 }],
  ['N:2... K... Q... 5... H N - won=1-0 dd=0', { strain: 'H', leader: 0, plays: 0, trick: [], won: [1, 0], mark: 0 }],
])('%s', (text, expected) => {
  expect(parse(text)).toMatchObject(expected);
});

test('a deal may begin with any seat, and cards come in order', () => {
  expect(parse('E:2.A.. .3.K. ..4Q. ...65 C S - won=10-1')).toMatchObject({
    hands: [['C6', 'C5'], ['S2', 'HA'], ['H3', 'DK'], ['DQ', 'D4']], won: [10, 1], mark: null, plays: 2,
  });
});

test.each([
  ['', 0, 'the first hand begins with its seat, as `N:`'],
  ['X:A... K... Q... J... NT W -', 0, 'the first hand begins with its seat, as `N:`'],
  ['N:A.. K... Q... J... NT W -', 0, 'a hand is four suits between dots, cards as `AKQJT98765432`'],
  ['N:A... K1... Q... J... NT W -', 7, 'a hand is four suits between dots, cards as `AKQJT98765432`'],
  ['N:A... A... Q... J... NT W -', 7, 'SA is there twice'],
  ['N:A... K... Q... J... X W -', 22, 'the strain is S, H, D, C or NT'],
  ['N:A... K... Q... J... NT NE -', 25, 'who leads is N, E, S or W'],
  ['N:A... K... Q... ... NT W SA', 26, '`SA` is no card, or is in a hand'],
  ['N:... ... ... ... NT W SA,SK,SQ,SJ', 23, 'a trick of four cards is over'],
  [`${FOUR} NT W SJ won=1`, 33, '`won=1` is no word of a position'],
])('%s is refused', (text, at, reason) => {
  expect(attempt(() => parse(text)).error).toMatchObject({ at, reason });
});

test.each([
  ['SA', { suit: 'S', rank: 'A' }],
  ['CT', { suit: 'C', rank: 'T' }],
  ['C1', null],
  ['C10', null],
  ['XA', null],
  ['S', null],
])('%s is a card or none', (card, expected) => {
  expect(splitCard(card)).toEqual(expected);
});

test.each([
  [`${FOUR} NT W SJ`, ['SJ'], false, 'W SJ'],
  // Won by the highest trump, by the highest of the suit led, by who led.
  ['N:A... K... Q... J... H N -', ['C2', 'CA', 'H2', 'C3'], true, 'S C2, W CA, N H2, E C3'],
  ['N:A... K... Q... J... H W -', ['C2', 'CA', 'D2', 'SK'], true, 'S C2, W CA, N D2, E SK'],
  ['N:A... K... Q... J... NT E -', ['DT', 'D9', 'C2', 'D8'], true, 'E DT, S D9, W C2, N D8'],
  ['N:A... K... Q... J... NT E -', ['DT', 'D9', 'C2'], true, ''],
  ['N:A... K... Q... J... NT E -', [], true, ''],
])('%s after %j', (text, moves, over, cards) => {
  const found = middle(parse(text), moves);
  expect([found.over, found.cards.map(({ seat, card }) => `${SEATS[seat]} ${card}`).join(', ')]).toEqual([over, cards]);
});

test.each([
  ['S4', sample('bridge', 'deal').position, 'west, four of spades', '西，黑桃4'],
  ['HT', sample('bridge', 'deal').position, 'north, ten of hearts', '北，红心10'],
  ['HT', null, 'ten of hearts', '红心10'],
  ['nonsense', null, 'nonsense', 'nonsense'],
])('%s is said', (move, position, en, zh) => {
  expect([describe(move, position, 'en'), describe(move, position, 'zh')]).toEqual([en, zh]);
});
