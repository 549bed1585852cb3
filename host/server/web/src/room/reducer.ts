// The state of a room after each message of the server: a pure function of state, message and time. Reads no clock, sends
// nothing, and knows no rules of a game.
import { withLine } from '../analysis/engine-lines';
import { refusalEntry } from '../lib/record';
import type { EngineLine, LogEntry, Player, PlayerClock, Position, RoomEvent, Snapshot } from '../api/types';

export interface RoomState {
  snapshot: Snapshot;
  /** The local time at which the clocks in `snapshot` arrived, in milliseconds. */
  clocksReceivedAt: number;
  /** The lines that each engine reported for the current position, the best first. */
  lines: Record<number, EngineLine[]>;
  /** The known positions of the game, by the number of its moves before them. */
  positions: Record<number, Position>;
  /** The answer to a hint request, until the position changes. */
  hint: { move: string | null; line: EngineLine | null; error: string | null } | null;
  /** The last offer that was declined, and who had made it, until that player moves or makes another one. */
  declined: DeclinedOffer | null;
}

export interface DeclinedOffer {
  kind: 'draw' | 'undo';
  player: number;
}

export interface ReduceResult {
  room: RoomState | null;
  /** Whether an event is missing, so that a new snapshot is needed. */
  hasGap: boolean;
}

const MAX_LOG_ENTRIES = 500;

type PlayerUpdate = PlayerClock & Partial<Player>;

function createState(snapshot: Snapshot, now: number): RoomState {
  return {
    snapshot,
    clocksReceivedAt: now,
    lines: {},
    positions: { [snapshot.plies.length]: snapshot.position },
    hint: null,
    declined: null,
  };
}

/** The state after an event. There is no state before the first snapshot. */
export function reduce(room: RoomState | null, event: RoomEvent, now: number): ReduceResult {
  if (event.type === 'snapshot') {
    const isSameGame = room !== null && room.snapshot.room === event.room && haveSameStart(room.snapshot, event);
    const knownPositions = isSameGame ? room.positions : {};
    const next = createState(event, now);
    const shared = countCommonPlies(room?.snapshot ?? null, event);
    next.positions = { ...positionsUpTo(knownPositions, shared), ...next.positions };
    return { room: next, hasGap: false };
  }
  if (room === null) {
    return { room, hasGap: false };
  }
  if ('seq' in event && typeof event.seq === 'number') {
    if (event.seq <= room.snapshot.seq) {
      return { room, hasGap: false };
    }
    if (event.seq > room.snapshot.seq + 1) {
      return { room, hasGap: true };
    }
    const advanced = { ...room, snapshot: { ...room.snapshot, seq: event.seq } };
    return { room: applyEvent(advanced, event, now), hasGap: false };
  }
  return { room: applyEvent(room, event, now), hasGap: false };
}

/** Whether two snapshots are of games that begin in the same way. */
export function haveSameStart(a: Snapshot, b: Snapshot): boolean {
  const movesOf = ({ opening }: Snapshot) => opening.map(({ move }) => move).join(' ');
  return (
    a.game === b.game &&
    a.variant === b.variant &&
    a.start === b.start &&
    a.seed === b.seed &&
    movesOf(a) === movesOf(b)
  );
}

/** The number of moves from the start that two snapshots share. */
function countCommonPlies(a: Snapshot | null, b: Snapshot): number {
  let count = 0;
  while (
    a !== null &&
    count < a.plies.length &&
    count < b.plies.length &&
    a.plies[count]?.move === b.plies[count]?.move
  ) {
    count += 1;
  }
  return count;
}

function positionsUpTo(positions: Record<number, Position>, lastPly: number): Record<number, Position> {
  return Object.fromEntries(Object.entries(positions).filter(([ply]) => Number(ply) <= lastPly));
}

function withSnapshot(room: RoomState, changes: Partial<Snapshot>, more: Partial<RoomState> = {}): RoomState {
  return { ...room, ...more, snapshot: { ...room.snapshot, ...changes } };
}

/** Applies updates of players, which include their clocks. */
function withPlayers(room: RoomState, updates: PlayerUpdate[], now: number): RoomState {
  const players = room.snapshot.players.map((player) => {
    const update = updates.find((other) => other.player === player.player);
    return update === undefined ? player : { ...player, ...update };
  });
  return withSnapshot(room, { players }, { clocksReceivedAt: now });
}

function withLogEntry(room: RoomState, entry: LogEntry): RoomState {
  return withSnapshot(room, { log: [...room.snapshot.log, entry].slice(-MAX_LOG_ENTRIES) });
}

