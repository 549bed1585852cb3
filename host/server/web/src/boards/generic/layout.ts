// Where the elements and places of a board are in the picture. Pure; draws nothing.
import type { BoardData, BoardElement, BoardPiece, GridElement, LineElement, TextElement } from './types';

/** The distance between two places of a grid, in the units of the picture. */
export const CELL = 40;
/** The distance of two rows of hexagons, and the distance from their centre to a corner. */
const HEX_ROW = CELL * Math.sqrt(0.75);
export const HEX_RADIUS = CELL / Math.sqrt(3);
export const CARD = { width: 44, height: 60 };
/** The room for labels of rows and columns, and around a grid. */
const LABEL = 22;
const PADDING = 8;
/** The width of a coloured edge; half of it is outside of the cells. */
export const EDGE_WIDTH = 13;
/** How far a card that can be played is raised, into a room above it. */
export const RAISED = 8;
/** The room for a name above a line. */
const NAME = 20;
const GAP = 14;
/** The distance of pieces in a column of a track, and how many are shown at most. */
export const STACK_STEP = 24;
export const STACK_MAX = 5;
/** The room around the picture, for the strokes of what is at its edge. */
const MARGIN = 3;
/** The least width of a picture without a grid, so that few cards do not become huge. */
const MIN_WIDTH = 400;
export const FONT = 16;
/** An upper bound of the width of a letter. */
const LETTER = FONT * 0.6;
const LINE_LETTERS = 40;

export interface Point {
  x: number;
  y: number;
}

interface Box extends Point {
  width: number;
  height: number;
}

/** A place in the picture: what a click hits, and the centre of its piece. */
export interface LaidPlace extends Box {
  id: string;
  centre: Point;
  element: BoardElement;
  /** The place's label, where the element labels places. */
  label: string;
}

/** A label of a row, a column or a place. */
export interface LaidLabel extends Point {
  text: string;
}

interface Laid extends Box {
  places: LaidPlace[];
  labels: LaidLabel[];
}
export interface LaidGrid extends Laid {
  kind: 'grid';
  grid: GridElement;
}
export interface LaidLine extends Laid {
  kind: 'line';
  line: LineElement;
}
export interface LaidText extends Laid {
  kind: 'text';
  lines: string[];
}
export type LaidElement = LaidGrid | LaidLine | LaidText;

export interface BoardLayout {
  width: number;
  height: number;
  elements: LaidElement[];
}

/** Lays a board out. `flipped`: turned by 180°; cards and texts stay upright. */
export function layoutBoard(board: BoardData, flipped: boolean): BoardLayout {
  const turn = <T>(items: readonly T[]): T[] => (flipped ? [...items].reverse() : [...items]);
  // All tracks of a board have one height.
  const hasColumns = board.elements
    .flat()
    .some((element) => element.kind === 'track' && hasStacks(element, board.pieces ?? []));
  const measure = (element: BoardElement): LaidElement => {
    switch (element.kind) {
      case 'grid':
        return layoutGrid(element, flipped);
      case 'text':
        return layoutText(element);
      default:
        return layoutLine(element, flipped, element.kind === 'track' && hasColumns);
    }
  };
  const rows = turn(board.elements).map((row) => turn(row).map(measure));
  const widthOf = (row: LaidElement[]) => row.reduce((sum, { width }) => sum + width + GAP, -GAP);
  const hasGrid = board.elements.flat().some(({ kind }) => kind === 'grid');
  const width = 2 * MARGIN + Math.max(hasGrid ? 0 : MIN_WIDTH, ...rows.map(widthOf));
  const elements: LaidElement[] = [];
  let y = MARGIN;
  for (const row of rows) {
    const height = Math.max(...row.map((element) => element.height));
    let x = (width - widthOf(row)) / 2;
    for (const element of row) {
      elements.push(moved(element, x, y + (height - element.height) / 2));
      x += element.width + GAP;
    }
    y += height + GAP;
  }
  return { width, height: y - GAP + MARGIN, elements };
}

/** The places in rows as people see them, for arrow keys: from the top, and in each row from the left. */
export function placesInRows(layout: BoardLayout): LaidPlace[][] {
  const places = layout.elements.flatMap((element) => element.places);
  const sorted = places.sort((one, other) => one.centre.y - other.centre.y);
  const rows: LaidPlace[][] = [];
  for (const place of sorted) {
    const row = rows.at(-1);
    const first = row?.[0];
    // A small place beside high ones is in their row.
    if (row && first && place.centre.y - first.centre.y < Math.max(first.height, place.height) / 3) {
      row.push(place);
    } else {
      rows.push([place]);
    }
  }
  return rows.map((row) => row.sort((one, other) => one.centre.x - other.centre.x));
}

function moved(element: LaidElement, dx: number, dy: number): LaidElement {
  const shift = <T extends Point>(point: T): T => ({ ...point, x: point.x + dx, y: point.y + dy });
  return {
    ...shift(element),
    labels: element.labels.map(shift),
    places: element.places.map((place) => ({ ...shift(place), centre: shift(place.centre) })),
  };
}

