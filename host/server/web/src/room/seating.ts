// Which players are shown above and which below the board. Pure.
import type { Player, Snapshot } from '../api/types';

/** The viewer's player is below, or that of the first side for spectators and for a viewer who plays both; `flipped` swaps. */
export function seatPlayers(
  snapshot: Snapshot,
  ownPlayers: ReadonlySet<number>,
  flipped: boolean,
): [above: Player[], below: Player[]] {
  const own = snapshot.players.filter(({ player }) => ownPlayers.has(player));
  const near = own.length === 1 ? own : snapshot.players.filter(({ seats }) => seats.includes(0));
  const far = snapshot.players.filter((player) => !near.includes(player));
  return flipped ? [near, far] : [far, near];
}
