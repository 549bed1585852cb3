// The exact values of the shown position's moves, from the server's solver. Requests one position at a time and caches the
// results. Does not decide who may see them.
import { api, errorMessage } from '../api/client';
import type { SolvedPosition } from '../api/types';
import type { GameSpec } from './store.svelte';

const MAX_CACHED = 1000;

export class SolverValues {
  /** The values of the shown position; null: unknown, or none requested. */
  solved = $state.raw<SolvedPosition | null>(null);
  error = $state.raw<string | null>(null);
  /** Whether the solver works on the shown position. */
  isSolving = $state.raw(false);
  readonly #spec: GameSpec;
  readonly #ticket: string | null;
  readonly #cache = new Map<string, SolvedPosition>();
  #pending: { key: string; controller: AbortController } | null = null;

  constructor(spec: GameSpec, ticket: string | null = null) {
    this.#spec = spec;
    this.#ticket = ticket;
  }

  /** Requests the values after some moves; null: of no position. Aborts a request for another position. */
  show(moves: string[] | null): void {
    const key = moves === null ? null : moves.join(' ');
    if (key !== null && this.#pending?.key === key) {
      return;
    }
    this.#pending?.controller.abort();
    this.#pending = null;
    this.isSolving = false;
    this.error = null;
    this.solved = key === null ? null : (this.#cache.get(key) ?? null);
    if (moves !== null && key !== null && this.solved === null) {
      void this.#request(moves, key);
    }
  }

  async #request(moves: string[], key: string): Promise<void> {
    const pending = { key, controller: new AbortController() };
    this.#pending = pending;
    this.isSolving = true;
    try {
      const { game, variant, start } = this.#spec;
      const body = { game, variant, moves, ...(start === null ? {} : { start }) };
      const solved = await api.solve(body, this.#ticket, pending.controller.signal);
      if (this.#cache.size >= MAX_CACHED) {
        this.#cache.clear();
      }
      this.#cache.set(key, solved);
      if (this.#pending === pending) {
        this.solved = solved;
      }
    } catch (error) {
      if (this.#pending === pending) {
        this.error = errorMessage(error);
      }
    } finally {
      if (this.#pending === pending) {
        this.#pending = null;
        this.isSolving = false;
      }
    }
  }
}
