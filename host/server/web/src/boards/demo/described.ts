// Sample positions of games that describe their boards as data: the boards of tests/fixtures/boards.
import backgammon from '../../../../../../tests/fixtures/boards/backgammon.json';
import chess from '../../../../../../tests/fixtures/boards/chess.json';
import chineseCheckers from '../../../../../../tests/fixtures/boards/chinese-checkers.json';
import connectFour from '../../../../../../tests/fixtures/boards/connect-four.json';
import goofspiel from '../../../../../../tests/fixtures/boards/goofspiel.json';
import hearts from '../../../../../../tests/fixtures/boards/hearts.json';
import hex from '../../../../../../tests/fixtures/boards/hex.json';
import kuhnPoker from '../../../../../../tests/fixtures/boards/kuhn-poker.json';
import ninesMensMorris from '../../../../../../tests/fixtures/boards/nine-mens-morris.json';
import type { BoardData } from '../generic/types';
import type { Sample } from './samples';

const boards = {
  backgammon,
  chess,
  'chinese-checkers': chineseCheckers,
  'connect-four': connectFour,
  goofspiel,
  hearts,
  hex,
  'kuhn-poker': kuhnPoker,
  'nine-mens-morris': ninesMensMorris,
} as unknown as Record<string, BoardData>;

function sampleOf([game, board]: [string, BoardData]): Sample {
  const legal = [...new Set((board.moves ?? []).map(({ move }) => move))];
  const position = {
    position: '',
    to_move: 0,
    side: 0 as const,
    side_name: 'first',
    legal,
    outcome: null,
    board,
    facts: {},
  };
  return { name: 'described', game, variant: 'standard', moves: [], hints: [], position };
}

export const describedSamples: Sample[] = Object.entries(boards).map(sampleOf);
