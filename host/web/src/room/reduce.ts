// From what the server says to what the room shows: a pure function of state, event and moment. No clock is
// read here, nothing is sent, no rule of a game is known.
import type { ClockOf, Line, Player, Position, RoomEvent, Snapshot } from '../api/types';

export interface Room {
  snap: Snapshot;
  /** The local moment at which the clocks in `snap` were told. */
  clocksAt: number;
  /** What each engine says of the position that is on the board, best line first. */
  lines: Record<number, Line[]>;
  /** The positions that were told, by the number of plies before them. */
  positions: Record<number, Position>;
  /** The answer to a wish for a hint, until the board changes. */
  hint: { move: string | null; line: Line | null; error: string | null } | null;
}

export interface Step {
  room: Room | null;
  /** True: an event is missing, everything must be asked for anew. */
  gap: boolean;
}

const LOG_MOST = 500;

function withClocks(players: Player[], clocks: (ClockOf & Partial<Player>)[]): Player[] {
  return players.map((player) => {
    const told = clocks.find((other) => other.player === player.player);
    return told === undefined ? player : { ...player, ...told };
  });
}

function fresh(snap: Snapshot, at: number): Room {
  return { snap, clocksAt: at, lines: {}, positions: { [snap.plies.length]: snap.position }, hint: null };
}

/** The lines of one engine with a new one: one for each rank, in order. */
function withLine(lines: Line[], line: Line): Line[] {
  const rank = line.rank ?? 1;
  return [...lines.filter((other) => (other.rank ?? 1) !== rank), line].sort((a, b) => (a.rank ?? 1) - (b.rank ?? 1));
}

/** The state after an event. Before the first snapshot there is none, and only a snapshot makes one. */
export function reduce(room: Room | null, event: RoomEvent, at: number): Step {
  if (event.type === 'snapshot') {
    const kept = room !== null && room.snap.room === event.room && sameStart(room.snap, event) ? room.positions : {};
    const next = fresh(event, at);
    next.positions = { ...cut(kept, commonPlies(room?.snap ?? null, event)), ...next.positions };
    return { room: next, gap: false };
  }
  if (room === null) {
    return { room, gap: false };
  }
  if ('seq' in event && typeof event.seq === 'number') {
    if (event.seq <= room.snap.seq) {
      return { room, gap: false };
    }
    if (event.seq > room.snap.seq + 1) {
      return { room, gap: true };
    }
    return { room: apply({ ...room, snap: { ...room.snap, seq: event.seq } }, event, at), gap: false };
  }
  return { room: apply(room, event, at), gap: false };
}

function sameStart(a: Snapshot, b: Snapshot): boolean {
  return a.game === b.game && a.variant === b.variant && a.start === b.start && a.seed === b.seed;
}

/** How many moves from the beginning two accounts of a room share. */
function commonPlies(a: Snapshot | null, b: Snapshot): number {
  let n = 0;
  while (a !== null && n < a.plies.length && n < b.plies.length && a.plies[n]?.move === b.plies[n]?.move) {
    n += 1;
  }
  return n;
}

function cut(positions: Record<number, Position>, last: number): Record<number, Position> {
  return Object.fromEntries(Object.entries(positions).filter(([ply]) => Number(ply) <= last));
}

function set(room: Room, snap: Partial<Snapshot>, more: Partial<Room> = {}): Room {
  return { ...room, ...more, snap: { ...room.snap, ...snap } };
}

function clocks(room: Room, told: (ClockOf & Partial<Player>)[], at: number): Room {
  return set(room, { players: withClocks(room.snap.players, told) }, { clocksAt: at });
}

function logged(room: Room, kind: string, text: string, atPly = room.snap.plies.length): Room {
  return set(room, { log: [...room.snap.log, { at_ply: atPly, kind, text }].slice(-LOG_MOST) });
}

