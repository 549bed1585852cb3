// Xiangqi notation: position texts as the rules write them; move names as WXF and Chinese sources write them.
import { expect, test } from 'vitest';
import notation from '../../../../../../tests/fixtures/xiangqi/notation.json';
import names from '../../../../../../games/src/xiangqi/tests/move_names.tsv?raw';
import rules from '../../../../../../tests/fixtures/xiangqi/rules.json';
import type { Position } from '../../api/types';
import { samples } from '../demo/samples';
import { tryParse } from '../shared/parsing';
import {
  chineseNotation,
  describeMove,
  pointIndex,
  findKing,
  moveNames,
  parsePosition,
  splitMove,
  pointName,
  wxfNotation,
} from './notation';

test('moves of the fixture have their WXF names', () => {
  const wrong = notation.cases.filter(({ fen, move, wxf: name }) => wxfNotation(parsePosition(fen), move) !== name);
  expect(wrong).toEqual([]);
});

test('positions of the fixture have both kings; their legal moves start on a piece of the side to move', () => {
  for (const { fen, legal_moves } of rules.positions) {
    const board = parsePosition(fen);
    expect([findKing(board, 'red'), findKing(board, 'black')], fen).not.toContain(null);
    for (const move of legal_moves) {
      expect(board.pieces[pointIndex(splitMove(move)!.from)!]?.color, `${fen} ${move}`).toBe(board.next);
    }
  }
});

const START = 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR';

test.each([
  [`${START} w - - 0 1`, 'h2e2', '炮二平五'],
  [`${START} b - - 0 1`, 'b9c7', '马２进３'],
  [`${START} w - - 0 1`, 'e4e5', null],
  ['4k4/9/9/4C4/9/4C4/9/9/9/4K4 w', 'e6d6', '前炮平六'],
  ['4k4/9/9/4C4/9/4C4/9/9/9/4K4 w', 'e4e3', '后炮退一'],
  ['4k4/9/4P4/4P4/4P4/9/9/9/9/3K5 w', 'e6d6', '中兵平六'],
  ['4k4/9/9/9/9/9/9/3p1p3/3p1p3/3K5 b', 'f2e2', '四卒平５'],
])('%s: the Chinese name of %s is %s', (fen, move, name) => {
  expect(chineseNotation(parsePosition(fen), move)).toBe(name);
});

test('plays the moves after a position', () => {
  const board = parsePosition(`${START} w - - 0 1 moves h2e2 h9g7`);
  expect([board.next, board.pieces[pointIndex('e2')!], board.pieces[pointIndex('h2')!]]).toEqual([
    'red',
    { color: 'red', kind: 'cannon' },
    null,
  ]);
  for (const { name, position, moves } of samples.filter(
    (sample) => sample.game === 'xiangqi' && sample.moves.length > 0,
  )) {
    const { pieces } = parsePosition(position.position);
    expect(
      [pieces[pointIndex(splitMove(moves.at(-1)!)!.from)!], pieces[pointIndex(splitMove(moves.at(-1)!)!.to)!] === null],
      name,
    ).toEqual([null, false]);
  }
});

test.each([
  ['', 0, 'expected ranks'],
  ['9/9/9 w', 0, '3 ranks, not 10'],
  [START.replace('1c5c1', '1c5c2'), 12, 'rank 7 has 10 points, not 9'],
  [START.replace('1c5c1', '1x5c1'), 13, 'expected a piece or a number of empty points, not `x`'],
  [`${START} w - - 0 1 moves h2e2 h2e2`, 81, '`h2e2` does not move a piece of black'],
  [`${START} w - - 0 1 moves h2`, 76, '`h2` does not move a piece of red'],
  [`${START} x`, 60, 'the side to move must be `w` or `b`'],
])('invalid: %s', (text, index, reason) => {
  expect(tryParse(() => parsePosition(text)).error).toMatchObject({ index, reason });
});

test.each([
  ['a9', 0],
  ['i0', 89],
  ['e4', 49],
  ['j0', null],
  ['a10', null],
])('%s has the index %s', (point, index) => {
  expect(pointIndex(point)).toBe(index);
  if (index !== null) {
    expect(pointName(index % 9, Math.floor(index / 9))).toBe(point);
  }
});

const positionOf = (position: string): Position => ({
  position,
  to_move: 0,
  side: 0,
  side_name: 'red',
  legal: [],
  outcome: null,
  facts: {},
});

test.each([
  ['h2e2', positionOf(`${START} w - - 0 1`), 'red cannon h2 to e2', '炮二平五'],
  ['h2h9', positionOf(`${START} w - - 0 1`), 'red cannon h2 to h9, takes black horse', '炮二进七，吃黑马'],
  ['h2e2', null, 'h2e2', 'h2e2'],
  ['e4e5', positionOf(`${START} w - - 0 1`), 'e4e5', 'e4e5'],
  ['nonsense', positionOf(`${START} w - - 0 1`), 'nonsense', 'nonsense'],
])('description of %s', (move, position, en, zh) => {
  expect([describeMove(move, position, 'en'), describeMove(move, position, 'zh')]).toEqual([en, zh]);
});

const rows = names
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t') as [string, string, string, string]);

test.each(rows)('in %s, %s is %s, %s', (text, move, wxf, chinese) => {
  const position = positionOf(text);
  const style = (moves: string) => moveNames.nameMoves([move], position, 'en', { moves })[0];
  expect([style('wxf'), style('chinese'), style('coordinates')]).toEqual([wxf, chinese, move]);
  expect(moveNames.nameMoves([move], position, 'zh', {})).toEqual([chinese]);
  expect(moveNames.nameMoves([move], position, 'de', {})).toEqual([move]);
});

test('moves of a line are named each in its position, up to one that cannot be read', () => {
  const line = moveNames.nameMoves(['h2e2', 'h9g7', 'nonsense', 'h0g2'], positionOf(`${START} w`), 'zh', {});
  expect(line).toEqual(['炮二平五', '马８进７', 'nonsense', 'h0g2']);
});

const TANDEM = '3k5/9/9/9/9/4C4/4C4/9/9/5K3 w';
test.each([
  [`${START} w`, '炮二平五', 'h2e2'],
  [`${START} w`, '砲2平5', 'h2e2'],
  [`${START} w`, 'c2.5', 'h2e2'],
  [`${START} w`, 'H2-E2', 'h2e2'],
  [`${START} b`, '馬８進７', 'h9g7'],
  [`${START} w`, '炮三平五', null],
  [`${START} w`, '炮二平', null],
  [TANDEM, '前炮平六', 'e4d4'],
  [TANDEM, '後炮平六', 'e3d3'],
  // The file alone does not say which of the two is meant.
  [TANDEM, '炮五平六', null],
])('in %s, the text %s means %s', (text, typed, expected) => {
  const legal = ['h2e2', 'b2e2', 'h9g7', 'b9c7', 'e4d4', 'e3d3'];
  expect(moveNames.readMove(typed, legal, positionOf(text))).toBe(expected);
});
