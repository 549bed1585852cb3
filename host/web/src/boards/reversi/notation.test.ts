// Position texts of reversi are read as the rules write them, and flips agree with legal moves.
import { expect, test } from 'vitest';
import endgames from '../../../../../tests/fixtures/reversi/endgame.json';
import ffo from '../../../../../tests/fixtures/reversi/ffo.json';
import { sample } from '../demo/samples';
import { attempt } from '../fault';
import { counts, describe, flips, indexOf, parse, squareAt } from './notation';

test('squares where something would flip are the legal moves of the fixtures', () => {
  for (const { board: squares, side, move_scores } of [...ffo.positions, ...endgames.positions]) {
    const board = parse(`${squares} ${side}`);
    const moves = board.discs.flatMap((_, index) => (flips(board, index).length > 0 ? [squareAt(index % 8, Math.floor(index / 8))] : []));
    const legal = Object.keys(move_scores).filter((move) => move !== 'pass');
    expect(moves.sort(), squares).toEqual(legal.sort());
  }
});

const START = '---------------------------OX------XO---------------------------';

test.each([
  [`${START} X`, 'f5', 'e5'],
  [`${START} X`, 'f4', ''],
  [`${START} O`, 'f4', 'e4'],
  [`${START} X`, 'd4', ''],
  ['-OOX-OXXO--XO-X- X', 'a1', 'b1 c1'],
  ['-OX--O--O-XOX-OX X', 'a1', 'b1 b2'],
  ['-OO--O--O-O----- X', 'a1', ''],
  ['-OOXOO--O-X-X--X X', 'a1', 'a2 a3 b1 b2 c1'],
])('%s: %s flips %s', (text, move, flipped) => {
  const board = parse(text);
  const found = flips(board, indexOf(board.size, move)!);
  expect(found.map((index) => squareAt(index % board.size, Math.floor(index / board.size))).sort().join(' ')).toBe(flipped);
});

test.each([
  ['', 0, 'squares and a side are wanted'],
  [START, 64, 'squares and a side are wanted'],
  [`${START}- X`, 0, '65 squares; boards have 16, 36, 64, … 256'],
  ['X O', 0, '1 squares; boards have 16, 36, 64, … 256'],
  ['XO----?--------O O', 6, '`?` is no disc and no empty square'],
  ['XO-------------O -', 17, 'the side is `X` or `O`'],
  ['XO-------------O X b', 19, 'nothing is wanted behind the side, not `b`'],
])('%s is refused', (text, at, reason) => {
  expect(attempt(() => parse(text)).error).toMatchObject({ at, reason });
});

test.each([
  [8, 'a1', 0],
  [8, 'h8', 63],
  [8, 'i1', null],
  [8, 'a9', null],
  [16, 'p16', 255],
  [8, 'pass', null],
])('on %i: %s stands at %s', (size, square, index) => {
  expect(indexOf(size, square)).toBe(index);
});

test('discs are counted', () => {
  expect(counts(parse(sample('reversi', 'middle').position.position))).toEqual(sample('reversi', 'middle').position.facts.discs);
});

const start = sample('reversi', 'start').position;

test.each([
  ['f5', start, 'f5, black, flips 1', 'f5，黑，翻转 1 子'],
  ['f5', null, 'f5', 'f5'],
  ['z9', start, 'z9', 'z9'],
  ['pass', sample('reversi', 'pass').position, 'white passes', '白方弃权'],
  ['pass', null, 'pass', '弃权'],
])('%s is said', (move, position, en, zh) => {
  expect([describe(move, position, 'en'), describe(move, position, 'zh')]).toEqual([en, zh]);
});
