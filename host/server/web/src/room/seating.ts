// Which players are shown above and which below the board. Pure.
import type { Player, Snapshot } from '../api/types';

/**
 * The viewer's player is below, or that of the first side for spectators and for a viewer who plays several; `flipped` swaps.
 * The others are in the order in which they follow it.
 */
export function seatPlayers(
  snapshot: Snapshot,
  ownPlayers: ReadonlySet<number>,
  flipped: boolean,
): [above: Player[], below: Player[]] {
  const own = snapshot.players.filter(({ player }) => ownPlayers.has(player));
  const near = own.length === 1 ? own : snapshot.players.filter(({ seats }) => seats.includes(0));
  const first = near[0]?.seats[0] ?? 0;
  const seats = snapshot.players.flatMap((player) => player.seats).length;
  const stepsTo = ({ seats: [seat = 0] }: Player) => (seat - first + seats) % seats;
  const far = snapshot.players.filter((player) => !near.includes(player)).sort((a, b) => stepsTo(a) - stepsTo(b));
  return flipped ? [near, far] : [far, near];
}
