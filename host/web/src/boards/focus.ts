// Where the focus of a board goes by which key: the arithmetic of an ARIA grid with one tab stop.
// Touches no page.

/** A place of a board that can have the focus. Places of one row stand beside each other. */
export interface Cell {
  /** What the game calls it: a point, a card. */
  id: string;
  /** What a screen reader says of it. */
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
  /** Whether Enter or a click does something here. */
  enabled: boolean;
  /** Whether it is chosen as the first half of a move; undefined where moves have no halves. */
  selected?: boolean;
}

interface Place {
  row: number;
  column: number;
}

/** Where a cell stands; null where no row has it. */
export function placeOf(rows: readonly (readonly Cell[])[], id: string | null): Place | null {
  for (const [row, cells] of rows.entries()) {
    const column = cells.findIndex((cell) => cell.id === id);
    if (column >= 0) return { row, column };
  }
  return null;
}

/** The cell that has the board's one tab stop: the last focused, else the wished one, else one that can be chosen. */
export function stopOf(rows: readonly (readonly Cell[])[], focused: string | null, wished: string | null): string | null {
  for (const id of [focused, wished]) {
    if (placeOf(rows, id)) return id;
  }
  const cells = rows.flat();
  return (cells.find((cell) => cell.enabled) ?? cells[0])?.id ?? null;
}

/** The cell to which a key leads from another; null for keys that lead nowhere. */
export function leadsTo(rows: readonly (readonly Cell[])[], from: string, key: string, ctrl: boolean): string | null {
  const place = placeOf(rows, from);
  if (!place) return null;
  const cells = rows[place.row] ?? [];
  switch (key) {
    case 'ArrowLeft':
      return cells[place.column - 1]?.id ?? null;
    case 'ArrowRight':
      return cells[place.column + 1]?.id ?? null;
    case 'ArrowUp':
      return nearest(rows, place, -1);
    case 'ArrowDown':
      return nearest(rows, place, 1);
    case 'Home':
      return (ctrl ? rows.find((row) => row.length > 0) : cells)?.[0]?.id ?? null;
    case 'End':
      return (ctrl ? rows.findLast((row) => row.length > 0) : cells)?.at(-1)?.id ?? null;
    default:
      return null;
  }
}

/** The cell of the next row with any, upward or downward, that stands nearest to the same column. */
function nearest(rows: readonly (readonly Cell[])[], from: Place, step: 1 | -1): string | null {
  const cell = rows[from.row]?.[from.column];
  let row = from.row + step;
  while (rows[row]?.length === 0) row += step;
  const candidates = rows[row];
  if (!cell || !candidates) return null;
  const middle = (it: Cell) => it.x + it.width / 2;
  const distance = (it: Cell) => Math.abs(middle(it) - middle(cell));
  return candidates.reduce((best, it) => (distance(it) < distance(best) ? it : best)).id;
}
