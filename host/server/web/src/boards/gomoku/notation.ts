// The notation of gomoku and renju: position texts, points, the words of opening procedures, and descriptions of moves.
// Checks the form of a position text; knows no rules.
import type { Position } from '../../api/types';
import type { Language } from '../../text/language';
import { NotationError, splitWords, tryParse } from '../shared/parsing';
import { columnName, type StoneColor } from '../shared/stones';
import { DECISIONS, texts, type Decision } from './texts';

/** The phase of an opening procedure; `play` without a procedure and after its end. */
export type Phase = 'opening' | 'swap' | 'announce' | 'offer' | 'pick' | 'play';

export interface GomokuPosition {
  size: number;
  /** The stone on each point, row by row from the top. */
  stones: (StoneColor | null)[];
  /** The colour of the next stone, which may differ from the side that decides now. */
  next: StoneColor;
  phase: Phase;
  /** Whether seat 1 plays black. */
  swapped: boolean;
  /** The announced number of fifth moves, until one is chosen. */
  fifths: number | null;
  /** The points offered so far for the fifth move. */
  offers: string[];
  passes: 0 | 1 | 2;
  /** The forbidden point that black played, which lost the game. */
  foul: string | null;
}

/** A point that is forbidden to black, and why. */
export interface ForbiddenPoint {
  point: string;
  kind: 'overline' | 'double-four' | 'double-three';
}

const MIN_SIZE = 5;
const MAX_SIZE = 22;
const PHASES: readonly string[] = ['opening', 'swap', 'announce', 'offer', 'pick'];
const FORBIDDEN_KINDS: readonly string[] = ['overline', 'double-four', 'double-three'];

/** The name of a point, by its column from the left and its row from the top, both from 0. */
export function pointName(size: number, column: number, row: number): string {
  return `${columnName(column)}${size - row}`;
}

/** The index of a point in `GomokuPosition.stones`; null for a name that is not a point of the board. */
export function pointIndex(size: number, point: string): number | null {
  const match = /^([a-v])([1-9][0-9]?)$/.exec(point);
  if (!match) {
    return null;
  }
  const column = match[1]!.charCodeAt(0) - 97;
  const row = size - Number(match[2]);
  return column < size && row >= 0 && row < size ? row * size + column : null;
}

/** Reads a position text. Throws a `NotationError`. */
export function parsePosition(text: string): GomokuPosition {
  const words = splitWords(text);
  const [rows, side, ...rest] = words;
  if (!rows || !side) {
    throw new NotationError(text, text.length, 'expected rows and the side to move');
  }
  const { size, stones } = parseRows(text, rows.text, rows.index);
  if (side.text !== 'b' && side.text !== 'w') {
    throw new NotationError(text, side.index, 'the side to move must be `b` or `w`');
  }
  const position: GomokuPosition = {
    size,
    stones,
    next: side.text === 'b' ? 'black' : 'white',
    phase: 'play',
    swapped: false,
    fifths: null,
    offers: [],
    passes: 0,
    foul: null,
  };
  for (const word of rest) {
    if (!parseWord(position, word.text)) {
      throw new NotationError(text, word.index, `unknown word \`${word.text}\``);
    }
  }
  return position;
}

function parseRows(text: string, rows: string, start: number): Pick<GomokuPosition, 'size' | 'stones'> {
  const lines = rows.split('/');
  const size = lines.length;
  if (size < MIN_SIZE || size > MAX_SIZE) {
    throw new NotationError(text, start, `${size} rows; a board has ${MIN_SIZE} to ${MAX_SIZE}`);
  }
  const stones: (StoneColor | null)[] = [];
  let lineStart = start;
  lines.forEach((line, row) => {
    const countBefore = stones.length;
    for (const part of line.matchAll(/[0-9]+|./g)) {
      if (part[0] === 'x') {
        stones.push('black');
      } else if (part[0] === 'o') {
        stones.push('white');
      } else if (/^[1-9]/.test(part[0]) && Number(part[0]) <= size) {
        for (let run = Number(part[0]); run > 0; run--) {
          stones.push(null);
        }
      } else {
        throw new NotationError(
          text,
          lineStart + part.index,
          `expected a stone or a number of empty points, not \`${part[0]}\``,
        );
      }
    }
    const points = stones.length - countBefore;
    if (points !== size) {
      throw new NotationError(text, lineStart, `row ${size - row} has ${points} points, not ${size}`);
    }
    lineStart += line.length + 1;
  });
  return { size, stones };
}

