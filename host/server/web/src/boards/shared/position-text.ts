// Helpers for writing position texts.
import type { EditorTool } from '../types';

/** The tool that empties a cell. */
export const CLEAR_TOOL: EditorTool = { id: 'clear', name: (t) => t.editor.empty };

/** A row of a position text: a letter for each piece, a number for each run of empty cells. */
export function formatRow<T>(row: readonly (T | null)[], letterOf: (piece: T) => string): string {
  const letters = row.map((piece) => (piece === null ? '.' : letterOf(piece)));
  return letters.join('').replace(/\.+/g, (run) => String(run.length));
}
