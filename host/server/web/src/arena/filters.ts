// Filters of an arena's games: in the address, in a form, and in requests. Pure. Addresses and requests count from 0,
// forms from 1.

/** The games that the tables count. */
export interface TableFilter {
  /** Only games between these players; empty: all players. */
  players: number[];
  opening: number | null;
  round: number | null;
  noFaults: boolean;
}

/** The games in a list of games. */
export interface GamesFilter {
  player: number | null;
  opponent: number | null;
  opening: number | null;
  round: number | null;
  /** Only games that ended by a fault. */
  onlyFaults: boolean;
}

/** A number from 0; null for another text. */
function parseNumber(text: string | null): number | null {
  if (text === null || !/^\d{1,9}$/.test(text)) {
    return null;
  }
  return Number(text);
}

export function parseTableFilter(search: string): TableFilter {
  const query = new URLSearchParams(search);
  const players = query
    .getAll('player')
    .map(parseNumber)
    .filter((player) => player !== null);
  return {
    players: [...new Set(players)].sort((a, b) => a - b),
    opening: parseNumber(query.get('opening')),
    round: parseNumber(query.get('round')),
    noFaults: query.get('no_faults') === 'true',
  };
}

export function parseGamesFilter(search: string): GamesFilter {
  const query = new URLSearchParams(search);
  return {
    player: parseNumber(query.get('player')),
    opponent: parseNumber(query.get('opponent')),
    opening: parseNumber(query.get('opening')),
    round: parseNumber(query.get('round')),
    onlyFaults: query.get('fault') === 'true',
  };
}

/** The query parameters of the filter, for addresses and requests. */
export function tableQuery({ players, opening, round, noFaults }: TableFilter) {
  return { player: players, opening, round, no_faults: noFaults ? 'true' : null };
}

export function gamesQuery({ player, opponent, opening, round, onlyFaults }: GamesFilter) {
  return { player, opponent, opening, round, fault: onlyFaults ? 'true' : null };
}

/** The query string of an address, with its question mark; empty without parameters. */
export function searchString(query: Record<string, number | string | null | number[]>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null) {
        search.append(name, String(item));
      }
    }
  }
  return search.size === 0 ? '' : `?${search.toString()}`;
}

export const isFiltered = (filter: TableFilter): boolean => searchString(tableQuery(filter)) !== '';

/** The number from 0 for one that was typed, counted from 1; null for another text. */
export function parseOrdinal(text: string): number | null {
  const number = parseNumber(text.trim());
  return number === null || number === 0 ? null : number - 1;
}
