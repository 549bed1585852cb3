// Who scored what against whom, as a square table. Pure.
import type { ArenaPlayer, ArenaView, Tally } from '../api/arena';
import { share, sum, turned } from './figures';

/** A square for more players than this is read by nobody. */
export const CROSS_MOST = 32;

export interface CrossCell {
  opponent: ArenaPlayer;
  /** As the player of the row sees them; null: they did not meet, or it is the same one. */
  tally: Tally | null;
  /** How good that is, from 0 (no points) to 4 (all of them); null with the tally. */
  shade: 0 | 1 | 2 | 3 | 4 | null;
}

export interface CrossRow {
  /** Its number in the table, from 1: the head of its column. */
  number: number;
  player: ArenaPlayer;
  cells: CrossCell[];
}

/** The table of the first players by place. */
export function crossTable({ players, ranking, meetings }: Pick<ArenaView, 'players' | 'ranking' | 'meetings'>): CrossRow[] {
  const byNumber = new Map(players.map((player) => [player.number, player]));
  const shown = ranking
    .slice(0, CROSS_MOST)
    .map((number) => byNumber.get(number))
    .filter((player) => player !== undefined);
  const met = new Map<string, Tally>();
  for (const { players: [a, b], first_seat, second_seat } of meetings) {
    const all = sum(first_seat, second_seat);
    met.set(`${a} ${b}`, all);
    met.set(`${b} ${a}`, turned(all));
  }
  return shown.map((player, nth) => ({
    number: nth + 1,
    player,
    cells: shown.map((opponent) => {
      const tally = met.get(`${player.number} ${opponent.number}`) ?? null;
      const points = tally === null ? null : share(tally);
      return points === null ? { opponent, tally: null, shade: null } : { opponent, tally, shade: shadeOf(points) };
    }),
  }));
}

/** All points and none have a shade of their own; between them it is worse, even, better. */
export function shadeOf(share: number): 0 | 1 | 2 | 3 | 4 {
  if (share <= 0 || share >= 1) {
    return share <= 0 ? 0 : 4;
  }
  return share < 0.45 ? 1 : share > 0.55 ? 3 : 2;
}

/** A cell of the table. */
export interface CrossPlace {
  row: number;
  column: number;
}

const STEPS: Record<string, [down: number, right: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** The next cell that leads anywhere, by a key; null: the key does nothing here. */
export function nextCell(rows: CrossRow[], { row, column }: CrossPlace, key: string): CrossPlace | null {
  const leads = (place: CrossPlace) => rows[place.row]?.cells[place.column]?.tally != null;
  const step = STEPS[key];
  if (step !== undefined) {
    const [down, right] = step;
    for (let far = 1; far <= rows.length; far += 1) {
      const place = { row: row + far * down, column: column + far * right };
      if (leads(place)) {
        return place;
      }
    }
    return null;
  }
  if (key !== 'Home' && key !== 'End') {
    return null;
  }
  const places = rows.map((_, nth) => ({ row, column: nth })).filter(leads);
  return (key === 'Home' ? places[0] : places.at(-1)) ?? null;
}

/** The one cell that the tab key reaches: where one was, if it still leads anywhere, else the first that does. */
export function stopOf(rows: CrossRow[], was: CrossPlace | null): CrossPlace | null {
  if (was !== null && rows[was.row]?.cells[was.column]?.tally != null) {
    return was;
  }
  const row = rows.findIndex(({ cells }) => cells.some(({ tally }) => tally !== null));
  return row < 0 ? null : { row, column: rows[row]?.cells.findIndex(({ tally }) => tally !== null) ?? 0 };
}
