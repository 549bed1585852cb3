// Reversi notation: position texts as the rules write them; flipped discs agree with the legal moves.
import { expect, test } from 'vitest';
import endgames from '../../../../../../tests/fixtures/reversi/endgame.json';
import ffo from '../../../../../../tests/fixtures/reversi/ffo.json';
import { sampleOf } from '../demo/samples';
import { tryParse } from '../shared/parsing';
import { countDiscs, describeMove, flippedDiscs, squareIndex, parsePosition, squareName } from './notation';

test('the squares that flip discs are the legal moves of the fixtures', () => {
  for (const { board: squares, side, move_scores } of [...ffo.positions, ...endgames.positions]) {
    const board = parsePosition(`${squares} ${side}`);
    const moves = board.discs.flatMap((_, index) =>
      flippedDiscs(board, index).length > 0 ? [squareName(index % 8, Math.floor(index / 8))] : [],
    );
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
  const board = parsePosition(text);
  const indices = flippedDiscs(board, squareIndex(board.size, move)!);
  expect(
    indices
      .map((index) => squareName(index % board.size, Math.floor(index / board.size)))
      .sort()
      .join(' '),
  ).toBe(flipped);
});

test.each([
  ['', 0, 'expected squares and the side to move'],
  [START, 64, 'expected squares and the side to move'],
  [`${START}- X`, 0, '65 squares; a board has 16, 36, 64, … 256'],
  ['X O', 0, '1 squares; a board has 16, 36, 64, … 256'],
  ['XO----?--------O O', 6, 'expected `X`, `O` or `-`, not `?`'],
  ['XO-------------O -', 17, 'the side to move must be `X` or `O`'],
  ['XO-------------O X b', 19, 'unexpected word `b` after the side to move'],
])('invalid: %s', (text, index, reason) => {
  expect(tryParse(() => parsePosition(text)).error).toMatchObject({ index, reason });
});

test.each([
  [8, 'a1', 0],
  [8, 'h8', 63],
  [8, 'i1', null],
  [8, 'a9', null],
  [16, 'p16', 255],
  [8, 'pass', null],
])('size %i: %s has the index %s', (size, square, index) => {
  expect(squareIndex(size, square)).toBe(index);
});

test('counts discs', () => {
  expect(countDiscs(parsePosition(sampleOf('reversi', 'middle').position.position))).toEqual(
    sampleOf('reversi', 'middle').position.facts.discs,
  );
});

const start = sampleOf('reversi', 'start').position;

test.each([
  ['f5', start, 'f5, black, flips 1', 'f5，黑，翻转 1 子'],
  ['f5', null, 'f5', 'f5'],
  ['z9', start, 'z9', 'z9'],
  ['pass', sampleOf('reversi', 'pass').position, 'white passes', '白方弃权'],
  ['pass', null, 'pass', '弃权'],
])('description of %s', (move, position, en, zh) => {
  expect([describeMove(move, position, 'en'), describeMove(move, position, 'zh')]).toEqual([en, zh]);
});
