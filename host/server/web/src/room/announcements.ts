// The sentences to announce when something happens in a room. Pure.
import type { RoomEvent } from '../api/types';
import type { Texts } from '../text/en';
import type { ServerMessage } from '../text/messages';
import { playerOfSeat, playerToMove, type RoomState } from './reducer';

/** The text of a move of which a viewer sees only that it was made. */
const UNSEEN_MOVE = '?';

export interface AnnouncementContext {
  /** The players that this browser plays for. */
  ownPlayers: ReadonlySet<number>;
  texts: Texts;
  describeMove: (move: string) => string;
  sideName: (side: string) => string;
  serverText: (text: string, message?: ServerMessage | null) => string;
}

/** The sentences for an event, given the states before and after it. */
export function announcementsFor(
  event: RoomEvent,
  before: RoomState | null,
  after: RoomState,
  { ownPlayers, texts, describeMove, sideName, serverText }: AnnouncementContext,
): string[] {
  const t = texts.room;
  const { snapshot } = after;
  const nameOf = (player: number | null) =>
    player === null ? t.chance : (snapshot.players.find((other) => other.player === player)?.name ?? String(player));
  const yourMove = () => {
    const next = playerToMove(snapshot);
    return next !== null && ownPlayers.has(next.player) && snapshot.state === 'playing' ? [`${t.yourMove}.`] : [];
  };
  switch (event.type) {
    case 'snapshot': {
      // Where each seat sees the game in its own way, a snapshot takes the place of each move and of the end.
      if (before === null || before.snapshot.room !== snapshot.room) {
        return [];
      }
      const moves = snapshot.plies.slice(before.snapshot.plies.length).filter(({ move }) => move !== UNSEEN_MOVE);
      const sentences = moves.map((ply) => t.moved(nameOf(ply.player), describeMove(ply.move)));
      if (before.snapshot.state === 'waiting' && snapshot.state !== 'waiting') {
        sentences.unshift(t.began);
      }
      if (snapshot.result !== null && before.snapshot.result === null) {
        return [...sentences, serverText(snapshot.result.sentence, snapshot.result.message)];
      }
      // Several seats may choose at the same time: then the turn comes without a move that is seen.
      const turnBefore = playerToMove(before.snapshot)?.player;
      return sentences.length > 0 || turnBefore !== playerToMove(snapshot)?.player ? [...sentences, ...yourMove()] : [];
    }
    case 'moved':
      return [t.moved(nameOf(event.ply.player), describeMove(event.ply.move)), ...yourMove()];
    case 'undone': {
      const next = playerOfSeat(snapshot, event.position.to_move);
      return [t.undone(next?.name ?? '', event.plies)];
    }
    case 'undo-requested':
      return ownPlayers.has(event.player) ? [] : [t.undoAsked(nameOf(event.player), event.plies)];
    case 'undo-declined':
      return [t.undoDeclined];
    case 'refused':
      return [t.refused(event.move, serverText(event.reason, event.message))];
    case 'faulted':
      return [serverText(event.sentence, event.message)];
    case 'draw-offered':
      return ownPlayers.has(event.player) ? [] : [t.drawOffered(nameOf(event.player))];
    case 'draw-declined':
      return [t.drawDeclined];
    case 'swapped':
      return [t.swapped];
    case 'paused':
      return [t.paused];
    case 'resumed':
      return [t.resumed, ...yourMove()];
    case 'began':
      return [t.began, ...yourMove()];
    case 'seated': {
      const player = snapshot.players.find((other) => other.player === event.player);
      return [t.seated(event.name, sideName(player?.side_name ?? ''))];
    }
    case 'ended':
      return [serverText(event.result.sentence, event.result.message)];
    case 'rematch':
      return [t.rematchReady];
    case 'presence':
      return event.players.flatMap(({ player, state }) => {
        const previous = before?.snapshot.players.find((other) => other.player === player)?.state;
        if (previous === state || ownPlayers.has(player)) {
          return [];
        }
        if (state === 'absent' && previous === 'present') {
          return [t.disconnected(nameOf(player))];
        }
        return state === 'present' && (previous === 'absent' || previous === 'gone')
          ? [t.returned(nameOf(player))]
          : [];
      });
    case 'hint':
      return event.move === undefined || event.move === null
        ? [serverText(event.error ?? '', event.message)].filter(Boolean)
        : [t.hintIs(describeMove(event.move))];
    default:
      return [];
  }
}
