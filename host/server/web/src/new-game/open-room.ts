// Opens a room, stores its tickets and goes there.
import { api } from '../api/client';
import type { NewRoom } from '../api/types';
import { router } from '../lib/router.svelte';
import { storeTickets, type DeviceSeat } from '../lib/tickets';

/**
 * Opens a room and its page. `isInvited`: whether a player joins by a link, so that this browser does not play for it.
 * `deviceOf`: the engine that plays for a player in this browser; null: a person does.
 */
export async function openRoomAndEnter(
  request: NewRoom,
  isInvited: (player: number) => boolean,
  deviceOf: (player: number) => DeviceSeat | null = () => null,
): Promise<void> {
  const { room, tickets } = await api.openRoom(request);
  storeTickets(
    localStorage,
    room,
    tickets.map(({ player, ticket }) => {
      const device = player === null ? null : deviceOf(player);
      const forInvite = player !== null && isInvited(player);
      return { player, ticket, forInvite, ...(device === null ? {} : { device }) };
    }),
  );
  router.navigate(`/room/${encodeURIComponent(room)}`);
}
