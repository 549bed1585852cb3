// Editing xiangqi positions. Each side has at most one king: putting one moves it. The result starts a new count of moves.
import { CLEAR_TOOL, formatRow } from '../shared/position-text';
import type { EditorTool, PositionRules } from '../types';
import {
  FILES,
  findKing,
  PIECE_KINDS,
  parsePosition,
  pointIndex,
  RANKS,
  type Color,
  type Piece,
  type PieceKind,
  type XiangqiPosition,
} from './notation';

const LETTERS: Record<PieceKind, string> = {
  king: 'k',
  advisor: 'a',
  elephant: 'b',
  horse: 'n',
  rook: 'r',
  cannon: 'c',
  pawn: 'p',
};
const COLORS: Color[] = ['red', 'black'];
const PIECES = COLORS.flatMap((color) => PIECE_KINDS.map((kind): Piece => ({ color, kind })));
const toolId = ({ color, kind }: Piece) => `${color}-${kind}`;

function formatPosition({ pieces, next }: XiangqiPosition): string {
  const letterOf = (piece: Piece) => (piece.color === 'red' ? LETTERS[piece.kind].toUpperCase() : LETTERS[piece.kind]);
  const rows = Array.from({ length: RANKS }, (_, line) =>
    formatRow(pieces.slice(line * FILES, (line + 1) * FILES), letterOf),
  );
  return `${rows.join('/')} ${next === 'red' ? 'w' : 'b'} - - 0 1`;
}

const side = (id: Color): EditorTool => ({ id, name: (t) => t.editorSides[id] });

export const positionRules: PositionRules = {
  tools: [
    ...PIECES.map((piece): EditorTool => ({
      id: toolId(piece),
      name: (t) => t.xiangqi.piece(piece),
    })),
    CLEAR_TOOL,
  ],
  sides: [side('red'), side('black')],
  put: (text, cell, tool) => {
    const position = parsePosition(text);
    const index = pointIndex(cell);
    const piece = PIECES.find((other) => toolId(other) === tool) ?? null;
    if (index === null || (!piece && tool !== CLEAR_TOOL.id)) {
      return formatPosition(position);
    }
    const king = piece?.kind === 'king' ? findKing(position, piece.color) : null;
    if (king !== null) {
      position.pieces[king] = null;
    }
    position.pieces[index] = piece;
    return formatPosition(position);
  },
  setSideToMove: (text, id) => {
    const position = parsePosition(text);
    return formatPosition({ ...position, next: COLORS.find((color) => color === id) ?? position.next });
  },
  sideToMove: (text) => parsePosition(text).next,
  clear: (text) => formatPosition({ pieces: parsePosition(text).pieces.map(() => null), next: 'red' }),
};
