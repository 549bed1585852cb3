// The secrets that let this browser act in rooms, kept by room. Whoever has one can play for its player: they
// are never shown but as the links that their owner hands on.
import type { Store } from './settings';

export interface Kept {
  ticket: string;
  /** Which player it is for; null: unknown yet, or the ticket of a host who plays nobody. */
  player: number | null;
  /** True: to be handed to somebody else as a link; this browser does not act with it. */
  forLink: boolean;
}

interface Shelf {
  version: 1;
  rooms: { room: string; tickets: Kept[] }[];
}

const KEY = 'sandboard.tickets';
const ROOMS_MOST = 200;

function isKept(value: unknown): value is Kept {
  const kept = value as Partial<Kept> | null;
  return (
    typeof kept === 'object' &&
    kept !== null &&
    typeof kept.ticket === 'string' &&
    kept.ticket.length <= 200 &&
    (kept.player === null || Number.isInteger(kept.player)) &&
    typeof kept.forLink === 'boolean'
  );
}

function read(store: Store): Shelf {
  try {
    const found = JSON.parse(store.getItem(KEY) ?? 'null') as Partial<Shelf> | null;
    if (found?.version === 1 && Array.isArray(found.rooms)) {
      const rooms = found.rooms
        .filter((entry) => typeof entry?.room === 'string' && Array.isArray(entry.tickets))
        .map((entry) => ({ room: entry.room, tickets: entry.tickets.filter(isKept) }));
      return { version: 1, rooms };
    }
  } catch {
    // Damaged or denied: as if there were none.
  }
  return { version: 1, rooms: [] };
}

/** The tickets for a room. */
export function ticketsOf(store: Store, room: string): Kept[] {
  return read(store).rooms.find((entry) => entry.room === room)?.tickets ?? [];
}

/** Adds tickets of a room; one that is there already takes what is new. The rooms used longest ago are forgotten. */
export function keepTickets(store: Store, room: string, tickets: Kept[]): void {
  const shelf = read(store);
  const old = shelf.rooms.find((entry) => entry.room === room)?.tickets ?? [];
  const fresh = new Set(tickets.map((kept) => kept.ticket));
  const all = [...old.filter((kept) => !fresh.has(kept.ticket)), ...tickets];
  const rooms = [...shelf.rooms.filter((entry) => entry.room !== room), { room, tickets: all }].slice(-ROOMS_MOST);
  try {
    store.setItem(KEY, JSON.stringify({ version: 1, rooms } satisfies Shelf));
  } catch {
    // The page goes on with what its address says.
  }
}

/** The link that seats somebody. */
export function seatLink(origin: string, room: string, ticket: string): string {
  return `${origin}/room/${encodeURIComponent(room)}#${encodeURIComponent(ticket)}`;
}

/** The ticket that an address brings; null: none. */
export function ticketOfFragment(fragment: string): string | null {
  const text = fragment.replace(/^#/, '');
  try {
    const ticket = decodeURIComponent(text);
    return /^[\x21-\x7e]{1,200}$/.test(ticket) ? ticket : null;
  } catch {
    return null;
  }
}
