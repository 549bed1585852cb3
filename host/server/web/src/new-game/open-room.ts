// Opens a room, stores its tickets and goes there.
import { api } from '../api/client';
import type { NewRoom } from '../api/types';
import { router } from '../lib/router.svelte';
import { storeTickets } from '../lib/tickets';

/** Opens a room and its page. `isInvited`: whether a player joins by a link, so that this browser does not play for it. */
export async function openRoomAndEnter(request: NewRoom, isInvited: (player: number) => boolean): Promise<void> {
  const { room, tickets } = await api.openRoom(request);
  storeTickets(
    localStorage,
    room,
    tickets.map(({ player, ticket }) => ({ player, ticket, forInvite: player !== null && isInvited(player) })),
  );
  router.navigate(`/room/${encodeURIComponent(room)}`);
}
