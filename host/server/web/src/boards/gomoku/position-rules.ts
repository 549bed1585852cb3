// Editing gomoku positions. The result is a position in ordinary play with black in seat 0: the words of opening
// procedures are dropped.
import { formatRow } from '../shared/position-text';
import { stonePositionRules } from '../shared/stones';
import { parsePosition, pointIndex } from './notation';

export const positionRules = stonePositionRules({
  indexOf: pointIndex,
  parse: (text) => {
    const { size, stones, next } = parsePosition(text);
    return { size, cells: stones, next };
  },
  format: ({ size, cells, next }) => {
    const rows = Array.from({ length: size }, (_, row) =>
      formatRow(cells.slice(row * size, (row + 1) * size), (stone) => (stone === 'black' ? 'x' : 'o')),
    );
    return `${rows.join('/')} ${next === 'black' ? 'b' : 'w'}`;
  },
});