function layoutGrid(grid: GridElement, flipped: boolean): LaidGrid {
  const isHex = grid.tiling === 'hex';
  const rowHeight = isHex ? HEX_ROW : CELL;
  /** The centre of a place, before the grid is moved to its left and upper edge. */
  const centreOf = (row: number, column: number): Point => ({
    x: (column + (isHex ? row / 2 : 0)) * CELL,
    y: row * rowHeight,
  });
  const inside = grid.rows.flatMap((row, index) =>
    row.flatMap((id, column) => (id === null ? [] : [{ id, ...centreOf(index, column) }])),
  );
  const xs = inside.map(({ x }) => x);
  const [left, right] = [Math.min(...xs, Infinity), Math.max(...xs, -Infinity)];
  const [minX, maxX] = left <= right ? [left, right] : [0, 0];
  const columnLabels = grid.column_labels ?? [];
  const rowLabels = grid.row_labels ?? [];
  const [sideRoom, edgeRoom] = [rowLabels.length > 0 ? LABEL : 0, columnLabels.length > 0 ? LABEL : 0];
  const padding = PADDING + (grid.edges ? EDGE_WIDTH / 2 : 0);
  const halfHeight = isHex ? HEX_RADIUS : CELL / 2;
  // Labels of columns are above a hexagonal grid, whose last row is shifted, and below a square one.
  const isLabelAbove = isHex !== flipped;
  const width = 2 * padding + sideRoom + (maxX - minX) + CELL;
  const height = 2 * padding + edgeRoom + (grid.rows.length - 1) * rowHeight + 2 * halfHeight;
  const origin: Point = {
    x: padding + (flipped ? 0 : sideRoom) + CELL / 2 - minX,
    y: padding + (isLabelAbove ? edgeRoom : 0) + halfHeight,
  };
  const size = grid.rows.length - 1;
  const place = ({ x, y }: Point): Point => {
    const [shownX, shownY] = flipped ? [maxX + minX - x, size * rowHeight - y] : [x, y];
    return { x: origin.x + shownX, y: origin.y + shownY };
  };
  const places = inside.map(({ id, ...point }) => {
    const centre = place(point);
    return {
      id,
      centre,
      element: grid,
      label: '',
      x: centre.x - CELL / 2,
      y: centre.y - rowHeight / 2,
      width: CELL,
      height: rowHeight,
    };
  });
  const side = flipped ? 1 : -1;
  /** From the edge of a cell to the middle of a label. */
  const toLabel = LABEL / 2 + (grid.edges ? EDGE_WIDTH / 2 : 0);
  const columns = columnLabels.map((text, column) => {
    const { x, y } = place(centreOf(isHex ? 0 : size, column));
    const shift = (halfHeight + toLabel) * (isLabelAbove ? -1 : 1);
    return { text, x, y: y + shift };
  });
  const rows = rowLabels.map((text, row) => {
    const first = isHex ? (grid.rows[row] ?? []).findIndex((id) => id !== null) : minX / CELL;
    const { x, y } = place(centreOf(row, Math.max(first, 0)));
    return { text, x: x + side * (CELL / 2 + toLabel), y };
  });
  return { kind: 'grid', grid, x: 0, y: 0, width, height, places, labels: [...columns, ...rows] };
}

/** Whether some place of a track has several pieces. */
function hasStacks({ places }: LineElement, pieces: readonly BoardPiece[]): boolean {
  const on = new Set(places);
  const counts = new Map<string, number>();
  for (const { place, count = 1 } of pieces) {
    if (on.has(place)) {
      counts.set(place, (counts.get(place) ?? 0) + count);
    }
  }
  return [...counts.values()].some((count) => count > 1);
}

function layoutLine(line: LineElement, flipped: boolean, isStacked: boolean): LaidLine {
  const isCards = line.kind === 'cards';
  const count = line.places.length;
  const size = isCards ? CARD : { width: CELL, height: isStacked ? STACK_STEP * STACK_MAX + PADDING : CELL };
  // Many cards overlap, so that a hand of 13 fits on a phone.
  const step = isCards ? (count > 8 ? 34 : CARD.width + 4) : size.width;
  const content = count === 0 ? 0 : (count - 1) * step + size.width;
  const nameRoom = (line.name ? NAME : 0) + (isCards ? RAISED : 0);
  const labelRoom = (line.labels ?? []).some(Boolean) ? NAME : 0;
  const width = Math.max(content, (line.name ?? '').length * LETTER, CELL);
  const isTurned = flipped && !isCards;
  const begin = (width - content) / 2;
  const isDown = (line.stack === 'down') !== flipped;
  // The labels of a column that grows downwards are above it.
  const labelsAbove = line.kind === 'track' && isStacked && isDown;
  const top = nameRoom + (labelsAbove ? labelRoom : 0);
  const places = line.places.map((id, index) => {
    const x = begin + (isTurned ? count - 1 - index : index) * step;
    const isLast = index === count - 1;
    return {
      id,
      element: line,
      label: line.labels?.[index] ?? '',
      x,
      y: top,
      width: isLast ? size.width : Math.min(step, size.width),
      height: size.height,
      centre: { x: x + size.width / 2, y: top + size.height / 2 },
    };
  });
  const labels = places.flatMap(({ label, centre }) =>
    label ? [{ text: label, x: centre.x, y: labelsAbove ? top - NAME / 2 : top + size.height + NAME / 2 }] : [],
  );
  const height = nameRoom + labelRoom + size.height;
  return { kind: 'line', line, x: 0, y: 0, width, height, places, labels };
}

function layoutText({ text }: TextElement): LaidText {
  const lines = linesOf(text);
  const width = Math.max(...lines.map((line) => line.length)) * LETTER;
  return {
    kind: 'text',
    lines,
    x: 0,
    y: 0,
    width,
    height: FONT * (1.25 * lines.length + 0.35),
    places: [],
    labels: [],
  };
}

/** A text in lines of at most LINE_LETTERS letters, if it has spaces. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LINE_LETTERS) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}
