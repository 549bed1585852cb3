// Gomoku notation: position texts as the rules write them; errors name character and reason.
import { expect, test } from 'vitest';
import forbidden from '../../../../../../tests/fixtures/gomoku/forbidden.json';
import openings from '../../../../../../tests/fixtures/gomoku/openings26.json';
import type { Position } from '../../api/types';
import { tryParse } from '../shared/parsing';
import {
  describeMove,
  forbiddenPoints,
  pointIndex,
  moveNumbers,
  parsePosition,
  pointName,
  starPoints,
  winningLine,
} from './notation';
import { positionRules } from './position-rules';

test('positions of the fixture survive parsing and formatting; their forbidden points are empty', () => {
  for (const { id, position, kinds } of forbidden.records) {
    const board = parsePosition(position);
    expect(positionRules.setSideToMove(position, board.next), id).toBe(position);
    expect(
      Object.keys(kinds).filter((point) => board.stones[pointIndex(board.size, point)!] !== null),
      id,
    ).toEqual([]);
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
  expect(parsePosition(text)).toMatchObject(expected);
});

test.each([
  ['', 0, 'expected rows and the side to move'],
  [empty(15), 44, 'expected rows and the side to move'],
  ['4/4/4/4 b', 0, '4 rows; a board has 5 to 22'],
  ['5/5/4/5/5 b', 4, 'row 3 has 4 points, not 5'],
  ['5/5/x5/5/5 b', 4, 'row 3 has 6 points, not 5'],
  ['5/5/xz3/5/5 b', 5, 'expected a stone or a number of empty points, not `z`'],
  ['5/5/0x4/5/5 b', 4, 'expected a stone or a number of empty points, not `0`'],
  ['5/5/5/5/5 x', 10, 'the side to move must be `b` or `w`'],
  ['5/5/5/5/5 b a1', 12, 'unknown word `a1`'],
  ['5/5/5/5/5 b pick a1,f1', 17, 'unknown word `a1,f1`'],
  ['5/5/5/5/5 b foul-a6', 12, 'unknown word `foul-a6`'],
])('invalid: %s', (text, index, reason) => {
  expect(tryParse(() => parsePosition(text)).error).toMatchObject({ text, index, reason });
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
])('size %i: %s has the index %s', (size, point, index) => {
  expect(pointIndex(size, point)).toBe(index);
  if (index !== null) {
    expect(pointName(size, index % size, Math.floor(index / size))).toBe(point);
  }
});

test.each([
  [15, 'd12 d4 h8 l12 l4'],
  [19, 'd10 d16 d4 j10 j16 j4 p10 p16 p4'],
  [9, 'c3 c7 e5 g3 g7'],
  [20, 'd17 d4 q17 q4'],
  [7, 'd4'],
  [6, ''],
])('star points of size %i', (size, points) => {
  expect(
    starPoints(size)
      .map(([column, row]) => pointName(size, column, row))
      .sort()
      .join(' '),
  ).toBe(points);
});

test.each([
  [{}, []],
  [{ forbidden: 'h8' }, []],
  [{ forbidden: [{ point: 'h8', kind: 'overline' }, { point: 'h9', kind: 'triple' }, null, 'h10'] }, ['h8']],
])('%j', (facts, points) => {
  expect(forbiddenPoints(facts).map(({ point }) => point)).toEqual(points);
});

test('a fifth stone is numbered by the move that chose it; other offers have no number', () => {
  const board = parsePosition('15/15/15/15/15/9o5/8o6/7x7/7x7/15/15/15/15/15/x14 w');
  const numbers = moveNumbers(board, ['h8', 'i9', 'h7', 'fifths-2', 'swap', 'j10', 'a1', 'b1', 'a1']);
  const named = [...numbers].map(([index, number]) => [pointName(15, index % 15, Math.floor(index / 15)), number]);
  expect(Object.fromEntries(named)).toEqual({ h8: 1, i9: 2, h7: 3, j10: 4, a1: 5 });
});

const positionOf = (position: string): Position => ({
  position,
  to_move: 0,
  side: 0,
  side_name: 'black',
  legal: [],
  outcome: null,
  facts: {},
});

test.each([
  ['h8', positionOf(`${empty(15)} b`), 'h8, black', 'h8，黑'],
  ['h8', positionOf(`${empty(15)} w`), 'h8, white', 'h8，白'],
  ['h8', null, 'h8', 'h8'],
  ['h8', positionOf('nonsense'), 'h8', 'h8'],
  ['b1', positionOf(`${empty(15)} b fifths-2 offer a1`), 'b1 offered for black', '黑方提出打点 b1'],
  ['b1', positionOf(`${empty(15)} b fifths-2 pick a1,b1`), 'b1, black', 'b1，黑'],
  ['swap', null, 'colours swapped', '交换黑白'],
  ['keep', null, 'colours kept', '不交换'],
  ['fifths-1', null, 'one fifth move announced', '五手 1 打'],
  ['fifths-12', null, '12 fifth moves announced', '五手 12 打'],
  ['toString', null, 'toString', 'toString'],
  ['pass', positionOf(`${empty(15)} b`), 'pass', '停一手'],
])('description of %s', (move, position, en, zh) => {
  expect([describeMove(move, position, 'en'), describeMove(move, position, 'zh')]).toEqual([en, zh]);
});

test('the openings of the fixtures are on the board', () => {
  for (const { moves } of openings.openings) {
    for (const move of moves) {
      expect(pointIndex(15, move)).not.toBe(null);
    }
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
])('%s: winning line through %s', (text, last, ends) => {
  const board = parsePosition(text);
  const line = winningLine(board, pointIndex(board.size, last)!);
  expect(
    line?.map((index) => pointName(board.size, index % board.size, Math.floor(index / board.size))).join(' ') ?? null,
  ).toBe(ends);
});
