// Keeps a value of the server up to date by requests that wait for a new state. Follows the schedule of `polling.ts`.
import type { Version, Versioned } from '../api/arena';
import { ApiError, errorMessage } from '../api/client';
import { initialState, nextState, type PollEvent, type PollState } from './polling';

/** Requests a state other than `since`; null: there was none while the server waited. */
export type StateRequest<T> = (since: Version | null, signal: AbortSignal) => Promise<Versioned<T> | null>;

export interface LongPollOptions {
  /** The pause between a response and the next request, in milliseconds. */
  intervalMs: number;
  /** Whether to stop after the first value, until `setPaused(false)`. */
  isPaused?: boolean;
}

/** The statuses of permanent errors. */
const PERMANENT_ERRORS: ReadonlySet<number> = new Set([400, 401, 403, 404, 410, 422]);

export class LongPoll<T> {
  /** The latest value. */
  value = $state.raw<T | null>(null);
  /** Why the value may be out of date; null: it is current. */
  error = $state.raw<string | null>(null);
  /** Whether polling has stopped for good. */
  isStopped = $state.raw(false);
  readonly #requestState: StateRequest<T>;
  readonly #intervalMs: number;
  #isPaused: boolean;
  #version: Version | null = null;
  #state: PollState;
  /** Cancels the current request or pause. */
  #cancel: () => void = () => undefined;
  readonly #onVisibilityChange = () => this.#updateVisibility();
  readonly #onOnline = () => this.#handle('retry');

  constructor(requestState: StateRequest<T>, { intervalMs, isPaused = false }: LongPollOptions) {
    this.#requestState = requestState;
    this.#intervalMs = intervalMs;
    this.#isPaused = isPaused;
    document.addEventListener('visibilitychange', this.#onVisibilityChange);
    addEventListener('online', this.#onOnline);
    this.#state = initialState(this.#isActive);
    this.#execute();
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#updateVisibility();
  }

  /** Stops polling for good. */
  stop(): void {
    document.removeEventListener('visibilitychange', this.#onVisibilityChange);
    removeEventListener('online', this.#onOnline);
    this.#handle('left');
  }

  /** A paused poll still loads its first value. */
  get #isActive(): boolean {
    return document.visibilityState !== 'hidden' && (!this.#isPaused || this.#version === null);
  }

  #updateVisibility(): void {
    this.#handle(this.#isActive ? 'shown' : 'hidden');
  }

  #handle(event: PollEvent): void {
    const next = nextState(this.#state, event, this.#intervalMs);
    if (next !== this.#state) {
      this.#state = next;
      this.#cancel();
      this.#execute();
    }
  }

  /** Starts what the current state says. */
  #execute(): void {
    const state = this.#state;
    this.#cancel = () => undefined;
    if (state.activity === 'requesting') {
      const controller = new AbortController();
      this.#cancel = () => controller.abort();
      void this.#request(controller.signal);
    } else if (state.activity === 'pausing') {
      const timer = setTimeout(() => this.#handle('pause-ended'), state.ms);
      this.#cancel = () => clearTimeout(timer);
    }
    this.isStopped = state.activity === 'stopped';
  }

  async #request(signal: AbortSignal): Promise<void> {
    let event: PollEvent = 'response';
    try {
      const response = await this.#requestState(this.#version, signal);
      if (signal.aborted) {
        return;
      }
      if (response !== null) {
        this.#version = response.version;
        this.value = response.value;
      }
      this.error = null;
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      this.error = errorMessage(error);
      event = error instanceof ApiError && PERMANENT_ERRORS.has(error.status) ? 'refusal' : 'failure';
    }
    this.#handle(event);
    if (!this.#isActive) {
      this.#updateVisibility();
    }
  }
}
