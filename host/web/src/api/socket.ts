// A socket to the server that stays: says hello with what it has heard, comes back after a loss, numbers what
// it sends and resolves when that is answered. Knows nothing of what the messages mean, but for hello, ack,
// error, pong and the sequence number.

/** The part of a browser's WebSocket that is used here. */
export interface Wire {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
}

export interface Surroundings {
  open(path: string): Wire;
  setTimer(run: () => void, ms: number): unknown;
  clearTimer(timer: unknown): void;
  newId(): string;
  random(): number;
}

export type Link = 'connecting' | 'open' | 'lost' | 'closed';

export interface Message {
  type: string;
  seq?: number;
  [key: string]: unknown;
}

export interface SocketOptions {
  path: string;
  ticket: string | null;
  /** A message that is neither ack, error for one of our own, nor pong. */
  heard(message: Message): void;
  changed(link: Link): void;
}

/** What the server refused, by the id it was sent with. */
export class Refusal extends Error {
  constructor(
    readonly kind: string,
    detail: string,
  ) {
    super(detail);
    this.name = 'Refusal';
  }
}

interface Waiting {
  text: string;
  resolve(): void;
  reject(error: Error): void;
}

const PING_MS = 20_000;
const SILENCE_MS = 10_000;
const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 15_000;

/** How long to wait before trying for the nth time (from 0): doubles up to a bound, spread by a quarter. */
export function backOff(attempt: number, random: number): number {
  const whole = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt, 16));
  return Math.round(whole * (0.75 + 0.5 * random));
}

export class Socket {
  #options: SocketOptions;
  #around: Surroundings;
  #wire: Wire | null = null;
  #since: number | null = null;
  #attempt = 0;
  #timer: unknown = null;
  #waiting = new Map<string, Waiting>();
  #open = false;
  #ended = false;

  constructor(options: SocketOptions, around: Surroundings = browser) {
    this.#options = options;
    this.#around = around;
    this.#connect();
  }

  /** Sends a command; resolves when the server has done it. What is not answered is sent again after a loss. */
  send(command: { type: string }): Promise<void> {
    if (this.#ended) {
      return Promise.reject(new Refusal('gone', 'the connection is closed'));
    }
    const id = this.#around.newId();
    const text = JSON.stringify({ v: 1, id, ...command });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { text, resolve, reject });
      if (this.#open) {
        this.#write(text);
      }
    });
  }

  /** Asks for everything anew: called when an event is missing. */
  resync(): void {
    this.#since = null;
    this.#drop();
  }

  /** Tries at once where it would wait: the browser says that the network is back. */
  hurry(): void {
    if (!this.#ended && this.#wire === null) {
      this.#stopTimer();
      this.#connect();
    }
  }

  close(): void {
    this.#ended = true;
    this.#stopTimer();
    const wire = this.#forget();
    wire?.close();
    for (const waiting of this.#waiting.values()) {
      waiting.reject(new Refusal('gone', 'the connection is closed'));
    }
    this.#waiting.clear();
    this.#options.changed('closed');
  }

  #connect(): void {
    this.#options.changed(this.#attempt === 0 ? 'connecting' : 'lost');
    const wire = this.#around.open(this.#options.path);
    this.#wire = wire;
    wire.onopen = () => {
      this.#write(JSON.stringify({ v: 1, type: 'hello', ticket: this.#options.ticket, since: this.#since }));
      for (const waiting of this.#waiting.values()) {
        this.#write(waiting.text);
      }
      this.#open = true;
      this.#options.changed('open');
      this.#wait(PING_MS, () => this.#ping());
    };
    wire.onmessage = (event) => this.#take(event.data);
    wire.onclose = () => {
      this.#forget();
      this.#retry();
    };
  }

  #take(data: unknown): void {
    if (typeof data !== 'string') {
      return;
    }
    let message: Message;
    try {
      message = JSON.parse(data) as Message;
    } catch {
      return;
    }
    this.#wait(PING_MS, () => this.#ping());
    this.#attempt = 0;
    const waiting = typeof message['id'] === 'string' ? this.#waiting.get(message['id']) : undefined;
    if (message.type === 'pong') {
      return;
    }
    if (message.type === 'ack' && waiting !== undefined) {
      this.#waiting.delete(message['id'] as string);
      waiting.resolve();
      return;
    }
    if (message.type === 'error' && waiting !== undefined) {
      this.#waiting.delete(message['id'] as string);
      waiting.reject(new Refusal(String(message['kind']), String(message['detail'])));
      return;
    }
    if (typeof message.seq === 'number') {
      this.#since = message.seq;
    }
    this.#options.heard(message);
  }

  #ping(): void {
    this.#write(JSON.stringify({ v: 1, id: this.#around.newId(), type: 'ping' }));
    this.#wait(SILENCE_MS, () => this.#drop());
  }

  #drop(): void {
    const wire = this.#forget();
    wire?.close();
    if (!this.#ended) {
      this.#retry();
    }
  }

  #retry(): void {
    this.#options.changed('lost');
    this.#wait(backOff(this.#attempt, this.#around.random()), () => this.#connect());
    this.#attempt += 1;
  }

  #forget(): Wire | null {
    const wire = this.#wire;
    this.#wire = null;
    this.#open = false;
    if (wire !== null) {
      wire.onopen = null;
      wire.onmessage = null;
      wire.onclose = null;
    }
    return wire;
  }

  #write(text: string): void {
    try {
      this.#wire?.send(text);
    } catch {
      // Not open yet: what waits for an answer is sent when it is.
    }
  }

  #wait(ms: number, run: () => void): void {
    this.#stopTimer();
    this.#timer = this.#around.setTimer(run, ms);
  }

  #stopTimer(): void {
    if (this.#timer !== null) {
      this.#around.clearTimer(this.#timer);
      this.#timer = null;
    }
  }
}

/** The surroundings in a browser. */
export const browser: Surroundings = {
  open(path) {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    return new WebSocket(`${scheme}//${location.host}${path}`) as unknown as Wire;
  },
  setTimer: (run, ms) => setTimeout(run, ms),
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  newId: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  random: () => Math.random(),
};
