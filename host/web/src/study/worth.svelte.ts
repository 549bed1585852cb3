// What each move of the position that is looked at comes to by perfect play: asked of the server's solver, one
// position at a time, and kept. Knows no game, and nothing of who may know it.
import { api, messageOf } from '../api/client';
import type { Solved } from '../api/types';
import type { Game } from '../room/study.svelte';

const KEPT_MOST = 1000;

export class Worth {
  /** Of the position that is looked at; null: not known, or nobody wants to. */
  solved = $state.raw<Solved | null>(null);
  /** Why it cannot be known. */
  error = $state.raw<string | null>(null);
  readonly #of: Game;
  readonly #ticket: string | null;
  readonly #kept = new Map<string, Solved>();
  #asked: { key: string; stop: AbortController } | null = null;

  constructor(of: Game, ticket: string | null = null) {
    this.#of = of;
    this.#ticket = ticket;
  }

  /** Turns to the position after some moves; null: away from all. Whatever else is being solved is given up. */
  look(moves: string[] | null): void {
    const key = moves === null ? null : moves.join(' ');
    if (key !== null && this.#asked?.key === key) {
      return;
    }
    this.#asked?.stop.abort();
    this.#asked = null;
    this.error = null;
    this.solved = key === null ? null : (this.#kept.get(key) ?? null);
    if (moves !== null && key !== null && this.solved === null) {
      void this.#ask(moves, key);
    }
  }

  async #ask(moves: string[], key: string): Promise<void> {
    const asked = { key, stop: new AbortController() };
    this.#asked = asked;
    try {
      const { game, variant, start } = this.#of;
      const body = { game, variant, moves, ...(start === null ? {} : { start }) };
      const solved = await api.solve(body, this.#ticket, asked.stop.signal);
      if (this.#kept.size >= KEPT_MOST) {
        this.#kept.clear();
      }
      this.#kept.set(key, solved);
      if (this.#asked === asked) {
        this.solved = solved;
      }
    } catch (failed) {
      if (this.#asked === asked) {
        this.error = messageOf(failed);
      }
    } finally {
      if (this.#asked === asked) {
        this.#asked = null;
      }
    }
  }
}
