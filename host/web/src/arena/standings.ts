// The table of an arena's players: which columns it has, and in which order its rows stand. Pure.
import type { ArenaPlayer } from '../api/arena';
import { games, sum } from './figures';

/** A column by what it sorts for; tie-breaks by their number. */
export type Column =
  | 'place'
  | 'name'
  | 'points'
  | 'games'
  | 'wins'
  | 'rating'
  | 'glicko'
  | 'faults'
  | 'time'
  | 'cpu'
  | 'fuel'
  | 'memory'
  | 'hits'
  | `tie${number}`;

export interface Order {
  column: Column;
  descending: boolean;
}

export const BY_PLACE: Order = { column: 'place', descending: false };

/** In microseconds of wall time a move; null: it made none. */
export const timeOf = ({ totals }: ArenaPlayer) => (totals.moves === 0 ? null : totals.wall_us / totals.moves);
/** In microseconds of CPU time a move, of those whose CPU time was counted. */
export const cpuOf = ({ totals }: ArenaPlayer) => (totals.cpu_moves === 0 ? null : totals.cpu_us / totals.cpu_moves);
export const fuelOf = ({ totals }: ArenaPlayer) => (totals.moves === 0 || totals.fuel === 0 ? null : totals.fuel / totals.moves);
export const faultsOf = ({ totals }: ArenaPlayer) => Object.values(totals.faults).reduce((all, one) => all + one, 0);
export const tallyOf = ({ by_seat }: ArenaPlayer) => sum(...by_seat);
/** Those that are looked at; what it spent is that of all. */
export const gamesOf = (player: ArenaPlayer) => games(tallyOf(player));
/** The share of its opponents' replies that it had expected; null: it expected none. */
export const hitsOf = ({ pondering }: ArenaPlayer) =>
  pondering == null || pondering.predictions === 0 ? null : pondering.hits / pondering.predictions;

/** The names of the tie-breaks, in the order in which they decide. */
export const tiesOf = (players: ArenaPlayer[]): string[] => players[0]?.ties.map(([name]) => name) ?? [];

/** The columns that have something to say of these players. */
export function columnsOf(players: ArenaPlayer[]): Column[] {
  const any = (value: (player: ArenaPlayer) => unknown) => players.some((player) => value(player) !== null);
  return [
    'place',
    'name',
    'points',
    'games',
    'wins',
    ...(any((player) => player.rating) || !any((player) => player.glicko) ? (['rating'] as const) : []),
    ...(any((player) => player.glicko) ? (['glicko'] as const) : []),
    ...tiesOf(players).map((_, nth) => `tie${nth}` as const),
    'faults',
    'time',
    ...(any(cpuOf) ? (['cpu'] as const) : []),
    ...(any(fuelOf) ? (['fuel'] as const) : []),
    'memory',
    ...(any(hitsOf) ? (['hits'] as const) : []),
  ];
}

/** What a column sorts by; null stands last whichever way it goes. */
function valueOf(player: ArenaPlayer, column: Column): number | string | null {
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
    case 'faults':
      return faultsOf(player);
    case 'time':
      return timeOf(player);
    case 'cpu':
      return cpuOf(player);
    case 'fuel':
      return fuelOf(player);
    case 'memory':
      return player.totals.memory_bytes_max;
    case 'hits':
      return hitsOf(player);
  }
  return player.ties[Number(column.slice('tie'.length))]?.[1] ?? null;
}

/** The players in an order; who is level in it stand as their places do. */
export function sorted(players: ArenaPlayer[], ranking: number[], { column, descending }: Order): ArenaPlayer[] {
  const standing = new Map(ranking.map((player, nth) => [player, nth]));
  const rank = (player: ArenaPlayer) => standing.get(player.number) ?? ranking.length + player.number;
  return [...players].sort((a, b) => {
    const [left, right] = [valueOf(a, column), valueOf(b, column)];
    if (left === null || right === null) {
      return Number(left === null) - Number(right === null) || rank(a) - rank(b);
    }
    const up = typeof left === 'string' || typeof right === 'string' ? String(left).localeCompare(String(right)) : left - right;
    return (descending ? -up : up) || rank(a) - rank(b);
  });
}

/** The order after a press on a column's head: the most first, then the least; names and places the other way round. */
export function pressed(order: Order, column: Column): Order {
  return column === order.column
    ? { column, descending: !order.descending }
    : { column, descending: column !== 'place' && column !== 'name' };
}
