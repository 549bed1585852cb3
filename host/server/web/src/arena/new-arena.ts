// The form of a new arena, and the request that it makes. Pure.
import type { Format, NewArena } from '../api/arena';
import type { Engine } from '../api/types';
import { changedOptions } from '../lib/engine-options';

export type FormatKind = Format['format'];

export interface PlayerForm {
  engine: string;
  options: Record<string, string>;
  threads: number;
  /** Whether the player has a budget of its own. */
  hasBudget: boolean;
  budget: string;
}

export interface ArenaForm {
  name: string;
  game: string;
  /** The text of the variant, with its size. */
  variant: string;
  format: FormatKind;
  /** Null: the field is empty. */
  count: number | null;
  players: PlayerForm[];
  budget: string;
  /** The name of the file of openings; empty: they were typed. */
  openingsName: string;
  /** One opening in each line; blank: none. */
  openings: string;
  hasTest: boolean;
  elo0: number | null;
  elo1: number | null;
  gamesAtOnce: number | null;
}

export const DEFAULT_BUDGET = '1s/move';
export const MAX_PLAYERS = 64;
const TYPED_OPENINGS = 'openings.txt';

/** The formats for games of this many players, the most usual first. */
export function formatsFor(seats: number): FormatKind[] {
  return seats === 2
    ? ['match', 'round-robin', 'gauntlet', 'swiss', 'knockout', 'ladder']
    : ['match', 'round-robin', 'swiss', 'ladder'];
}

export const createPlayer = (engine: string): PlayerForm => ({
  engine,
  options: {},
  threads: 1,
  hasBudget: false,
  budget: DEFAULT_BUDGET,
});

/** A first form: a match of the first engines. */
export function createForm(game: string, variant: string, seats: number, engines: readonly Engine[]): ArenaForm {
  return {
    name: '',
    game,
    variant,
    format: 'match',
    count: 10,
    players: Array.from({ length: seats }, (_, index) => createPlayer((engines[index] ?? engines[0])?.id ?? '')),
    budget: DEFAULT_BUDGET,
    openingsName: '',
    openings: '',
    hasTest: false,
    elo0: 0,
    elo1: 10,
    gamesAtOnce: 1,
  };
}

/** Whether a form can have a sequential test. */
export const mayTest = ({ format, players }: Pick<ArenaForm, 'format' | 'players'>): boolean =>
  format === 'match' && players.length === 2;

/** The request of a completed form. */
export function createRequest(form: ArenaForm, engines: readonly Engine[]): NewArena {
  const players = form.players.map(({ engine, options, threads, hasBudget, budget }) => ({
    engine: {
      id: engine,
      options: changedOptions(
        engines.find(({ id }) => id === engine),
        options,
      ),
      ...(threads > 1 ? { threads } : {}),
    },
    ...(hasBudget ? { budget } : {}),
  }));
  const hasOpenings = form.openings.trim() !== '';
  const name = form.openingsName === '' ? TYPED_OPENINGS : form.openingsName;
  return {
    name: form.name.trim(),
    game: form.game,
    variant: form.variant,
    format: form.format,
    count: form.count ?? 0,
    players,
    budget: form.budget,
    games_at_once: form.gamesAtOnce ?? 0,
    ...(hasOpenings ? { openings: { name, text: form.openings } } : {}),
    ...(form.hasTest && mayTest(form) ? { sprt: { elo0: form.elo0 ?? 0, elo1: form.elo1 ?? 0 } } : {}),
  };
}

/** The field of a form that a problem is about: a name of the form, or the index of a player. */
export type FormField =
  | { field: 'name' | 'game' | 'variant' | 'format' | 'count' | 'budget' | 'openings' | 'sprt' | 'games_at_once' }
  | { field: 'player'; player: number };

const FIELDS = ['name', 'game', 'variant', 'format', 'count', 'budget', 'openings', 'sprt', 'games_at_once'] as const;

/** The field at the location of a problem, such as `players[1].engine`; null: it is about none. */
export function fieldAt(location: string | null): FormField | null {
  const player = /^players\[(\d+)\]/.exec(location ?? '')?.[1];
  if (player !== undefined) {
    return { field: 'player', player: Number(player) };
  }
  const field = FIELDS.find((name) => name === location);
  return field === undefined ? null : { field };
}
