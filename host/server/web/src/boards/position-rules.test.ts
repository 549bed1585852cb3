// Positions are edited piece by piece; the results are texts as the rules write them.
import { textsOf } from '../text';
import { LANGUAGE_IDS } from '../text/language';
import { expect, test } from 'vitest';
import forbidden from '../../../../../tests/fixtures/gomoku/forbidden.json';
import ffo from '../../../../../tests/fixtures/reversi/ffo.json';
import rules from '../../../../../tests/fixtures/xiangqi/rules.json';
import { games } from '.';
import { parsePosition as parseGomoku, pointName as gomokuPoint } from './gomoku/notation';
import { positionRules as gomoku } from './gomoku/position-rules';
import { parsePosition as parseReversi, squareName } from './reversi/notation';
import { positionRules as reversi } from './reversi/position-rules';
import type { PositionRules } from './types';
import { parsePosition as parseXiangqi, pointName as xiangqiPoint } from './xiangqi/notation';
import { positionRules as xiangqi } from './xiangqi/position-rules';

/** The position that results from putting each piece on an empty board. */
function rebuild(editor: PositionRules, text: string, pieces: [cell: string, tool: string][]): string {
  const rebuilt = pieces.reduce((before, [cell, tool]) => editor.put(before, cell, tool), editor.clear(text));
  return editor.setSideToMove(rebuilt, editor.sideToMove(text));
}

test('positions of the fixtures can be rebuilt piece by piece', () => {
  for (const { position } of forbidden.records) {
    const { size, stones } = parseGomoku(position);
    const pieces = stones.flatMap((stone, index): [string, string][] =>
      stone ? [[gomokuPoint(size, index % size, Math.floor(index / size)), stone]] : [],
    );
    expect(rebuild(gomoku, position, pieces)).toBe(position);
  }
  for (const { board, side } of ffo.positions) {
    const { discs } = parseReversi(`${board} ${side}`);
    const pieces = discs.flatMap((disc, index): [string, string][] =>
      disc ? [[squareName(index % 8, Math.floor(index / 8)), disc]] : [],
    );
    expect(rebuild(reversi, `${board} ${side}`, pieces)).toBe(`${board} ${side}`);
  }
  for (const { fen } of rules.positions) {
    const pieces = parseXiangqi(fen).pieces.flatMap((piece, index): [string, string][] =>
      piece ? [[xiangqiPoint(index % 9, Math.floor(index / 9)), `${piece.color}-${piece.kind}`]] : [],
    );
    expect(rebuild(xiangqi, fen, pieces)).toBe(`${fen.split(' ').slice(0, 2).join(' ')} - - 0 1`);
  }
});

test.each([
  ['gomoku', '5/5/2x2/5/5 w fifths-2 pick a1,b1', 'c3', 'clear', '5/5/5/5/5 w'],
  ['gomoku', '5/5/2x2/5/5 w', 'c3', 'white', '5/5/2o2/5/5 w'],
  ['gomoku', '5/5/2x2/5/5 w', 'f3', 'white', '5/5/2x2/5/5 w'],
  ['gomoku', '5/5/2x2/5/5 w', 'c3', 'red-king', '5/5/2x2/5/5 w'],
  ['reversi', 'XO-------------O O', 'c1', 'black', 'XOX------------O O'],
  ['reversi', 'XO-------------O O', 'b1', 'clear', 'X--------------O O'],
  ['reversi', 'XO-------------O O', 'e1', 'black', 'XO-------------O O'],
  ['xiangqi', '4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1', 'd0', 'red-king', '4k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1'],
  ['xiangqi', '4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1', 'e9', 'clear', '9/9/9/9/9/9/9/9/9/4K4 w - - 0 1'],
  ['xiangqi', '4k4/9/9/9/9/9/9/9/9/4K4 w - - 3 1 moves e0e1', 'a0', 'black-rook', '4k4/9/9/9/9/9/9/9/4K4/r8 b - - 0 1'],
  ['xiangqi', '4k4/9/9/9/9/9/9/9/9/4K4 b - - 0 1', 'a0', 'black-queen', '4k4/9/9/9/9/9/9/9/9/4K4 b - - 0 1'],
])('%s: %s with %s %s', async (game, text, cell, tool, expected) => {
  const editor = await games[game]!.loadPositionRules!();
  expect(editor.put(text, cell, tool)).toBe(expected);
});

test.each([
  ['gomoku', '5/5/5/5/5 w swapped', 'black', '5/5/5/5/5 b'],
  ['reversi', 'XO-------------O O', 'black', 'XO-------------O X'],
  ['xiangqi', '4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1', 'black', '4k4/9/9/9/9/9/9/9/9/4K4 b - - 0 1'],
  ['xiangqi', '4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1', 'white', '4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1'],
])('%s: %s, %s to move', async (game, text, side, expected) => {
  const editor = await games[game]!.loadPositionRules!();
  expect(editor.setSideToMove(text, side)).toBe(expected);
});

test('tools and sides of a game have distinct names in every language', async () => {
  for (const { loadPositionRules } of Object.values(games)) {
    const editor = await loadPositionRules?.();
    for (const tools of editor ? [editor.tools, editor.sides] : []) {
      for (const names of [
        tools.map(({ id }) => id),
        ...LANGUAGE_IDS.map((language) => tools.map(({ name }) => name(textsOf(language).boards))),
      ]) {
        expect(new Set(names).size).toBe(tools.length);
      }
    }
  }
});
