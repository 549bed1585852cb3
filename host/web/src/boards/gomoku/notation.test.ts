// Position texts of gomoku are read as the rules write them, wrong ones are refused with place and reason.
import { expect, test } from 'vitest';
import forbidden from '../../../../../tests/fixtures/gomoku/forbidden.json';
import openings from '../../../../../tests/fixtures/gomoku/openings26.json';
import type { Position } from '../../api/types';
import { attempt } from '../fault';
import { describe, forbiddenOf, indexOf, numbersOf, parse, pointAt, starPoints, winningLine } from './notation';
import { setup } from './setup';

test('the positions of the fixture read back, and their forbidden points are empty ones', () => {
  for (const { id, position, kinds } of forbidden.records) {
    const board = parse(position);
    expect(setup.turn(position, board.next), id).toBe(position);
    expect(Object.keys(kinds).filter((point) => board.stones[indexOf(board.size, point)!] !== null), id).toEqual([]);
  }
});

const empty = (size: number) => Array(size).fill(size).join('/');

test.each([
  [`${empty(15)} b opening`, { phase: 'opening', next: 'black', swapped: false, fifths: null, offers: [] }],
  [`${empty(15)} w swapped fifths-2 opening`, { phase: 'opening', next: 'white', swapped: true, fifths: 2 }],
  [`${empty(15)} b fifths-12 pick b1,c1`, { phase: 'pick', fifths: 12, offers: ['b1', 'c1'] }],
  [`${empty(15)} b fifths-2 offer`, { phase: 'offer', offers: [] }],
  [`${empty(15)} w passed`, { phase: 'play', passes: 1 }],
  [`${empty(15)} w passed-twice`, { passes: 2 }],
  [`${empty(15)} w foul-h8`, { foul: 'h8' }],
  [`${empty(22)} w`, { size: 22 }],
])('%s', (text, expected) => {
  expect(parse(text)).toMatchObject(expected);
});

test.each([
  ['', 0, 'rows and a side are wanted'],
  [empty(15), 44, 'rows and a side are wanted'],
  ['4/4/4/4 b', 0, '4 rows; boards have 5 to 22'],
  ['5/5/4/5/5 b', 4, 'row 3 has 4 points, not 5'],
  ['5/5/x5/5/5 b', 4, 'row 3 has 6 points, not 5'],
  ['5/5/xz3/5/5 b', 5, '`z` is no stone and no run of empty points'],
  ['5/5/0x4/5/5 b', 4, '`0` is no stone and no run of empty points'],
  ['5/5/5/5/5 x', 10, 'the side is `b` or `w`'],
  ['5/5/5/5/5 b a1', 12, '`a1` is no word of a position'],
  ['5/5/5/5/5 b pick a1,f1', 17, '`a1,f1` is no word of a position'],
  ['5/5/5/5/5 b foul-a6', 12, '`foul-a6` is no word of a position'],
])('%s is refused', (text, at, reason) => {
  expect(attempt(() => parse(text)).error).toMatchObject({ text, at, reason });
});

test.each([
  [15, 'a1', 210],
  [15, 'a15', 0],
  [15, 'o15', 14],
  [15, 'h8', 112],
  [15, 'p1', null],
  [15, 'a16', null],
  [15, 'a0', null],
  [19, 's1', 360],
  [15, 'swap', null],
])('on %i: %s stands at %s', (size, point, index) => {
  expect(indexOf(size, point)).toBe(index);
  if (index !== null) expect(pointAt(size, index % size, Math.floor(index / size))).toBe(point);
});

test.each([
  [15, 'd12 d4 h8 l12 l4'],
  [19, 'd10 d16 d4 j10 j16 j4 p10 p16 p4'],
  [9, 'c3 c7 e5 g3 g7'],
  [20, 'd17 d4 q17 q4'],
  [7, 'd4'],
  [6, ''],
])('the stars of %i', (size, points) => {
  expect(starPoints(size).map(([column, row]) => pointAt(size, column, row)).sort().join(' ')).toBe(points);
});

test.each([
  [{}, []],
  [{ forbidden: 'h8' }, []],
  [{ forbidden: [{ point: 'h8', kind: 'overline' }, { point: 'h9', kind: 'triple' }, null, 'h10'] }, ['h8']],
])('%j', (facts, points) => {
  expect(forbiddenOf(facts).map(({ point }) => point)).toEqual(points);
});

test('a fifth stone has the number of its pick, offers that were not picked have none', () => {
  const board = parse('15/15/15/15/15/9o5/8o6/7x7/7x7/15/15/15/15/15/x14 w');
  const numbers = numbersOf(board, ['h8', 'i9', 'h7', 'fifths-2', 'swap', 'j10', 'a1', 'b1', 'a1']);
  const named = [...numbers].map(([index, number]) => [pointAt(15, index % 15, Math.floor(index / 15)), number]);
  expect(Object.fromEntries(named)).toEqual({ h8: 1, i9: 2, h7: 3, j10: 4, a1: 5 });
});

const at = (position: string): Position => ({ position, to_move: 0, side: 0, side_name: 'black', legal: [], outcome: null, facts: {} });

test.each([
  ['h8', at(`${empty(15)} b`), 'h8, black', 'h8，黑'],
  ['h8', at(`${empty(15)} w`), 'h8, white', 'h8，白'],
  ['h8', null, 'h8', 'h8'],
  ['h8', at('nonsense'), 'h8', 'h8'],
  ['b1', at(`${empty(15)} b fifths-2 offer a1`), 'b1 offered for black', '黑方提出打点 b1'],
  ['b1', at(`${empty(15)} b fifths-2 pick a1,b1`), 'b1, black', 'b1，黑'],
  ['swap', null, 'colours exchanged', '交换黑白'],
  ['keep', null, 'colours kept', '不交换'],
  ['fifths-1', null, 'one fifth stone announced', '五手 1 打'],
  ['fifths-12', null, '12 fifth stones announced', '五手 12 打'],
  ['toString', null, 'toString', 'toString'],
  ['pass', at(`${empty(15)} b`), 'pass', '停一手'],
])('%s is said', (move, position, en, zh) => {
  expect([describe(move, position, 'en'), describe(move, position, 'zh')]).toEqual([en, zh]);
});

test('the openings of the fixtures lie within the board', () => {
  for (const { moves } of openings.openings) {
    for (const move of moves) expect(indexOf(15, move)).not.toBe(null);
  }
});

test.each([
  ['15/15/15/15/15/15/15/3xxxxx7/15/15/15/15/15/15/15 w', 'f8', 'd8 h8'],
  ['15/15/15/15/15/15/15/3xxxxo7/15/15/15/15/15/15/15 w', 'f8', null],
  ['oooooo1/7/7/7/7/7/7 b', 'c7', 'a7 f7'],
  ['6x/5x1/4x2/3x3/2x4/7/7 w', 'g7', 'g7 c3'],
  ['x6/1x5/2x4/3x3/7/7/6x w', 'a7', null],
  ['x6/x6/x6/x6/x6/7/7 w', 'a5', 'a7 a3'],
  ['7/7/7/7/7/7/7 w', 'a5', null],
])('%s: the line through %s', (text, last, ends) => {
  const board = parse(text);
  const line = winningLine(board, indexOf(board.size, last)!);
  expect(line?.map((index) => pointAt(board.size, index % board.size, Math.floor(index / board.size))).join(' ') ?? null).toBe(ends);
});
