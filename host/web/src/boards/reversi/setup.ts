// Setting up positions of reversi.
import { CLEAR, type Setup } from '../setup';
import { indexOf, parse, type Board, type Color } from './notation';

const LETTERS: Record<Color, string> = { black: 'X', white: 'O' };
const isColor = (id: string): id is Color => Object.hasOwn(LETTERS, id);

function write({ discs, next }: Pick<Board, 'discs' | 'next'>): string {
  return `${discs.map((disc) => (disc ? LETTERS[disc] : '-')).join('')} ${LETTERS[next]}`;
}

export const setup: Setup = {
  tools: [{ id: 'black', name: { en: 'black', zh: '黑' } }, { id: 'white', name: { en: 'white', zh: '白' } }, CLEAR],
  sides: [{ id: 'black', name: { en: 'black', zh: '黑' } }, { id: 'white', name: { en: 'white', zh: '白' } }],
  put: (text, place, tool) => {
    const board = parse(text);
    const index = indexOf(board.size, place);
    if (index !== null && (isColor(tool) || tool === CLEAR.id)) board.discs[index] = isColor(tool) ? tool : null;
    return write(board);
  },
  turn: (text, side) => {
    const board = parse(text);
    return write({ ...board, next: isColor(side) ? side : board.next });
  },
  sideOf: (text) => parse(text).next,
  clear: (text) => {
    const { discs } = parse(text);
    return write({ discs: discs.map(() => null), next: 'black' });
  },
};
