// Setting up positions of xiangqi: each side has one king, which goes where it is put; nothing is remembered of what was played.
import { CLEAR, emptyRuns, type Setup, type Tool } from '../setup';
import { FILES, indexOf, KINDS, kingOf, parse, RANKS, type Board, type Color, type Kind, type Piece } from './notation';
import { texts } from './texts';

const LETTERS: Record<Kind, string> = { king: 'k', advisor: 'a', elephant: 'b', horse: 'n', rook: 'r', cannon: 'c', pawn: 'p' };
const COLORS: Color[] = ['red', 'black'];
const PIECES = COLORS.flatMap((color) => KINDS.map((kind): Piece => ({ color, kind })));
const idOf = ({ color, kind }: Piece) => `${color}-${kind}`;

function write({ pieces, next }: Board): string {
  const letter = (piece: Piece) => (piece.color === 'red' ? LETTERS[piece.kind].toUpperCase() : LETTERS[piece.kind]);
  const rows = Array.from({ length: RANKS }, (_, line) =>
    emptyRuns(pieces.slice(line * FILES, (line + 1) * FILES), letter),
  );
  return `${rows.join('/')} ${next === 'red' ? 'w' : 'b'} - - 0 1`;
}

const side = (id: Color, zh: string): Tool => ({ id, name: { en: id, zh } });

export const setup: Setup = {
  tools: [...PIECES.map((piece): Tool => ({ id: idOf(piece), name: { en: texts.en.piece(piece), zh: texts.zh.piece(piece) } })), CLEAR],
  sides: [side('red', '红'), side('black', '黑')],
  put: (text, place, tool) => {
    const board = parse(text);
    const index = indexOf(place);
    const piece = PIECES.find((it) => idOf(it) === tool) ?? null;
    if (index === null || (!piece && tool !== CLEAR.id)) return write(board);
    const king = piece?.kind === 'king' ? kingOf(board, piece.color) : null;
    if (king !== null) board.pieces[king] = null;
    board.pieces[index] = piece;
    return write(board);
  },
  turn: (text, id) => {
    const board = parse(text);
    return write({ ...board, next: COLORS.find((color) => color === id) ?? board.next });
  },
  sideOf: (text) => parse(text).next,
  clear: (text) => write({ pieces: parse(text).pieces.map(() => null), next: 'red' }),
};
