// Snapshots of a room, players and positions for tests.
import type { Player, Position, Snapshot } from './types';

export function position(to_move = 0, legal: string[] = ['h8', 'i9']): Position {
  const side = (to_move % 2) as 0 | 1;
  return {
    position: `p${to_move}`,
    to_move,
    side,
    side_name: side === 0 ? 'black' : 'white',
    legal,
    outcome: null,
    facts: {},
  };
}

export function player(number: number, more: Partial<Player> = {}): Player {
  return {
    player: number,
    name: ['Ada', 'Bo', 'Cy', 'Di'][number]!,
    kind: 'person',
    seats: [number],
    side: number,
    side_name: ['black', 'white', 'north', 'east'][number]!,
    budget: '5s/move',
    clock: { move_ms_left: 5000, game_ms_left: null, unit: 'wall', running: number === 0, starts_in_ms: 0 },
    state: 'present',
    ...more,
  };
}

export function snapshot(more: Partial<Snapshot> = {}): Snapshot {
  return {
    room: 'r',
    seq: 10,
    now_ms: 0,
    created_at: '2026-01-01T00:00:00Z',
    game: 'gomoku',
    variant: 'freestyle',
    start: null,
    opening: [],
    seed: 1,
    state: 'playing',
    players: [player(0), player(1)],
    own_player: 0,
    plies: [],
    position: position(0),
    thinking: 0,
    draw_offered_by: null,
    result: null,
    log: [],
    permissions: { undo: true, draw: true, host: true, pause: true, close: true, hint: false },
    time_rules: { grace_ms: 1000, first_move_ms: 30_000 },
    spectators: 0,
    ...more,
  };
}
