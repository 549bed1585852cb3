// The engines that play for players of a room in this browser: asks the engine of the player to move, and sends what it
// answers. Judges no move: the server does.
import type { Snapshot } from '../api/types';
import { errorMessage } from '../api/client';
import { deviceEngine, type DeviceEngine } from '../program/device-engine';
import { WorkerEnded, type PlayerWorker } from '../program/player-worker';
import type { DeviceSeat } from '../lib/tickets';
import { i18n } from '../text/i18n.svelte';
import { playerToMove } from './reducer';
import type { RoomStore } from './store.svelte';

type Worker = Pick<PlayerWorker, 'analyse' | 'stop'>;
/** Loads an engine, and starts a worker with it. */
type Load = (
  engine: string,
  game: string,
) => Promise<Pick<DeviceEngine, 'strength'> & { start: () => Promise<Worker> }>;

const load: Load = async (engine, game) => {
  const files = await deviceEngine(engine, game);
  return { strength: (strength) => files.strength(strength), start: () => files.start(() => undefined) };
};

export class DevicePlayers {
  /** The player whose engine thinks; null: none does. */
  thinking = $state.raw<number | null>(null);
  /** Why an engine cannot go on; null: all can. */
  error = $state.raw<string | null>(null);
  readonly #store: Pick<RoomStore, 'send' | 'devices'>;
  readonly #load: Load;
  /** The place in the game that an engine thinks about, or has answered. */
  #place: string | null = null;
  #worker: Worker | null = null;
  /** The workers that have answered, by engine: they are loaded for the next turn. */
  readonly #idle = new Map<string, Worker>();

  constructor(store: Pick<RoomStore, 'send' | 'devices'>, loadEngine: Load = load) {
    this.#store = store;
    this.#load = loadEngine;
  }

  /** Notes the state of the room; lets an engine think if it is its turn, and ends one that is not asked any more. */
  update(snapshot: Snapshot | null): void {
    const next = snapshot === null || snapshot.state !== 'playing' ? null : playerToMove(snapshot);
    const seat = next === null ? undefined : this.#store.devices.get(next.player);
    const moves = snapshot === null ? [] : [...snapshot.opening, ...snapshot.plies].map(({ move }) => move);
    const place = next === null || seat === undefined ? null : JSON.stringify([next.player, ...moves]);
    if (snapshot !== null) {
      this.#answerOffers(snapshot);
    }
    if (place === this.#place) {
      return;
    }
    this.#interrupt();
    this.#place = place;
    if (snapshot !== null && next !== null && seat !== undefined && place !== null) {
      void this.#think({ snapshot, player: next.player, seat, moves, place });
    }
  }

  /** Lets the engine try again after an error. */
  retry(snapshot: Snapshot | null): void {
    this.#place = null;
    this.update(snapshot);
  }

  /** Ends all engines. */
  close(): void {
    this.#interrupt();
    for (const worker of this.#idle.values()) {
      worker.stop();
    }
    this.#idle.clear();
  }

  /** Ends the engine that thinks. */
  #interrupt(): void {
    this.#place = null;
    this.thinking = null;
    this.error = null;
    this.#worker?.stop();
    this.#worker = null;
  }

  async #think(turn: {
    snapshot: Snapshot;
    player: number;
    seat: DeviceSeat;
    moves: string[];
    place: string;
  }): Promise<void> {
    const { snapshot, player, seat, moves, place } = turn;
    const { game, variant, start } = snapshot;
    this.thinking = player;
    try {
      const engine = await this.#load(seat.engine, game);
      const worker = this.#idle.get(seat.engine) ?? (await engine.start());
      this.#idle.delete(seat.engine);
      if (this.#place !== place) {
        worker.stop();
        return;
      }
      this.#worker = worker;
      const move = await worker.analyse({ game, variant, start, moves, lines: 1, strength: engine.strength(seat) });
      if (this.#place === place) {
        this.#worker = null;
        this.#idle.set(seat.engine, worker);
        const ply = snapshot.plies.length;
        await this.#store.send(move === null ? { type: 'resign' } : { type: 'move', move, ply }, player);
      }
    } catch (thrown) {
      if (this.#place === place) {
        this.error = thrown instanceof WorkerEnded ? i18n.t.room.deviceLate : errorMessage(thrown);
      }
    } finally {
      if (this.#place === place) {
        this.thinking = null;
        this.#worker?.stop();
        this.#worker = null;
      }
    }
  }

  /** An engine lets moves be taken back, and plays to the end. */
  #answerOffers({ undo_request: undo, draw_offered_by: drawOfferedBy, state }: Snapshot): void {
    const answererTo = (offerer: number) => [...this.#store.devices.keys()].find((player) => player !== offerer);
    const isOther = (player: number) => !this.#store.devices.has(player);
    if (state === 'over') {
      return;
    }
    const undoAnswerer = undo != null && isOther(undo.player) ? answererTo(undo.player) : undefined;
    const drawAnswerer = drawOfferedBy !== null && isOther(drawOfferedBy) ? answererTo(drawOfferedBy) : undefined;
    if (undoAnswerer !== undefined) {
      void this.#store.send({ type: 'accept-undo' }, undoAnswerer);
    }
    if (drawAnswerer !== undefined) {
      void this.#store.send({ type: 'decline-draw' }, drawAnswerer);
    }
  }
}
