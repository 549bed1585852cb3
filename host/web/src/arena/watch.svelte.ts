// Something of the server's that is kept up to date by requests that wait until there is something new. Asks by the
// rules of `poll.ts`; knows nothing of what it keeps.
import { ApiError, messageOf } from '../api/client';
import type { Told, Version } from '../api/arena';
import { after, begin, type Happened, type Poll } from './poll';

/** Asks for another state than `since`; null: there was none while the server waited. */
export type Ask<T> = (since: Version | null, signal: AbortSignal) => Promise<Told<T> | null>;

export interface WatchOptions {
  /** How long it is left alone after an answer. */
  calm_ms: number;
  /** Begins without asking. */
  held?: boolean;
}

export class Watch<T> {
  /** The latest that was told. */
  value = $state.raw<T | null>(null);
  /** Why it may be old; null: it is not. */
  error = $state.raw<string | null>(null);
  /** Whether nothing will be told any more. */
  over = $state.raw(false);
  readonly #ask: Ask<T>;
  readonly #calm_ms: number;
  #held: boolean;
  #version: Version | null = null;
  #poll: Poll;
  /** What stops that which is under way. */
  #stop: () => void = () => undefined;
  readonly #turned = () => this.#look();
  readonly #online = () => this.#happen('hurry');

  constructor(ask: Ask<T>, { calm_ms, held = false }: WatchOptions) {
    this.#ask = ask;
    this.#calm_ms = calm_ms;
    this.#held = held;
    document.addEventListener('visibilitychange', this.#turned);
    addEventListener('online', this.#online);
    this.#poll = begin(this.#seen);
    this.#do();
  }

  /** Tells it to stand still, or to go on. */
  hold(held: boolean): void {
    this.#held = held;
    this.#look();
  }

  hurry(): void {
    this.#happen('hurry');
  }

  /** The page is left: nothing is asked any more. */
  leave(): void {
    document.removeEventListener('visibilitychange', this.#turned);
    removeEventListener('online', this.#online);
    this.#happen('left');
  }

  /** Where it stands still it still asks once: there is something to be seen. */
  get #seen(): boolean {
    return document.visibilityState !== 'hidden' && (!this.#held || this.#version === null);
  }

  #look(): void {
    this.#happen(this.#seen ? 'shown' : 'hidden');
  }

  #happen(happened: Happened): void {
    const next = after(this.#poll, happened, this.#calm_ms);
    if (next !== this.#poll) {
      this.#poll = next;
      this.#stop();
      this.#do();
    }
  }

  #do(): void {
    const poll = this.#poll;
    this.#stop = () => undefined;
    if (poll.doing === 'asking') {
      const stop = new AbortController();
      this.#stop = () => stop.abort();
      void this.#request(stop.signal);
    } else if (poll.doing === 'pausing') {
      const timer = setTimeout(() => this.#happen('due'), poll.ms);
      this.#stop = () => clearTimeout(timer);
    }
    this.over = poll.doing === 'over';
  }

  async #request(signal: AbortSignal): Promise<void> {
    let happened: Happened = 'told';
    try {
      const told = await this.#ask(this.#version, signal);
      if (signal.aborted) {
        return;
      }
      if (told !== null) {
        this.#version = told.version;
        this.value = told.value;
      }
      this.error = null;
    } catch (failed) {
      if (signal.aborted) {
        return;
      }
      this.error = messageOf(failed);
      happened = failed instanceof ApiError && REFUSALS.has(failed.status) ? 'refused' : 'failed';
    }
    this.#happen(happened);
    if (!this.#seen) {
      this.#look();
    }
  }
}

/** Not to be seen by this browser, not there, or never asked rightly. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 410, 422]);
