// The form of the new-game dialog, and the request that it makes. Pure.
import type { Engine, Game, NewPlayer, NewRoom } from '../api/types';
import { changedOptions } from '../lib/engine-options';
import { formatVariant } from '../lib/variants';
import type { SavedSeat, SeatKind } from '../settings/settings';

export interface SeatForm {
  kind: SeatKind;
  name: string;
  engine: string;
  options: Record<string, string>;
  threads: number;
  ponders: boolean;
  budget: string;
}

export interface NewGameForm {
  game: string;
  /** The id of the variant, without size and setting. */
  variant: string;
  size: number | null;
  setting: number | null;
  seats: [SeatForm, SeatForm];
  /** A position text; empty: the standard start position. */
  start: string;
  moves: string;
  allowUndo: boolean;
  allowDraws: boolean;
  /** The engine that gives hints; empty: none. */
  hintEngine: string;
}

const DEFAULT_BUDGET = '10m+5s';
const HINT_BUDGET = '3s/move';

/** The seats of each side. Of four seats, partners have those opposite each other. */
export function seatsOfSides(seatCount: number): [number[], number[]] {
  const seats = Array.from({ length: seatCount }, (_, seat) => seat);
  return [seats.filter((seat) => seat % 2 === 0), seats.filter((seat) => seat % 2 === 1)];
}

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
  };
}

function createPlayer(seat: SeatForm, seats: number[], engines: Engine[], defaultName: string): NewPlayer {
  const { budget, threads } = seat;
  if (seat.kind !== 'engine') {
    const name = seat.name.trim();
    return { name: name === '' ? defaultName : name, seats, budget, person: {}, engine: null };
  }
  const engine = engines.find(({ id }) => id === seat.engine);
  return {
    name: engine?.name ?? seat.engine,
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

/** The request that a completed form makes. */
export function createRequest(
  form: NewGameForm,
  game: Game,
  engines: Engine[],
  defaultNames: [string, string],
): NewRoom {
  const variant = game.variants.find(({ id }) => id === form.variant);
  const sides = seatsOfSides(game.seats);
  const moves = splitMoves(form.moves);
  const start = form.start.trim();
  const host = form.seats.findIndex(({ kind }) => kind === 'here');
  return {
    game: form.game,
    variant: formatVariant(variant, form.variant, form.size, form.setting),
    players: [
      createPlayer(form.seats[0], sides[0], engines, defaultNames[0]),
      createPlayer(form.seats[1], sides[1], engines, defaultNames[1]),
    ],
    settings: { undo: form.allowUndo, draw_offers: form.allowDraws },
    ...(host > 0 ? { host } : {}),
    ...(start === '' ? {} : { start }),
    ...(moves.length === 0 ? {} : { moves }),
    ...(form.hintEngine === '' ? {} : { hint: { id: form.hintEngine, options: {}, budget: HINT_BUDGET } }),
  };
}
