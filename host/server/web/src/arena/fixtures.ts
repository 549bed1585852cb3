// An arena of three players for tests: the second leads, the third has faults.
import type { ArenaPlayer, ArenaView, Tally } from '../api/arena';

export const tally = (wins: number, draws: number, losses: number): Tally => ({ wins, draws, losses });

export function player(number: number, name: string, changed: Partial<ArenaPlayer> = {}): ArenaPlayer {
  return {
    number,
    name,
    engine: name.toLowerCase(),
    version: '1.0.0',
    module_sha256: '00',
    options: {},
    budget: '100ms/move',
    withdrawn: false,
    place: number + 1,
    half_points: 4,
    byes_half_points: 0,
    tie_breaks: [
      ['head-to-head', number],
      ['buchholz', 10 - number],
    ],
    by_seat: [tally(1, 0, 1), tally(1, 0, 1)],
    rating: { value: 0, low: -50, high: 50 },
    unrated: null,
    glicko: null,
    totals: {
      games: 4,
      moves: 100,
      wall_us: 1_000_000,
      cpu_moves: 0,
      cpu_us: 0,
      fuel: 0,
      memory_bytes_max: 1 << 20,
      faults: {},
    },
    ...changed,
  };
}

export const anna = player(0, 'Anna', { place: 2, half_points: 4 });
export const bo = player(1, 'Bo', {
  place: 1,
  half_points: 7,
  by_seat: [tally(2, 0, 0), tally(1, 1, 0)],
  rating: { value: 120, low: 30, high: null },
  totals: { ...anna.totals, wall_us: 500_000, cpu_moves: 50, cpu_us: 100_000, memory_bytes_max: 4 << 20 },
});
export const chance = player(2, 'Chance', {
  place: 3,
  half_points: 1,
  by_seat: [tally(0, 0, 2), tally(0, 1, 1)],
  rating: null,
  unrated: 'below',
  totals: { ...anna.totals, moves: 0, wall_us: 0, faults: { timeout: 2, crash: 1 } },
});

export const view: ArenaView = {
  id: '00000000000000ff',
  name: 'three',
  created_at: '2026-11-01T10:00:00Z',
  state: 'running',
  format: { format: 'round-robin', cycles: 1 },
  game: 'gomoku',
  variant: 'freestyle',
  sides: ['black', 'white'],
  seats: 2,
  openings: null,
  progress: {
    pairs: 3,
    pairs_void: 0,
    games_waiting: 0,
    games_playing: 2,
    pairs_left: 3,
    pairs_left_max: 3,
    games: 6,
    plies: 240,
    seconds_left: 90,
    plies_per_second: 4,
  },
  players: [anna, bo, chance],
  ranking: [1, 0, 2],
  head_to_head: [
    {
      players: [0, 1],
      first_seat: tally(0, 0, 1),
      second_seat: tally(0, 1, 0),
      pairs: [0, 1, 0, 0, 0],
      superiority: 0.2,
    },
    {
      players: [1, 2],
      first_seat: tally(1, 0, 0),
      second_seat: tally(1, 0, 0),
      pairs: [0, 0, 0, 0, 1],
      superiority: 0.9,
    },
  ],
  by_opening: [],
  first_seat: { value: 12, low: -40, high: 60 },
  match_statistics: null,
  history: [],
  faults: [],
};
