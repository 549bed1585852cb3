// Setting up positions of gomoku: ordinary play with black in seat 0, whatever the text said of a procedure.
import { CLEAR, type Setup } from '../setup';
import { indexOf, parse, type Board, type Color } from './notation';

const COLORS: Color[] = ['black', 'white'];
const isColor = (id: string): id is Color => COLORS.some((color) => color === id);

function write({ size, stones, next }: Pick<Board, 'size' | 'stones' | 'next'>): string {
  const rows = Array.from({ length: size }, (_, row) =>
    stones
      .slice(row * size, (row + 1) * size)
      .map((stone) => (stone === null ? '.' : stone === 'black' ? 'x' : 'o'))
      .join('')
      .replace(/\.+/g, (run) => String(run.length)),
  );
  return `${rows.join('/')} ${next === 'black' ? 'b' : 'w'}`;
}

export const setup: Setup = {
  tools: [{ id: 'black', name: { en: 'black', zh: '黑' } }, { id: 'white', name: { en: 'white', zh: '白' } }, CLEAR],
  sides: [{ id: 'black', name: { en: 'black', zh: '黑' } }, { id: 'white', name: { en: 'white', zh: '白' } }],
  put: (text, place, tool) => {
    const board = parse(text);
    const index = indexOf(board.size, place);
    if (index !== null && (isColor(tool) || tool === CLEAR.id)) board.stones[index] = isColor(tool) ? tool : null;
    return write(board);
  },
  turn: (text, side) => {
    const board = parse(text);
    return write({ ...board, next: isColor(side) ? side : board.next });
  },
  sideOf: (text) => parse(text).next,
  clear: (text) => {
    const { size } = parse(text);
    return write({ size, stones: Array<null>(size * size).fill(null), next: 'black' });
  },
};
