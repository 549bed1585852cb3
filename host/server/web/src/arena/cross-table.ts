// The cross table of an arena: the results of each player against each other. Pure.
import type { ArenaPlayer, ArenaView, Tally } from '../api/arena';
import { addTallies, pointShare, reverseTally } from './statistics';

/** The table shows at most this many players. */
export const MAX_CROSS_TABLE_PLAYERS = 32;

export interface CrossTableCell {
  opponent: ArenaPlayer;
  /** From the view of the row's player; null: no games, or the player against itself. */
  tally: Tally | null;
  /** The point share in five steps, from 0 (no points) to 4 (all points); null if `tally` is null. */
  shade: 0 | 1 | 2 | 3 | 4 | null;
}

export interface CrossTableRow {
  /** The row's number, from 1; it also heads the player's column. */
  number: number;
  player: ArenaPlayer;
  cells: CrossTableCell[];
}

/** The cross table of the first players by place. */
export function createCrossTable({
  players,
  ranking,
  head_to_head: headToHead,
}: Pick<ArenaView, 'players' | 'ranking' | 'head_to_head'>): CrossTableRow[] {
  const byNumber = new Map(players.map((player) => [player.number, player]));
  const shown = ranking
    .slice(0, MAX_CROSS_TABLE_PLAYERS)
    .map((number) => byNumber.get(number))
    .filter((player) => player !== undefined);
  const tallies = new Map<string, Tally>();
  for (const {
    players: [a, b],
    first_seat,
    second_seat,
  } of headToHead) {
    const tally = addTallies(first_seat, second_seat);
    tallies.set(`${a} ${b}`, tally);
    tallies.set(`${b} ${a}`, reverseTally(tally));
  }
  return shown.map((player, index) => ({
    number: index + 1,
    player,
    cells: shown.map((opponent) => {
      const tally = tallies.get(`${player.number} ${opponent.number}`) ?? null;
      const share = tally === null ? null : pointShare(tally);
      return share === null ? { opponent, tally: null, shade: null } : { opponent, tally, shade: shadeOf(share) };
    }),
  }));
}

/** No points and all points have a shade of their own; between them: worse than even, even, better. */
export function shadeOf(share: number): 0 | 1 | 2 | 3 | 4 {
  if (share <= 0 || share >= 1) {
    return share <= 0 ? 0 : 4;
  }
  return share < 0.45 ? 1 : share > 0.55 ? 3 : 2;
}

export interface CellPosition {
  row: number;
  column: number;
}

const STEPS: Record<string, [down: number, right: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

const hasGames = (rows: CrossTableRow[], { row, column }: CellPosition) => rows[row]?.cells[column]?.tally != null;

/** The next cell with games in the direction of a key; null: the key leads nowhere. */
export function nextCell(rows: CrossTableRow[], { row, column }: CellPosition, key: string): CellPosition | null {
  const step = STEPS[key];
  if (step !== undefined) {
    const [down, right] = step;
    for (let distance = 1; distance <= rows.length; distance += 1) {
      const position = { row: row + distance * down, column: column + distance * right };
      if (hasGames(rows, position)) {
        return position;
      }
    }
    return null;
  }
  if (key !== 'Home' && key !== 'End') {
    return null;
  }
  const positions = rows.map((_, index) => ({ row, column: index })).filter((position) => hasGames(rows, position));
  return (key === 'Home' ? positions[0] : positions.at(-1)) ?? null;
}

/** The cell that the tab key reaches: the last focused if it still has games, else the first that has. */
export function tabStopOf(rows: CrossTableRow[], lastFocused: CellPosition | null): CellPosition | null {
  if (lastFocused !== null && hasGames(rows, lastFocused)) {
    return lastFocused;
  }
  const row = rows.findIndex(({ cells }) => cells.some(({ tally }) => tally !== null));
  return row < 0 ? null : { row, column: rows[row]?.cells.findIndex(({ tally }) => tally !== null) ?? 0 };
}
