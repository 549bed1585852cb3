// Positions of xiangqi are read as the rules write them; moves are called what others call them.
import { expect, test } from 'vitest';
import notation from '../../../../../tests/fixtures/xiangqi/notation.json';
import rules from '../../../../../tests/fixtures/xiangqi/rules.json';
import type { Position } from '../../api/types';
import { samples } from '../demo/samples';
import { attempt } from '../fault';
import { chinese, describe, indexOf, kingOf, parse, splitMove, squareAt, wxf } from './notation';

test('moves of the fixture are called what WXF calls them', () => {
  const wrong = notation.cases.filter(({ fen, move, wxf: name }) => wxf(parse(fen), move) !== name);
  expect(wrong).toEqual([]);
});

test('positions of the fixture have both kings, and their moves begin on a piece of who moves', () => {
  for (const { fen, legal_moves } of rules.positions) {
    const board = parse(fen);
    expect([kingOf(board, 'red'), kingOf(board, 'black')], fen).not.toContain(null);
    for (const move of legal_moves) expect(board.pieces[indexOf(splitMove(move)!.from)!]?.color, `${fen} ${move}`).toBe(board.next);
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
])('%s: %s is %s', (fen, move, name) => {
  expect(chinese(parse(fen), move)).toBe(name);
});

test('the moves behind a position are played', () => {
  const board = parse(`${START} w - - 0 1 moves h2e2 h9g7`);
  expect([board.next, board.pieces[indexOf('e2')!], board.pieces[indexOf('h2')!]]).toEqual(['red', { color: 'red', kind: 'cannon' }, null]);
  for (const { name, position, moves } of samples.filter((it) => it.game === 'xiangqi' && it.moves.length > 0)) {
    const { pieces } = parse(position.position);
    expect([pieces[indexOf(splitMove(moves.at(-1)!)!.from)!], pieces[indexOf(splitMove(moves.at(-1)!)!.to)!] === null], name).toEqual([null, false]);
  }
});

test.each([
  ['', 0, 'ranks are wanted'],
  ['9/9/9 w', 0, '3 ranks, not 10'],
  [START.replace('1c5c1', '1c5c2'), 12, 'rank 7 has 10 points, not 9'],
  [START.replace('1c5c1', '1x5c1'), 13, '`x` is no piece and no run of empty points'],
  [`${START} w - - 0 1 moves h2e2 h2e2`, 81, '`h2e2` moves no piece of black'],
  [`${START} w - - 0 1 moves h2`, 76, '`h2` moves no piece of red'],
  [`${START} x`, 60, 'the side is `w` or `b`'],
])('%s is refused', (text, at, reason) => {
  expect(attempt(() => parse(text)).error).toMatchObject({ at, reason });
});

test.each([
  ['a9', 0],
  ['i0', 89],
  ['e4', 49],
  ['j0', null],
  ['a10', null],
])('%s stands at %s', (square, index) => {
  expect(indexOf(square)).toBe(index);
  if (index !== null) expect(squareAt(index % 9, Math.floor(index / 9))).toBe(square);
});

const at = (position: string): Position => ({ position, to_move: 0, side: 0, side_name: 'red', legal: [], outcome: null, facts: {} });

test.each([
  ['h2e2', at(`${START} w - - 0 1`), 'red cannon h2 to e2', '炮二平五'],
  ['h2h9', at(`${START} w - - 0 1`), 'red cannon h2 to h9, takes black horse', '炮二进七，吃黑马'],
  ['h2e2', null, 'h2e2', 'h2e2'],
  ['e4e5', at(`${START} w - - 0 1`), 'e4e5', 'e4e5'],
  ['nonsense', at(`${START} w - - 0 1`), 'nonsense', 'nonsense'],
])('%s is said', (move, position, en, zh) => {
  expect([describe(move, position, 'en'), describe(move, position, 'zh')]).toEqual([en, zh]);
});
