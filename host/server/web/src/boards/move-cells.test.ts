// Which cells a move is made on, for games with a notation and for games with a board as data.
import { describe, expect, test } from 'vitest';
import type { Position } from '../api/types';
import { cellMoves, cellsOf, movesOn } from './move-cells';

const position = (legal: string[], moves?: { move: string; places?: string[] }[]): Position => ({
  position: '',
  to_move: 0,
  side: 0,
  side_name: 'first',
  legal,
  outcome: null,
  facts: {},
  ...(moves === undefined ? {} : { board: { elements: [], moves } }),
});

const chess = position(
  ['e2e4', 'e7e8q', 'e7e8n', 'resign'],
  [
    { move: 'e2e4', places: ['e2', 'e4'] },
    { move: 'e7e8q', places: ['e7', 'e8'] },
    { move: 'e7e8n', places: ['e7', 'e8'] },
    { move: 'e2e3', places: ['e2', 'e3'] },
    { move: 'resign' },
  ],
);

describe('cellsOf', () => {
  for (const [game, move, before, expected] of [
    ['gomoku', 'h8', null, ['h8']],
    ['reversi', 'd3', null, ['d3']],
    ['xiangqi', 'h2e2', null, ['h2', 'e2']],
    ['bridge', 'SA', null, ['SA']],
    ['chess', 'e2e4', chess, ['e2', 'e4']],
    ['chess', 'resign', chess, []],
    ['chess', 'a2a4', null, []],
  ] as const) {
    test(`${game} ${move}`, () => expect(cellsOf(game, move, before)).toEqual(expected));
  }
});

describe('movesOn', () => {
  for (const [game, at, cells, expected] of [
    ['gomoku', position(['a1', 'b2']), ['b2'], ['b2']],
    ['gomoku', position(['a1', 'b2']), ['c3'], []],
    ['xiangqi', position(['h2e2', 'h2d2']), ['h2', 'e2'], ['h2e2']],
    ['chess', chess, ['e2', 'e4'], ['e2e4']],
    ['chess', chess, ['e2', 'e3'], []],
    ['chess', chess, ['e7', 'e8'], ['e7e8q', 'e7e8n']],
    ['chess', chess, ['e2'], []],
  ] as const) {
    test(`${game} ${cells.join(' ')}`, () => expect(movesOn(cellMoves(game, at), cells)).toEqual(expected));
  }
});