function apply(room: Room, event: Exclude<RoomEvent, { type: 'snapshot' }>, at: number): Room {
  const { snap } = room;
  switch (event.type) {
    case 'moved': {
      const plies = [...snap.plies.slice(0, event.ply.ply), event.ply];
      const moved = set(
        room,
        {
          plies,
          position: event.position,
          thinking: event.thinking,
          undo_asked: null,
          // An offer goes with the move it was made with and lapses when the other moves.
          draw_offered_by: snap.draw_offered_by === event.ply.player ? snap.draw_offered_by : null,
        },
        {
          lines: {},
          hint: null,
          positions: { ...cut(room.positions, event.ply.ply), [plies.length]: event.position },
        },
      );
      return clocks(moved, event.players, at);
    }
    case 'undone': {
      const left = Math.max(0, snap.plies.length - event.plies);
      const undone = set(
        room,
        {
          plies: snap.plies.slice(0, left),
          position: event.position,
          thinking: event.thinking ?? null,
          undo_asked: null,
          draw_offered_by: null,
        },
        { lines: {}, hint: null, positions: { ...cut(room.positions, left), [left]: event.position } },
      );
      return clocks(undone, event.players, at);
    }
    case 'undo-asked':
      return set(room, { undo_asked: { player: event.player, plies: event.plies } });
    case 'undo-declined':
      return set(room, { undo_asked: null });
    case 'refused':
      return logged(room, 'refused', `${event.move}: ${event.reason}`);
    case 'faulted':
      return logged(room, 'fault', event.sentence);
    case 'draw-offered':
      return set(room, { draw_offered_by: event.player });
    case 'draw-declined':
      return set(room, { draw_offered_by: null });
    case 'swapped':
      return set(room, {
        players: snap.players.map((player) => {
          const told = event.players.find((other) => other.player === player.player);
          return told === undefined
            ? player
            : { ...player, side_name: told.side_name, ...(told.side === undefined ? {} : { side: told.side }) };
        }),
      });
    case 'paused':
      return clocks(set(room, { state: 'paused', thinking: null }), event.players, at);
    case 'resumed':
      return clocks(set(room, { state: 'playing' }), event.players, at);
    case 'began':
      return clocks(
        set(room, { state: event.state, position: event.position }, {
          positions: { ...room.positions, [snap.plies.length]: event.position },
        }),
        // Who is here is told by `presence` alone: this event may have been made before.
        event.players.map(({ state: _, ...told }) => told),
        at,
      );
    case 'seated':
      return set(room, {
        players: snap.players.map((player) => {
          if (player.player !== event.player) {
            return player;
          }
          const { engine: _, ...rest } = player;
          const seated: Player = { ...rest, name: event.name, kind: event.kind, state: 'present' };
          return event.engine === undefined || event.engine === null ? seated : { ...seated, engine: event.engine };
        }),
      });
    case 'ended':
      return clocks(
        set(room, {
          state: 'over',
          result: event.result,
          bout: event.bout,
          thinking: null,
          draw_offered_by: null,
          undo_asked: null,
        }),
        event.players,
        at,
      );
    case 'rematch':
      return set(room, { rematch: event.room });
    case 'thinking':
      return clocks(set(room, { thinking: event.player }), event.players, at);
    case 'line':
      if (event.ply !== snap.plies.length) {
        return room;
      }
      return {
        ...room,
        lines: { ...room.lines, [event.player]: withLine(room.lines[event.player] ?? [], event.line) },
      };
    case 'log':
      return logged(room, event.kind, event.text, event.at_ply);
    case 'presence':
      return set(room, {
        spectators: event.spectators,
        players: snap.players.map((player) => {
          const told = event.players.find((other) => other.player === player.player);
          return told === undefined ? player : { ...player, state: told.state };
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

/** Who plays a seat. */
export function playerOfSeat(snap: Snapshot, seat: number): Player | null {
  return snap.players.find((player) => player.seats.includes(seat)) ?? null;
}

/** Who is to move; null: nobody, it is over. */
export function toMove(snap: Snapshot): Player | null {
  return snap.position.outcome !== null || snap.state === 'over' ? null : playerOfSeat(snap, snap.position.to_move);
}

/** Whether no time runs for a player, in which case others may claim when he is gone. */
export function untimed(player: Player): boolean {
  return player.clock === null || player.clock.unit === 'none';
}
