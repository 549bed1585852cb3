// What an engine's lines mean on the board: the first move of each as an arrow or a circle, and the value of the best one.
// Pure.
import type { EngineLine, Position, Side } from '../api/types';
import { cellMoves, cellsOf } from '../boards/move-cells';
import type { Suggestion } from '../boards/shared/board-layer.svelte';
import type { ScoreScale } from '../boards/types';

/** The first moves of lines, the best first. `isThreat`: they are those of the side that is not to move. */
export function suggestionsOf(
  game: string,
  position: Position,
  lines: readonly EngineLine[],
  isThreat: boolean,
): Suggestion[] {
  const legal = isThreat ? null : new Set(cellMoves(game, position).map(({ move }) => move));
  return lines.flatMap(({ pv }, index) => {
    const move = pv[0];
    if (move === undefined || legal?.has(move) === false) {
      return [];
    }
    const cells = cellsOf(game, move, position);
    const [from, to] = [cells[0], cells.at(-1)];
    return from === undefined || to === undefined ? [] : [{ from, to, rank: index + 1, isThreat }];
  });
}

/** The value of a line to the first side; null: unknown. The score is that of the side that the line begins with. */
export function valueOfLine(
  line: EngineLine | undefined,
  position: Position,
  scale: ScoreScale,
  isThreat: boolean,
): number | null {
  if (line?.score === undefined) {
    return null;
  }
  const side = (isThreat ? 1 - position.side : position.side) as Side;
  const convert = scale.valueForFirstSide ?? ((score: number, of: Side) => (of === 0 ? score : -score));
  return convert(line.score, side, position.facts);
}
