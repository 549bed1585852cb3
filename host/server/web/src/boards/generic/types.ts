// A board as data, as a game describes it. docs/board.schema.json in the repository is the schema, and the server has
// checked the board by it. Types only.

export type BoardColor =
  'black' | 'white' | 'red' | 'blue' | 'green' | 'yellow' | 'orange' | 'purple' | 'brown' | 'gray';

/** Places in a plane. In a hexagonal tiling each row begins half a place to the right of the row above it. */
export interface GridElement {
  kind: 'grid';
  tiling?: 'square' | 'hex';
  style?: 'cells' | 'points';
  /** The ids of the places from the top; null is a gap. */
  rows: (string | null)[][];
  column_labels?: string[];
  row_labels?: string[];
  fills?: { color: BoardColor; places: string[] }[];
  /** The lines between points; absent or empty: between neighbours. */
  lines?: [string, string][];
  edges?: Partial<Record<'top' | 'right' | 'bottom' | 'left', BoardColor>>;
}

/** Places in a line: a track with columns of pieces, pieces in hand, or cards. */
export interface LineElement {
  kind: 'track' | 'reserve' | 'cards';
  name?: string;
  owner?: number;
  places: string[];
  labels?: string[];
  stack?: 'up' | 'down';
}

export interface TextElement {
  kind: 'text';
  text: string;
}

export type BoardElement = GridElement | LineElement | TextElement;

export interface BoardPiece {
  place: string;
  /** Absent: a disc. */
  shape?: 'disc' | 'glyph' | 'path' | 'card' | 'back';
  text?: string;
  color?: BoardColor;
  /** The number of equal pieces that it stands for; absent: 1. */
  count?: number;
  name?: string;
}

export type HighlightKind = 'last' | 'target' | 'threat' | 'win';

/** A legal move and the places to click for it; without places it is a button. */
export interface PlacedMove {
  move: string;
  places?: string[];
  label?: string;
}

export interface BoardData {
  /** Rows of elements from the top. */
  elements: BoardElement[][];
  pieces?: BoardPiece[];
  highlights?: { kind: HighlightKind; places: string[] }[];
  moves?: PlacedMove[];
  seats_face_each_other?: boolean;
}
