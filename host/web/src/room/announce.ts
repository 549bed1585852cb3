// What is said aloud when something happens in a room, in the language of the texts given. Pure.
import type { RoomEvent } from '../api/types';
import type { Texts } from '../text/en';
import { playerOfSeat, toMove, type Room } from './reduce';

/** The sentences for an event; `say` puts a move into words. */
export function sentences(
  event: RoomEvent,
  before: Room | null,
  after: Room,
  mine: ReadonlySet<number>,
  t: Texts,
  say: (move: string) => string,
): string[] {
  const name = (player: number) => after.snap.players.find((other) => other.player === player)?.name ?? String(player);
  const yourTurn = () => {
    const next = toMove(after.snap);
    return next !== null && mine.has(next.player) && after.snap.state === 'playing' ? [`${t.room.yourMove}.`] : [];
  };
  switch (event.type) {
    case 'moved':
      return [t.room.moved(name(event.ply.player), say(event.ply.move)), ...yourTurn()];
    case 'undone': {
      const next = playerOfSeat(after.snap, event.position.to_move);
      return [t.room.taken(next?.name ?? '', event.plies)];
    }
    case 'undo-asked':
      return mine.has(event.player) ? [] : [t.room.undoAsked(name(event.player), event.plies)];
    case 'undo-declined':
      return [t.room.undoDeclined];
    case 'refused':
      return [t.room.refused(event.move, event.reason)];
    case 'faulted':
      return [event.sentence];
    case 'draw-offered':
      return mine.has(event.player) ? [] : [t.room.drawOffered(name(event.player))];
    case 'draw-declined':
      return [t.room.drawDeclined];
    case 'swapped':
      return [t.room.swapped];
    case 'paused':
      return [t.room.paused];
    case 'resumed':
      return [t.room.resumed, ...yourTurn()];
    case 'began':
      return [t.room.began, ...yourTurn()];
    case 'seated': {
      const seated = after.snap.players.find((player) => player.player === event.player);
      return [t.room.seated(event.name, t.game.sides[seated?.side_name ?? ''] ?? seated?.side_name ?? '')];
    }
    case 'ended':
      return [event.result.sentence];
    case 'rematch':
      return [t.room.rematchReady];
    case 'presence':
      return event.players.flatMap(({ player, state }) => {
        const was = before?.snap.players.find((other) => other.player === player)?.state;
        if (was === state || mine.has(player)) {
          return [];
        }
        if (state === 'absent' && was === 'present') {
          return [t.room.left(name(player))];
        }
        return state === 'present' && (was === 'absent' || was === 'gone') ? [t.room.returned(name(player))] : [];
      });
    case 'hint':
      return event.move === undefined || event.move === null ? [event.error ?? ''].filter(Boolean) : [t.room.hintIs(say(event.move))];
    default:
      return [];
  }
}
