// What the games of black and white stones share: colours, column letters, and position editing. Knows no game's text
// format.
import type { EditorTool, PositionRules } from '../types';
import { CLEAR_TOOL } from './position-text';

export type StoneColor = 'black' | 'white';

/** The letter of a column, counted from 0 at the left. */
export function columnName(column: number): string {
  return String.fromCharCode(97 + column);
}

const STONE_TOOLS: [EditorTool, EditorTool] = [
  { id: 'black', name: (t) => t.editorSides.black },
  { id: 'white', name: (t) => t.editorSides.white },
];

const isColor = (id: string): id is StoneColor => STONE_TOOLS.some((tool) => tool.id === id);

/** The stones of a square board and the side to move. */
export interface StonePosition {
  size: number;
  /** The stone on each cell, in the order of the game's position text. */
  cells: (StoneColor | null)[];
  next: StoneColor;
}

/** How one game reads and writes such a position. */
interface StoneTextFormat {
  parse: (text: string) => StonePosition;
  format: (position: StonePosition) => string;
  /** The index in `cells` of a cell's id; null for an id that is not on the board. */
  indexOf: (size: number, cell: string) => number | null;
}

/** The position rules of a game whose pieces are black and white stones. */
export function stonePositionRules({ parse, format, indexOf }: StoneTextFormat): PositionRules {
  return {
    tools: [...STONE_TOOLS, CLEAR_TOOL],
    sides: STONE_TOOLS,
    put: (text, cell, tool) => {
      const position = parse(text);
      const index = indexOf(position.size, cell);
      if (index !== null && (isColor(tool) || tool === CLEAR_TOOL.id)) {
        position.cells[index] = isColor(tool) ? tool : null;
      }
      return format(position);
    },
    setSideToMove: (text, side) => {
      const position = parse(text);
      return format({ ...position, next: isColor(side) ? side : position.next });
    },
    sideToMove: (text) => parse(text).next,
    clear: (text) => {
      const position = parse(text);
      return format({ ...position, cells: position.cells.map(() => null), next: 'black' });
    },
  };
}
