// Editing reversi positions.
import { stonePositionRules } from '../shared/stones';
import { parsePosition, squareIndex } from './notation';

const LETTERS = { black: 'X', white: 'O' };

export const positionRules = stonePositionRules({
  indexOf: squareIndex,
  parse: (text) => {
    const { size, discs, next } = parsePosition(text);
    return { size, cells: discs, next };
  },
  format: ({ cells, next }) => `${cells.map((disc) => (disc ? LETTERS[disc] : '-')).join('')} ${LETTERS[next]}`,
});
