// The standings of an arena: the columns of the table and the order of its rows. Pure.
import type { ArenaPlayer } from '../api/arena';
import { gameCount, addTallies } from './statistics';

/** A column, by its sort key; `tie0`, `tie1`, … are the tie-breaks. */
export type Column =
  | 'place'
  | 'name'
  | 'points'
  | 'games'
  | 'wins'
  | 'rating'
  | 'glicko'
  | 'skill'
  | 'score'
  | 'duplicate'
  | 'faults'
  | 'time'
  | 'cpu'
  | 'fuel'
  | 'memory'
  | 'hits'
  | `tie${number}`;

export interface SortOrder {
  column: Column;
  descending: boolean;
}

export const BY_PLACE: SortOrder = { column: 'place', descending: false };

/** Wall time per move in microseconds; null: no moves. */
export const timePerMove = ({ totals }: ArenaPlayer) => (totals.moves === 0 ? null : totals.wall_us / totals.moves);
/** CPU time per move in microseconds, of the moves whose CPU time was measured; null: none. */
export const cpuPerMove = ({ totals }: ArenaPlayer) =>
  totals.cpu_moves === 0 ? null : totals.cpu_us / totals.cpu_moves;
/** Fuel per move in units; null: none used. */
export const fuelPerMove = ({ totals }: ArenaPlayer) =>
  totals.moves === 0 || totals.fuel === 0 ? null : totals.fuel / totals.moves;
export const faultCount = ({ totals }: ArenaPlayer) => Object.values(totals.faults).reduce((all, one) => all + one, 0);
export const tallyOf = ({ by_seat }: ArenaPlayer) => addTallies(...by_seat);
/** The games that pass the filter. Resource use, in contrast, is of all games. */
export const gamesOf = (player: ArenaPlayer) => gameCount(tallyOf(player)) / Math.max(1, player.by_seat.length - 1);
/** The share of correctly predicted replies; null: no predictions. */
export const ponderHitRate = ({ pondering }: ArenaPlayer) =>
  pondering == null || pondering.predictions === 0 ? null : pondering.hits / pondering.predictions;

/** The names of the tie-breaks, in the order in which they apply. */
export const tieBreakNames = (players: ArenaPlayer[]): string[] => players[0]?.tie_breaks.map(([name]) => name) ?? [];

/** The columns that have a value for at least one player. */
export function columnsOf(players: ArenaPlayer[]): Column[] {
  const hasAny = (valueOf: (player: ArenaPlayer) => unknown) => players.some((player) => valueOf(player) != null);
  const isOfTwo = players.every((player) => player.by_seat.length <= 2);
  const hasLuck = hasAny((player) => player.duplicate_score);
  return [
    'place',
    'name',
    'points',
    'games',
    'wins',
    ...(hasAny((player) => player.rating) || (isOfTwo && !hasAny((player) => player.glicko))
      ? (['rating'] as const)
      : []),
    ...(hasAny((player) => player.glicko) ? (['glicko'] as const) : []),
    ...(hasAny((player) => player.skill) ? (['skill'] as const) : []),
    ...(!isOfTwo || hasLuck ? (['score'] as const) : []),
    ...(hasLuck ? (['duplicate'] as const) : []),
    ...tieBreakNames(players).map((_, index) => `tie${index}` as const),
    'faults',
    'time',
    ...(hasAny(cpuPerMove) ? (['cpu'] as const) : []),
    ...(hasAny(fuelPerMove) ? (['fuel'] as const) : []),
    'memory',
    ...(hasAny(ponderHitRate) ? (['hits'] as const) : []),
  ];
}

/** The value that a column sorts by; null always sorts last. */
function sortValue(player: ArenaPlayer, column: Column): number | string | null {
  switch (column) {
    case 'place':
      return player.place;
    case 'name':
      return player.name;
    case 'points':
      return player.half_points;
    case 'games':
      return gamesOf(player);
    case 'wins':
      return tallyOf(player).wins;
    case 'rating':
      return player.rating?.value ?? null;
    case 'glicko':
      return player.glicko?.value ?? null;
    case 'skill':
      return player.skill?.mu ?? null;
    case 'score':
      return player.mean_score?.value ?? null;
    case 'duplicate':
      return player.duplicate_score?.value ?? null;
    case 'faults':
      return faultCount(player);
    case 'time':
      return timePerMove(player);
    case 'cpu':
      return cpuPerMove(player);
    case 'fuel':
      return fuelPerMove(player);
    case 'memory':
      return player.totals.memory_bytes_max;
    case 'hits':
      return ponderHitRate(player);
  }
  return player.tie_breaks[Number(column.slice('tie'.length))]?.[1] ?? null;
}

/** The sorted players. Equal players are in the order of their places. */
export function sortPlayers(
  players: ArenaPlayer[],
  ranking: number[],
  { column, descending }: SortOrder,
): ArenaPlayer[] {
  const ranks = new Map(ranking.map((player, index) => [player, index]));
  const rank = (player: ArenaPlayer) => ranks.get(player.number) ?? ranking.length + player.number;
  return [...players].sort((a, b) => {
    const [left, right] = [sortValue(a, column), sortValue(b, column)];
    if (left === null || right === null) {
      return Number(left === null) - Number(right === null) || rank(a) - rank(b);
    }
    const difference =
      typeof left === 'string' || typeof right === 'string' ? String(left).localeCompare(String(right)) : left - right;
    return (descending ? -difference : difference) || rank(a) - rank(b);
  });
}

/** The order after a click on a column's head: descending, then ascending; for names and places the reverse. */
export function nextOrder(order: SortOrder, column: Column): SortOrder {
  return column === order.column
    ? { column, descending: !order.descending }
    : { column, descending: column !== 'place' && column !== 'name' };
}
