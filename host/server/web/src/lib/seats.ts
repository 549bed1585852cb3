// The seats of a game: which seats a player has, which side a seat belongs to, and what a seat may see. Pure.
import type { Game, Player, Variant } from '../api/types';

/** The most seats of a game. */
export const MAX_SEATS = 16;

/** The number of seats that a variant is played with. */
export function seatCount(game: Pick<Game, 'seats'>, variant?: Pick<Variant, 'seats'> | null): number {
  return variant?.seats ?? game.seats;
}

/** The side of a seat: seats belong to the sides in turn. */
export function sideOfSeat(game: Pick<Game, 'sides'>, seat: number): number {
  return seat % Math.max(1, game.sides.length);
}

/** Whether each seat sees the game in its own way while it is in progress. */
export function hasViews(game: Pick<Game, 'features'> | null): boolean {
  return game?.features?.hidden_information === true || game?.features?.simultaneous === true;
}

/**
 * The seats of each player, with as few players as possible: one player for each side, or one for each seat where a seat
 * does not know what others see or choose.
 */
export function seatsOfPlayers(
  game: Pick<Game, 'seats' | 'sides' | 'features'>,
  variant?: Pick<Variant, 'seats'> | null,
): number[][] {
  const seats = Array.from({ length: seatCount(game, variant) }, (_, seat) => seat);
  if (hasViews(game)) {
    return seats.map((seat) => [seat]);
  }
  const bySide = game.sides.map((_, side) => seats.filter((seat) => sideOfSeat(game, seat) === side));
  return bySide.filter((seatsOfSide) => seatsOfSide.length > 0);
}

/** Whether seats or spectators see only a part of positions and moves while a game is in progress. */
export function hidesInformation(game: Pick<Game, 'features'> | null): boolean {
  return game?.features?.hidden_information === true;
}

/** Whether the server shows the record only after the end of a game: it contains what is hidden, or the seed of chance. */
export function closesRecord(game: Pick<Game, 'features'> | null): boolean {
  return hidesInformation(game) || game?.features?.chance === true;
}

/** Whether seats move in turn and see everything, without chance. Only then moves can be taken back. */
export function isPlain(game: Pick<Game, 'features'> | null): boolean {
  return !hasViews(game) && !closesRecord(game);
}

/** Whether two sides play against each other: then a player can resign, and a score counts for one side and against the other. */
export function hasTwoSides(game: Pick<Game, 'sides'> | null, players: readonly Pick<Player, 'seats'>[]): boolean {
  const sides = game?.sides ?? ['', ''];
  return new Set(players.map(({ seats }) => sideOfSeat({ sides }, seats[0] ?? 0))).size === 2;
}
