// What the dialog for a new game holds, and the request it becomes. Pure: asks nobody.
import type { Engine, Game, NewPlayer, NewRoom, Variant } from '../api/types';
import type { LastSeat, SeatKind } from '../lib/settings';

export interface SeatForm {
  kind: SeatKind;
  name: string;
  engine: string;
  options: Record<string, string>;
  threads: number;
  ponders: boolean;
  budget: string;
}

export interface Form {
  game: string;
  variant: string;
  size: number | null;
  setting: number | null;
  seats: [SeatForm, SeatForm];
  start: string;
  moves: string;
  undo: boolean;
  draws: boolean;
  hint: string;
}

/** The seats of each side: two of four where partners face each other. */
export function seatsOfSides(seats: number): [number[], number[]] {
  const all = Array.from({ length: seats }, (_, seat) => seat);
  return [all.filter((seat) => seat % 2 === 0), all.filter((seat) => seat % 2 === 1)];
}

/** The text of a variant on a board of some size and with a number for its setting, where those are not the usual. */
export function variantText(variant: Variant | undefined, id: string, size: number | null, setting: number | null): string {
  const sized = variant?.size == null || size === null || size === variant.size.default ? id : `${id}-${size}`;
  const own = variant?.setting ?? null;
  return own === null || setting === null || setting === own.default ? sized : `${sized}:${own.name}=${setting}`;
}

/** The parts of a variant's text: the row of the game that it is one of, and its size. */
export function variantOf(game: Game, text: string): { id: string; size: number | null; setting: number | null } {
  const [name = '', set] = text.split(/:[^=]*=/);
  const parts = (variant: Variant, size: number | undefined) => ({
    id: variant.id,
    size: size ?? variant.size?.default ?? null,
    setting: variant.setting == null ? null : set === undefined ? variant.setting.default : Number(set),
  });
  const exact = game.variants.find((variant) => variant.id === name);
  if (exact !== undefined) {
    return parts(exact, undefined);
  }
  const match = /^(.*)-(\d+)$/.exec(name);
  const sized = game.variants.find((variant) => variant.id === match?.[1] && variant.size !== null);
  if (sized !== undefined && match !== null) {
    return parts(sized, Number(match[2]));
  }
  const first = game.variants[0];
  return first === undefined ? { id: text, size: null, setting: null } : parts(first, undefined);
}

/** Moves as people paste them: by blanks, commas or lines; numbers of moves (`12.`) are left out. */
export function movesOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((word) => word !== '' && !/^\d+\.+$/.test(word));
}

export function seatForm(last: LastSeat | undefined, kind: SeatKind, name: string): SeatForm {
  return {
    kind: last?.kind ?? kind,
    name,
    engine: last?.engine ?? '',
    options: { ...last?.options },
    threads: 1,
    ponders: false,
    budget: last?.budget ?? '10m+5s',
  };
}

/** Only the options that the engine has and that are not as it comes. */
export function optionsSet(engine: Engine | undefined, options: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => {
      const option = engine?.options.find((other) => other.name === name);
      return option !== undefined && value !== '' && value !== String(option.default);
    }),
  );
}

function playerOf(seat: SeatForm, seats: number[], engines: Engine[], fallback: string): NewPlayer {
  const engine = engines.find((other) => other.id === seat.engine);
  if (seat.kind !== 'engine') {
    return { name: seat.name.trim() === '' ? fallback : seat.name.trim(), seats, budget: seat.budget, person: {}, engine: null };
  }
  return {
    name: engine?.name ?? seat.engine,
    seats,
    budget: seat.budget,
    person: null,
    engine: {
      id: seat.engine,
      options: optionsSet(engine, seat.options),
      ...(seat.threads > 1 ? { threads: seat.threads } : {}),
    },
    ...(seat.ponders ? { ponders: true } : {}),
  };
}

/** The request that a filled form becomes. */
export function newRoom(form: Form, game: Game, engines: Engine[], fallbackNames: [string, string]): NewRoom {
  const variant = game.variants.find((other) => other.id === form.variant);
  const sides = seatsOfSides(game.seats);
  const moves = movesOf(form.moves);
  const host = form.seats.findIndex((seat) => seat.kind === 'here');
  return {
    game: form.game,
    variant: variantText(variant, form.variant, form.size, form.setting),
    players: [
      playerOf(form.seats[0], sides[0], engines, fallbackNames[0]),
      playerOf(form.seats[1], sides[1], engines, fallbackNames[1]),
    ],
    settings: { undo: form.undo, draw_offers: form.draws },
    ...(host > 0 ? { host } : {}),
    ...(form.start.trim() === '' ? {} : { start: form.start.trim() }),
    ...(moves.length === 0 ? {} : { moves }),
    ...(form.hint === '' ? {} : { hint: { id: form.hint, options: {}, budget: '3s/move' } }),
  };
}