/** Reads one word behind the side into the position; false for an unknown word. */
function parseWord(position: GomokuPosition, word: string): boolean {
  const fifths = /^fifths-([1-9][0-9]?)$/.exec(word);
  if (fifths) {
    position.fifths = Number(fifths[1]);
  } else if (word === 'swapped') {
    position.swapped = true;
  } else if (PHASES.includes(word)) {
    position.phase = word as Phase;
  } else if (word === 'passed') {
    position.passes = 1;
  } else if (word === 'passed-twice') {
    position.passes = 2;
  } else if (word.startsWith('foul-') && pointIndex(position.size, word.slice(5)) !== null) {
    position.foul = word.slice(5);
  } else if (position.phase === 'offer' || position.phase === 'pick') {
    position.offers = word.split(',');
    return position.offers.every((point) => pointIndex(position.size, point) !== null);
  } else {
    return false;
  }
  return true;
}

/** The points forbidden to black, from the position's facts. Entries of another form are left out. */
export function forbiddenPoints(facts: Record<string, unknown>): ForbiddenPoint[] {
  const list: unknown = facts.forbidden;
  if (!Array.isArray(list)) {
    return [];
  }
  return list.filter(
    (entry: unknown): entry is ForbiddenPoint =>
      typeof entry === 'object' &&
      entry !== null &&
      'point' in entry &&
      typeof entry.point === 'string' &&
      'kind' in entry &&
      FORBIDDEN_KINDS.includes(String(entry.kind)),
  );
}

/** The star points of a board of this size, as columns and rows from 0. */
export function starPoints(size: number): [number, number][] {
  const edge = size >= 13 ? 3 : 2;
  const odd = size % 2 === 1;
  const middle = (size - 1) / 2;
  const lines = size < 9 ? [] : size >= 19 && odd ? [edge, middle, size - 1 - edge] : [edge, size - 1 - edge];
  const stars = lines.flatMap((column) => lines.map((row): [number, number] => [column, row]));
  if (odd && !lines.includes(middle)) {
    stars.push([middle, middle]);
  }
  return stars;
}

/** The move number of each stone, by its index. A fifth stone counts from the move that chose it, not from its offer. */
export function moveNumbers(position: GomokuPosition, moves: readonly string[]): Map<number, number> {
  const lastPly = new Map<number, number>();
  moves.forEach((move, ply) => {
    const index = pointIndex(position.size, move);
    if (index !== null && position.stones[index]) {
      lastPly.set(index, ply);
    }
  });
  const inOrder = [...lastPly].sort((a, b) => a[1] - b[1]);
  return new Map(inOrder.map(([index], rank) => [index, rank + 1]));
}

/** The letter of an offered point, counted from 0: A, B, … */
export function offerLetter(index: number): string {
  return String.fromCharCode(65 + index);
}

/** Describes a move: "h8, black", or the decision that a word stands for. */
export function describeMove(move: string, position: Position | null, language: Language): string {
  const t = texts(language);
  const fifths = /^fifths-([0-9]+)$/.exec(move);
  if (fifths) {
    return t.announced(Number(fifths[1]));
  }
  if (isDecision(move)) {
    return t.decisions[move];
  }
  const parsed = position && tryParse(() => parsePosition(position.position)).value;
  if (!parsed || pointIndex(parsed.size, move) === null) {
    return move;
  }
  const color = t.colors[parsed.next];
  return parsed.phase === 'offer' ? t.offered(move, color) : t.stone(move, color);
}

/** Whether a move is a word that decides something, such as `swap`. */
export function isDecision(move: string): move is Decision {
  return DECISIONS.includes(move as Decision);
}

/** The ends of a line of five or more stones through the last move, as indices; null: there is none. */
export function winningLine(position: GomokuPosition, last: number): [number, number] | null {
  const { size, stones } = position;
  const [row, column] = [Math.floor(last / size), last % size];
  const color = stones[last];
  if (!color) {
    return null;
  }
  const runLength = (down: number, right: number): number => {
    for (let steps = 1; ; steps++) {
      const [r, c] = [row + down * steps, column + right * steps];
      if (r < 0 || c < 0 || r >= size || c >= size || stones[r * size + c] !== color) {
        return steps - 1;
      }
    }
  };
  for (const [down, right] of [
    [0, 1],
    [1, 0],
    [1, 1],
    [1, -1],
  ] as const) {
    const [before, after] = [runLength(-down, -right), runLength(down, right)];
    const step = down * size + right;
    if (before + after >= 4) {
      return [last - before * step, last + after * step];
    }
  }
  return null;
}
