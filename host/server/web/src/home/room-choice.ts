// Which room the tile of a game shows. Pure.
import type { RoomSummary } from '../api/types';

/** For each game, the game in progress with the most spectators; of equals, the one with the most moves. */
export function roomsOfGames(rooms: readonly RoomSummary[]): Map<string, RoomSummary> {
  const chosen = new Map<string, RoomSummary>();
  for (const room of rooms) {
    const other = chosen.get(room.game);
    const isBetter =
      other === undefined ||
      room.spectators > other.spectators ||
      (room.spectators === other.spectators && room.plies > other.plies);
    if (room.state === 'playing' && isBetter) {
      chosen.set(room.game, room);
    }
  }
  return chosen;
}
