// The room tickets of this browser, stored by room. A ticket is a secret: its bearer plays for its player. Tickets are shown
// only as invite links.
import type { Strength } from '../program/player';
import type { KeyValueStorage } from '../settings/settings';

/** An engine that plays for a player in this browser. */
export interface DeviceSeat extends Strength {
  engine: string;
}

export interface StoredTicket {
  ticket: string;
  /** The player that the ticket is for; null: not known yet, or a host who does not play. */
  player: number | null;
  /** Whether the ticket is for an invite link to another person. This browser does not play with it. */
  forInvite: boolean;
  /** The engine that plays for the player in this browser; absent: a person does. */
  device?: DeviceSeat;
}

interface TicketFile {
  version: 1;
  /** The most recently used room last. */
  rooms: { room: string; tickets: StoredTicket[] }[];
}

const KEY = 'sandboard.tickets';
const MAX_ROOMS = 200;
const MAX_TICKET_LENGTH = 200;

function isDeviceSeat(value: unknown): boolean {
  const seat = value as Partial<DeviceSeat> | null;
  return (
    typeof seat === 'object' &&
    seat !== null &&
    typeof seat.engine === 'string' &&
    typeof seat.fuel === 'number' &&
    Number.isSafeInteger(seat.fuel) &&
    typeof seat.options === 'object' &&
    seat.options !== null &&
    Object.values(seat.options).every((option) => typeof option === 'string')
  );
}

function isStoredTicket(value: unknown): value is StoredTicket {
  const stored = value as Partial<StoredTicket> | null;
  return (
    typeof stored === 'object' &&
    stored !== null &&
    typeof stored.ticket === 'string' &&
    stored.ticket.length <= MAX_TICKET_LENGTH &&
    (stored.player === null || Number.isInteger(stored.player)) &&
    typeof stored.forInvite === 'boolean' &&
    (stored.device === undefined || isDeviceSeat(stored.device))
  );
}

function readFile(storage: KeyValueStorage): TicketFile {
  try {
    const file = JSON.parse(storage.getItem(KEY) ?? 'null') as Partial<TicketFile> | null;
    if (file?.version === 1 && Array.isArray(file.rooms)) {
      const rooms = file.rooms
        .filter((entry) => typeof entry?.room === 'string' && Array.isArray(entry.tickets))
        .map((entry) => ({ room: entry.room, tickets: entry.tickets.filter(isStoredTicket) }));
      return { version: 1, rooms };
    }
  } catch {
    // Damaged or inaccessible storage counts as empty.
  }
  return { version: 1, rooms: [] };
}

/** The stored tickets of a room. */
export function loadTickets(storage: KeyValueStorage, room: string): StoredTicket[] {
  return readFile(storage).rooms.find((entry) => entry.room === room)?.tickets ?? [];
}

/** Stores tickets of a room; one that is already stored is replaced, but keeps its engine. Drops the rooms used longest ago. */
export function storeTickets(storage: KeyValueStorage, room: string, tickets: StoredTicket[]): void {
  const file = readFile(storage);
  const stored = file.rooms.find((entry) => entry.room === room)?.tickets ?? [];
  const before = new Map(stored.map((ticket) => [ticket.ticket, ticket]));
  const replaced = new Set(tickets.map(({ ticket }) => ticket));
  const all = [
    ...stored.filter(({ ticket }) => !replaced.has(ticket)),
    ...tickets.map((ticket) => ({ ...before.get(ticket.ticket), ...ticket })),
  ];
  const rooms = [...file.rooms.filter((entry) => entry.room !== room), { room, tickets: all }].slice(-MAX_ROOMS);
  writeRooms(storage, rooms);
}

function writeRooms(storage: KeyValueStorage, rooms: TicketFile['rooms']): void {
  try {
    storage.setItem(KEY, JSON.stringify({ version: 1, rooms } satisfies TicketFile));
  } catch {
    // Without storage the page continues with the ticket of its address.
  }
}

/** Removes a ticket of a room, such as one that the server has refused. */
export function removeTicket(storage: KeyValueStorage, room: string, ticket: string): void {
  const file = readFile(storage);
  const rooms = file.rooms.map((entry) =>
    entry.room === room ? { room, tickets: entry.tickets.filter((stored) => stored.ticket !== ticket) } : entry,
  );
  writeRooms(storage, rooms);
}

/** The invite link for a ticket. */
export function inviteLink(origin: string, room: string, ticket: string): string {
  return `${origin}/room/${encodeURIComponent(room)}#${encodeURIComponent(ticket)}`;
}

/** The ticket in an address's fragment; null: none. */
export function ticketOfFragment(fragment: string): string | null {
  const text = fragment.replace(/^#/, '');
  try {
    const ticket = decodeURIComponent(text);
    return /^(?!token=)[\x21-\x7e]{1,200}$/.test(ticket) ? ticket : null;
  } catch {
    return null;
  }
}
