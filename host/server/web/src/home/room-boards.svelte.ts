// The boards of rooms that the first page shows. A board is requested again when the list of rooms says that the room has
// moved on: one request at a time for each room, and none while the boards are frozen.
import { api } from '../api/client';
import type { RoomBoard, RoomSummary } from '../api/types';

/** What a room's board depends on. */
const stateOf = ({ state, plies }: Pick<RoomSummary, 'state' | 'plies'>) => `${state} ${plies}`;

export class RoomBoards {
  /** The boards by the ids of their rooms. */
  boards = $state.raw<ReadonlyMap<string, RoomBoard>>(new Map());
  /** The state of each room for which its board was requested. */
  readonly #requested = new Map<string, string>();
  readonly #loading = new Set<string>();
  #rooms: readonly RoomSummary[] = [];
  #isFrozen = false;

  /** The rooms whose boards are shown now. Frozen boards stay as they are; missing ones are loaded all the same. */
  follow(rooms: readonly RoomSummary[], isFrozen: boolean): void {
    this.#rooms = rooms;
    this.#isFrozen = isFrozen;
    const ids = new Set(rooms.map(({ id }) => id));
    if ([...this.boards.keys()].some((id) => !ids.has(id))) {
      this.boards = new Map([...this.boards].filter(([id]) => ids.has(id)));
    }
    for (const id of this.#requested.keys()) {
      if (!ids.has(id)) {
        this.#requested.delete(id);
      }
    }
    rooms.forEach((room) => this.#load(room));
  }

  #load(room: RoomSummary): void {
    const requested = this.#requested.get(room.id);
    const isCurrent = requested === stateOf(room) || (this.#isFrozen && requested !== undefined);
    if (isCurrent || this.#loading.has(room.id)) {
      return;
    }
    this.#requested.set(room.id, stateOf(room));
    this.#loading.add(room.id);
    api
      .roomBoard(room.id)
      .then(
        (board) => {
          if (this.#rooms.some(({ id }) => id === room.id)) {
            this.boards = new Map(this.boards).set(room.id, board);
          }
        },
        // The room may be over. The next change of the room tries again.
        () => undefined,
      )
      .finally(() => {
        this.#loading.delete(room.id);
        const now = this.#rooms.find(({ id }) => id === room.id);
        if (now !== undefined) {
          this.#load(now);
        }
      });
  }
}
