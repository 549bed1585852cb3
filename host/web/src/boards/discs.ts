// What games of black and white stones share: colours, columns, and setting up positions. Knows no game's texts.
import { CLEAR, type Setup, type Tool } from './setup';

export type Color = 'black' | 'white';

/** The letter of a column, from 0 at the left. */
export function columnName(column: number): string {
  return String.fromCharCode(97 + column);
}

const SIDES: [Tool, Tool] = [
  { id: 'black', name: { en: 'black', zh: '黑' } },
  { id: 'white', name: { en: 'white', zh: '白' } },
];

const isColor = (id: string): id is Color => SIDES.some((side) => side.id === id);

/** What lies on the places of a board, and who moves. */
export interface Places {
  size: number;
  places: (Color | null)[];
  next: Color;
}

/** How a game reads and writes it; `indexOf` is null for what is no place. */
interface Form {
  read: (text: string) => Places;
  write: (places: Places) => string;
  indexOf: (size: number, place: string) => number | null;
}

/** Setting up positions of black and white stones. */
export function discSetup({ read, write, indexOf }: Form): Setup {
  return {
    tools: [...SIDES, CLEAR],
    sides: SIDES,
    put: (text, place, tool) => {
      const board = read(text);
      const index = indexOf(board.size, place);
      if (index !== null && (isColor(tool) || tool === CLEAR.id)) board.places[index] = isColor(tool) ? tool : null;
      return write(board);
    },
    turn: (text, side) => {
      const board = read(text);
      return write({ ...board, next: isColor(side) ? side : board.next });
    },
    sideOf: (text) => read(text).next,
    clear: (text) => {
      const board = read(text);
      return write({ ...board, places: board.places.map(() => null), next: 'black' });
    },
  };
}
