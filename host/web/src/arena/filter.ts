// Which games of an arena are looked at, as it stands in the address, as a form shows it, and as the server is asked.
// Pure. In addresses everything is counted from 0, as the server does; people count from 1.

/** Which games the tables count. */
export interface TableFilter {
  /** Games of these players against each other; none: of all. */
  players: number[];
  opening: number | null;
  round: number | null;
  noFaults: boolean;
}

/** Which games are listed. */
export interface GamesFilter {
  player: number | null;
  opponent: number | null;
  opening: number | null;
  round: number | null;
  /** Only those that ended by something an engine did wrong. */
  fault: boolean;
}

/** A number of an address; null: there is none that could be one. */
function numberOf(text: string | null): number | null {
  if (text === null || !/^\d{1,9}$/.test(text)) {
    return null;
  }
  return Number(text);
}

export function tableFilter(search: string): TableFilter {
  const query = new URLSearchParams(search);
  const players = query.getAll('player').map(numberOf).filter((player) => player !== null);
  return {
    players: [...new Set(players)].sort((a, b) => a - b),
    opening: numberOf(query.get('opening')),
    round: numberOf(query.get('round')),
    noFaults: query.get('no_faults') === 'true',
  };
}

export function gamesFilter(search: string): GamesFilter {
  const query = new URLSearchParams(search);
  return {
    player: numberOf(query.get('player')),
    opponent: numberOf(query.get('opponent')),
    opening: numberOf(query.get('opening')),
    round: numberOf(query.get('round')),
    fault: query.get('fault') === 'true',
  };
}

/** As the server is asked. */
export function tableQuery({ players, opening, round, noFaults }: TableFilter) {
  return { player: players, opening, round, no_faults: noFaults ? 'true' : null };
}

export function gamesQuery({ player, opponent, opening, round, fault }: GamesFilter) {
  return { player, opponent, opening, round, fault: fault ? 'true' : null };
}

/** What follows the path in an address; empty where nothing is asked for. */
export function searchOf(query: Record<string, number | string | null | number[]>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null) {
        search.append(name, String(one));
      }
    }
  }
  return search.size === 0 ? '' : `?${search.toString()}`;
}

export const isFiltered = (filter: TableFilter): boolean => searchOf(tableQuery(filter)) !== '';

/** A number that somebody typed, counted from 1; null: none. */
export function counted(text: string): number | null {
  const number = numberOf(text.trim());
  return number === null || number === 0 ? null : number - 1;
}
