// Positions are set up piece by piece, and what comes out is a text of the rules' form.
import { expect, test } from 'vitest';
import forbidden from '../../../../tests/fixtures/gomoku/forbidden.json';
import ffo from '../../../../tests/fixtures/reversi/ffo.json';
import rules from '../../../../tests/fixtures/xiangqi/rules.json';
import { parse as parseGomoku, pointAt } from './gomoku/notation';
import { setup as gomoku } from './gomoku/setup';
import { parse as parseReversi, squareAt as reversiSquare } from './reversi/notation';
import { setup as reversi } from './reversi/setup';
import { parse as parseXiangqi, squareAt } from './xiangqi/notation';
import { setup as xiangqi } from './xiangqi/setup';
import { setups, type Setup } from './setup';

/** A position laid anew on an empty board, piece by piece. */
function laid(setup: Setup, text: string, pieces: [place: string, tool: string][]): string {
  const done = pieces.reduce((before, [place, tool]) => setup.put(before, place, tool), setup.clear(text));
  return setup.turn(done, setup.sideOf(text));
}

test('positions of the fixtures can be laid anew', () => {
  for (const { position } of forbidden.records) {
    const { size, stones } = parseGomoku(position);
    expect(laid(gomoku, position, stones.flatMap((it, at) => (it ? [[pointAt(size, at % size, Math.floor(at / size)), it]] : [])))).toBe(position);
  }
  for (const { board, side } of ffo.positions) {
    const { discs } = parseReversi(`${board} ${side}`);
    const pieces = discs.flatMap((it, at): [string, string][] => (it ? [[reversiSquare(at % 8, Math.floor(at / 8)), it]] : []));
    expect(laid(reversi, `${board} ${side}`, pieces)).toBe(`${board} ${side}`);
  }
  for (const { fen } of rules.positions) {
    const { pieces } = parseXiangqi(fen);
    const men = pieces.flatMap((it, at): [string, string][] => (it ? [[squareAt(at % 9, Math.floor(at / 9)), `${it.color}-${it.kind}`]] : []));
    expect(laid(xiangqi, fen, men)).toBe(`${fen.split(' ').slice(0, 2).join(' ')} - - 0 1`);
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
])('%s: %s with %s %s', async (game, text, place, tool, becomes) => {
  const { setup } = await setups[game]!();
  expect(setup.put(text, place, tool)).toBe(becomes);
});

test.each([
  ['gomoku', '5/5/5/5/5 w swapped', 'black', '5/5/5/5/5 b'],
  ['reversi', 'XO-------------O O', 'black', 'XO-------------O X'],
  ['xiangqi', '4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1', 'black', '4k4/9/9/9/9/9/9/9/9/4K4 b - - 0 1'],
  ['xiangqi', '4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1', 'white', '4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1'],
])('%s: %s, %s to move', async (game, text, side, becomes) => {
  const { setup } = await setups[game]!();
  expect(setup.turn(text, side)).toBe(becomes);
});

test('every tool and side has a name of its own in both languages', async () => {
  for (const load of Object.values(setups)) {
    const { setup } = await load();
    for (const tools of [setup.tools, setup.sides]) {
      for (const of of [tools.map((it) => it.id), tools.map((it) => it.name.en), tools.map((it) => it.name.zh)]) expect(new Set(of).size).toBe(tools.length);
    }
  }
});

