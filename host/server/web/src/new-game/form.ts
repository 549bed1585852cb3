// The form of the new-game dialog, and the request that it makes. Pure.
import type { Engine, Game, NewPlayer, NewRoom } from '../api/types';
import { changedOptions } from '../lib/engine-options';
import { LEVEL_OPTION } from '../lib/opponents';
import { hasViews, seatsOfPlayers } from '../lib/seats';
import { formatVariant } from '../lib/variants';
import type { DeviceSeat } from '../lib/tickets';
import type { SavedSeat, SeatKind } from '../settings/settings';

export interface SeatForm {
  kind: SeatKind;
  name: string;
  engine: string;
  options: Record<string, string>;
  threads: number;
  ponders: boolean;
  budget: string;
  /** What a move of an engine in this browser may use, in units of fuel. */
  fuel: number;
}

export interface NewGameForm {
  game: string;
  /** The id of the variant, without size and setting. */
  variant: string;
  size: number | null;
  setting: number | null;
  /** One for each player. */
  seats: SeatForm[];
  /** Whether the players get their sides by chance. */
  randomSides: boolean;
  /** A position text; empty: the standard start position. */
  start: string;
  moves: string;
  allowUndo: boolean;
  allowDraws: boolean;
  /** How late a move may be, in seconds. */
  graceSeconds: number | null;
  /** How long a person may think about the first move before the clock counts, in seconds. */
  firstMoveSeconds: number | null;
  /** The engine that gives hints; empty: none. */
  hintEngine: string;
}

export const DEFAULT_BUDGET = '10m+5s';
export const DEFAULT_GRACE_SECONDS = 1;
export const DEFAULT_FIRST_MOVE_SECONDS = 30;
/** The choices for the work of a move, in units of fuel: about a second is 1e9. */
export const DEVICE_FUELS = [0.1e9, 0.5e9, 1e9, 2e9, 5e9, 10e9] as const;
const DEFAULT_FUEL = 2e9;
const HINT_BUDGET = '3s/move';

/** The moves in pasted text, separated by blanks, commas, semicolons or lines. Move numbers (`12.`) are ignored. */
export function splitMoves(text: string): string[] {
  return text.split(/[\s,;]+/).filter((word) => word !== '' && !/^\d+\.+$/.test(word));
}

/** The form of a seat, with the choices of the last game. */
export function createSeatForm(saved: SavedSeat | undefined, defaultKind: SeatKind, name: string): SeatForm {
  return {
    kind: saved?.kind ?? defaultKind,
    name,
    engine: saved?.engine ?? '',
    options: { ...saved?.options },
    threads: 1,
    ponders: false,
    budget: saved?.budget ?? DEFAULT_BUDGET,
    fuel: DEFAULT_FUEL,
  };
}

/**
 * The form of a seat after its player has changed. A person who takes the place of an engine gets the usual time: a budget of
 * an engine may be fuel, or too short for a person.
 */
export function withKind(seat: SeatForm, kind: SeatKind): SeatForm {
  const becomesPerson = seat.kind === 'engine' && kind !== 'engine';
  return { ...seat, kind, ...(becomesPerson ? { budget: DEFAULT_BUDGET } : {}) };
}

/** The name of an engine as a player. */
export type EngineNamer = (engine: Engine, level: number | null) => string;

function createPlayer(
  seat: SeatForm,
  seats: number[],
  engines: Engine[],
  defaultName: string,
  nameEngine: EngineNamer,
): NewPlayer {
  const { budget, threads } = seat;
  const engine = engines.find(({ id }) => id === seat.engine);
  const level = Number(seat.options[LEVEL_OPTION] ?? 0);
  const engineName = engine === undefined ? seat.engine : nameEngine(engine, level > 0 ? level : null);
  if (seat.kind === 'device') {
    // To the server it is a person, whose moves come from this browser.
    return { name: engineName, seats, budget, person: {}, engine: null };
  }
  if (seat.kind !== 'engine') {
    const name = seat.kind === 'link' ? '' : seat.name.trim();
    const person = seat.kind === 'link' ? { chooses_name: true } : {};
    return { name: name === '' ? defaultName : name, seats, budget, person, engine: null };
  }
  return {
    name: engineName,
    seats,
    budget,
    person: null,
    engine: {
      id: seat.engine,
      options: changedOptions(engine, seat.options),
      ...(threads > 1 ? { threads } : {}),
    },
    ...(seat.ponders ? { ponders: true } : {}),
  };
}

/** The engine that plays in this browser for a seat; null: none does. */
export function deviceSeatOf(seat: SeatForm | undefined, engines: Engine[]): DeviceSeat | null {
  if (seat?.kind !== 'device') {
    return null;
  }
  const engine = engines.find(({ id }) => id === seat.engine);
  return { engine: seat.engine, fuel: seat.fuel, options: changedOptions(engine, seat.options) };
}

/** The forms of this many players: those given, then engines with the choices of the last engine among them. */
export function fitSeats(seats: readonly SeatForm[], count: number): SeatForm[] {
  const model = seats.findLast(({ kind }) => kind === 'engine') ?? createSeatForm(undefined, 'engine', '');
  return Array.from({ length: count }, (_, player) => seats[player] ?? { ...model, options: { ...model.options } });
}

/** The forms with each player one place further: the last one becomes the first. */
export function rotateSeats(seats: readonly SeatForm[]): SeatForm[] {
  return [...seats.slice(-1), ...seats.slice(0, -1)];
}

/** Why a room cannot be opened with a form. */
export type FormProblem = 'two-here';

/** The first problem of a form; null: none. */
export function problemOf(form: Pick<NewGameForm, 'seats'>, game: Game): FormProblem | null {
  // One screen would show each of them what the other may not see.
  const here = form.seats.filter(({ kind }) => kind === 'here').length;
  return here > 1 && hasViews(game) ? 'two-here' : null;
}

/** The request that a completed form makes. `defaultNames` has a name for each player. */
export function createRequest(
  form: NewGameForm,
  game: Game,
  engines: Engine[],
  defaultNames: readonly string[],
  nameEngine: EngineNamer = ({ name }) => name,
): NewRoom {
  const variant = game.variants.find(({ id }) => id === form.variant);
  const seats = seatsOfPlayers(game, variant);
  const moves = splitMoves(form.moves);
  const start = form.start.trim();
  const host = form.seats.findIndex(({ kind }) => kind === 'here');
  return {
    game: form.game,
    variant: formatVariant(variant, form.variant, form.size, form.setting),
    players: fitSeats(form.seats, seats.length).map((seat, player) =>
      createPlayer(seat, seats[player] ?? [], engines, defaultNames[player] ?? '', nameEngine),
    ),
    ...(form.randomSides ? { random_seats: true } : {}),
    settings: {
      undo: form.allowUndo,
      draw_offers: form.allowDraws,
      grace_ms: Math.round((form.graceSeconds ?? 0) * 1000),
      first_move_ms: Math.round((form.firstMoveSeconds ?? 0) * 1000),
    },
    ...(host > 0 ? { host } : {}),
    ...(start === '' ? {} : { start }),
    ...(moves.length === 0 ? {} : { moves }),
    ...(form.hintEngine === '' ? {} : { hint: { id: form.hintEngine, options: {}, budget: HINT_BUDGET } }),
  };
}