function applyEvent(room: RoomState, event: Exclude<RoomEvent, { type: 'snapshot' }>, now: number): RoomState {
  const { snapshot } = room;
  switch (event.type) {
    case 'moved': {
      const plies = [...snapshot.plies.slice(0, event.ply.ply), event.ply];
      const { player } = event.ply;
      const requester = snapshot.undo_request?.player ?? null;
      // A move of another player answers a request: no.
      const declined: DeclinedOffer | null =
        requester !== null && requester !== player
          ? { kind: 'undo', player: requester }
          : withoutOffersOf(player, room.declined);
      const moved = withSnapshot(
        room,
        {
          plies,
          position: event.position,
          thinking: event.thinking,
          undo_request: null,
        },
        {
          declined,
          lines: {},
          hint: null,
          positions: { ...positionsUpTo(room.positions, event.ply.ply), [plies.length]: event.position },
        },
      );
      return withPlayers(moved, event.players, now);
    }
    case 'undone': {
      const remaining = Math.max(0, snapshot.plies.length - event.plies);
      const undone = withSnapshot(
        room,
        {
          plies: snapshot.plies.slice(0, remaining),
          position: event.position,
          thinking: event.thinking ?? null,
          undo_request: null,
          draw_offered_by: null,
        },
        {
          declined: null,
          lines: {},
          hint: null,
          positions: { ...positionsUpTo(room.positions, remaining), [remaining]: event.position },
        },
      );
      return withPlayers(undone, event.players, now);
    }
    case 'undo-requested':
      return withSnapshot(
        room,
        { undo_request: { player: event.player, plies: event.plies } },
        { declined: withoutOffersOf(event.player, room.declined) },
      );
    case 'undo-declined':
      return withSnapshot(room, { undo_request: null }, { declined: { kind: 'undo', player: event.player } });
    case 'refused':
      return withLogEntry(room, refusalEntry(snapshot.plies.length, event.move, event.reason));
    case 'faulted':
      return withLogEntry(room, {
        at_ply: snapshot.plies.length,
        kind: 'fault',
        text: event.sentence,
        message: event.message,
      });
    case 'draw-offered':
      return withSnapshot(
        room,
        { draw_offered_by: event.player },
        { declined: withoutOffersOf(event.player, room.declined) },
      );
    case 'draw-declined':
      return withSnapshot(room, { draw_offered_by: null }, { declined: { kind: 'draw', player: event.player } });
    case 'swapped':
      return withSnapshot(room, {
        players: snapshot.players.map((player) => {
          const update = event.players.find((other) => other.player === player.player);
          return update === undefined
            ? player
            : { ...player, side_name: update.side_name, ...(update.side === undefined ? {} : { side: update.side }) };
        }),
      });
    case 'paused':
      return withPlayers(withSnapshot(room, { state: 'paused', thinking: null }), event.players, now);
    case 'resumed':
      return withPlayers(withSnapshot(room, { state: 'playing' }), event.players, now);
    case 'began':
      return withPlayers(
        withSnapshot(
          room,
          // A bout that is resumed begins without offers and requests.
          { state: event.state, position: event.position, draw_offered_by: null, undo_request: null },
          { positions: { ...room.positions, [snapshot.plies.length]: event.position } },
        ),
        // Only `presence` is current about who is connected: this event may have been created earlier.
        event.players.map(({ state: _, ...update }) => update),
        now,
      );
    case 'seated':
      return withSnapshot(room, {
        players: snapshot.players.map((player) => {
          if (player.player !== event.player) {
            return player;
          }
          const { engine: _, ...rest } = player;
          const seated: Player = { ...rest, name: event.name, kind: event.kind, state: 'present' };
          return event.engine === undefined || event.engine === null ? seated : { ...seated, engine: event.engine };
        }),
      });
    case 'ended':
      return withPlayers(
        withSnapshot(
          room,
          {
            state: 'over',
            result: event.result,
            bout: event.bout,
            thinking: null,
            draw_offered_by: null,
            undo_request: null,
          },
          { declined: null },
        ),
        event.players,
        now,
      );
    case 'rematch':
      return withSnapshot(room, { rematch: event.room });
    case 'thinking':
      return withPlayers(withSnapshot(room, { thinking: event.player }), event.players, now);
    case 'line':
      if (event.ply !== snapshot.plies.length) {
        return room;
      }
      return {
        ...room,
        lines: { ...room.lines, [event.player]: withLine(room.lines[event.player] ?? [], event.line) },
      };
    case 'log':
      return withLogEntry(room, {
        at_ply: event.at_ply,
        kind: event.kind,
        text: event.text,
        message: event.message,
      });
    case 'presence':
      return withSnapshot(room, {
        spectators: event.spectators,
        players: snapshot.players.map((player) => {
          const update = event.players.find((other) => other.player === player.player);
          return update === undefined ? player : { ...player, state: update.state };
        }),
      });
    case 'hint':
      return {
        ...room,
        hint: { move: event.move ?? null, line: event.line ?? null, error: event.error ?? null },
      };
    case 'error':
    case 'ack':
    case 'pong':
      return room;
  }
}

/** The declined offer, unless this player had made it. */
function withoutOffersOf(player: number | null, declined: DeclinedOffer | null): DeclinedOffer | null {
  return declined?.player === player ? null : declined;
}

/** The player of a seat. */
export function playerOfSeat(snapshot: Snapshot, seat: number): Player | null {
  return snapshot.players.find((player) => player.seats.includes(seat)) ?? null;
}

/** The player to move; null: the game is over. */
export function playerToMove(snapshot: Snapshot): Player | null {
  return snapshot.position.outcome !== null || snapshot.state === 'over'
    ? null
    : playerOfSeat(snapshot, snapshot.position.to_move);
}

/** Whether a player has no clock. Against such a player, once gone, the opponent may claim the win. */
export function hasNoClock(player: Player): boolean {
  return player.clock === null || player.clock.unit === 'none';
}
