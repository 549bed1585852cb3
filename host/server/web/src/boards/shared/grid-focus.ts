// Keyboard focus in an ARIA grid with one tab stop: which cell a key leads to. Pure; touches no DOM.

/** A cell of a board, drawn at a rectangle. The cells of a row lie side by side. */
export interface GridCell {
  /** The game's name of the cell: a point, a square, a card. */
  id: string;
  /** The accessible name. */
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
  /** Whether Enter or a click has an effect. */
  enabled: boolean;
  /** Whether the cell is selected as the start of a move; undefined where a move is one click. */
  selected?: boolean;
  /** Whether a piece can be dragged from the cell to another one. */
  draggable?: boolean;
  /** Whether there is a piece; absent: the cell is a piece itself, such as a card. */
  occupied?: boolean;
}

type Rows = readonly (readonly GridCell[])[];

interface CellPosition {
  row: number;
  column: number;
}

/** The row and column of a cell; null if no row has it. */
export function findCell(rows: Rows, id: string | null): CellPosition | null {
  for (const [row, cells] of rows.entries()) {
    const column = cells.findIndex((cell) => cell.id === id);
    if (column >= 0) {
      return { row, column };
    }
  }
  return null;
}

/** The cell that the tab key reaches: the last focused, else the preferred, else the first enabled, else the first. */
export function tabStopOf(rows: Rows, focused: string | null, preferred: string | null): string | null {
  for (const id of [focused, preferred]) {
    if (findCell(rows, id)) {
      return id;
    }
  }
  const cells = rows.flat();
  return (cells.find((cell) => cell.enabled) ?? cells[0])?.id ?? null;
}

/** The cell to focus after a key; null if the key leads nowhere. With `ctrl`, Home and End go to the ends of the grid. */
export function nextCell(rows: Rows, from: string, key: string, ctrl: boolean): string | null {
  const position = findCell(rows, from);
  if (!position) {
    return null;
  }
  const cells = rows[position.row] ?? [];
  switch (key) {
    case 'ArrowLeft':
      return cells[position.column - 1]?.id ?? null;
    case 'ArrowRight':
      return cells[position.column + 1]?.id ?? null;
    case 'ArrowUp':
      return nearestInNextRow(rows, position, -1);
    case 'ArrowDown':
      return nearestInNextRow(rows, position, 1);
    case 'Home':
      return (ctrl ? rows.find((row) => row.length > 0) : cells)?.[0]?.id ?? null;
    case 'End':
      return (ctrl ? rows.findLast((row) => row.length > 0) : cells)?.at(-1)?.id ?? null;
    default:
      return null;
  }
}

/** The horizontally nearest cell of the next non-empty row above (-1) or below (1). */
function nearestInNextRow(rows: Rows, from: CellPosition, step: 1 | -1): string | null {
  const cell = rows[from.row]?.[from.column];
  let row = from.row + step;
  while (rows[row]?.length === 0) {
    row += step;
  }
  const candidates = rows[row];
  if (!cell || !candidates) {
    return null;
  }
  const middle = ({ x, width }: GridCell) => x + width / 2;
  const distance = (other: GridCell) => Math.abs(middle(other) - middle(cell));
  return candidates.reduce((best, other) => (distance(other) < distance(best) ? other : best)).id;
}
