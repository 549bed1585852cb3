// The games that the first page starts with one click: against the computer, or against a friend with a link. Pure.
import type { Engine, Game, NewPlayer, NewRoom, Variant } from '../api/types';
import { LEVEL_OPTION } from '../lib/opponents';
import { seatsOfPlayers } from '../lib/seats';
import { DEFAULT_BUDGET } from '../new-game/form';

/** A level limits an engine by its work. This is only so that a slow machine answers, too. */
const LEVEL_BUDGET = '10s/move';
/** The time of an engine that is limited by time only. */
const ENGINE_BUDGET = '2s/move';

/** Names for the players of a new game. */
export interface PlayerNames {
  /** The name of the person at this browser. */
  own: string;
  /** The placeholder for a guest, until that person gives a name. */
  guest: (player: number) => string;
  engine: string;
}

/** The default settings of a game that is not a contest: chance gives the sides. */
const CASUAL = { random_seats: true, settings: { undo: true, draw_offers: true } };

/** The variant that a tile starts: the first that one of the opponents plays, else the first of the game. */
export function variantToStart(game: Game, opponentsFor: (variant: string) => readonly Engine[]): Variant | undefined {
  return game.variants.find(({ id }) => opponentsFor(id).length > 0) ?? game.variants[0];
}

/** Whether a game has at least two players. */
export const hasOpponents = (game: Game, variant: Variant | undefined): boolean =>
  seatsOfPlayers(game, variant).length > 1;

function createRoom(
  game: Game,
  variant: Variant | undefined,
  own: Pick<NewPlayer, 'name' | 'budget'>,
  other: (player: number) => Omit<NewPlayer, 'seats'>,
): NewRoom {
  const players = seatsOfPlayers(game, variant).map((seats, player) => ({
    seats,
    ...(player === 0 ? { ...own, person: {}, engine: null } : other(player)),
  }));
  return { game: game.id, variant: variant?.id ?? '', players, ...CASUAL };
}

/** A game against an engine at a level; null: at full strength. The person has no clock. */
export function againstComputer(
  game: Game,
  variant: Variant | undefined,
  engine: Engine,
  level: number | null,
  names: PlayerNames,
): NewRoom {
  const options: Record<string, string> = level === null ? {} : { [LEVEL_OPTION]: String(level) };
  return createRoom(game, variant, { name: names.own, budget: 'none' }, () => ({
    name: names.engine,
    budget: level === null ? ENGINE_BUDGET : LEVEL_BUDGET,
    person: null,
    engine: { id: engine.id, options },
  }));
}

/** A game against friends, who get a link each. */
export function againstFriends(game: Game, variant: Variant | undefined, names: PlayerNames): NewRoom {
  return createRoom(game, variant, { name: names.own, budget: DEFAULT_BUDGET }, (player) => ({
    name: names.guest(player),
    budget: DEFAULT_BUDGET,
    person: { chooses_name: true },
    engine: null,
  }));
}
