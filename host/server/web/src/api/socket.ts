// A WebSocket connection that reconnects. It introduces itself with the last sequence number that it received, and
// sends every command with an id until the server answers it. Interprets no message but hello, ack, error and pong.

import type { ServerMessage } from '../text/messages';

/** The part of a browser's `WebSocket` that is used here. */
export interface WebSocketLike {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
}

/** Everything outside that a socket uses; tests replace it. */
export interface SocketEnvironment {
  open(path: string): WebSocketLike;
  setTimer(run: () => void, ms: number): unknown;
  clearTimer(timer: unknown): void;
  newId(): string;
  /** A number from 0 to 1. */
  random(): number;
}

export type ConnectionState = 'connecting' | 'open' | 'lost' | 'closed';

export interface Message {
  type: string;
  seq?: number;
  [key: string]: unknown;
}

export interface SocketOptions {
  path: string;
  ticket: string | null;
  /** The name of a person who chooses it when joining; absent: the server knows one. */
  name?: string;
  /** Called with every message but acks, pongs, and errors that answer a command. */
  onMessage(message: Message): void;
  onStateChange(state: ConnectionState): void;
}

/** The server refused a command, or the connection was closed before its answer. */
export class CommandError extends Error {
  constructor(
    /** The problem's kind, such as `forbidden`; `gone` after `close`. */
    readonly kind: string,
    detail: string,
    readonly serverMessage: ServerMessage | null = null,
  ) {
    super(detail);
    this.name = 'CommandError';
  }
}

interface PendingCommand {
  text: string;
  resolve(): void;
  reject(error: Error): void;
}

/** After this long without a message the socket sends a ping. */
const PING_AFTER_MS = 20_000;
/** After this long without an answer to the ping the connection counts as lost. */
const PONG_TIMEOUT_MS = 10_000;
const FIRST_DELAY_MS = 400;
const MAX_DELAY_MS = 15_000;

/** The delay before a reconnect, by its number from 0: doubles up to a limit, randomised by ±25 %. */
export function reconnectDelayMs(attempt: number, random: number): number {
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt, 16));
  return Math.round(delay * (0.75 + 0.5 * random));
}

export class ReconnectingSocket {
  readonly #options: SocketOptions;
  readonly #environment: SocketEnvironment;
  #webSocket: WebSocketLike | null = null;
  #lastSeq: number | null = null;
  #attempt = 0;
  #timer: unknown = null;
  readonly #pending = new Map<string, PendingCommand>();
  #isOpen = false;
  #isClosed = false;

  constructor(options: SocketOptions, environment: SocketEnvironment = browserEnvironment) {
    this.#options = options;
    this.#environment = environment;
    this.#connect();
  }

  /** Sends a command; resolves when the server has executed it. Unanswered commands are sent again after a reconnect. */
  send(command: { type: string }): Promise<void> {
    if (this.#isClosed) {
      return Promise.reject(new CommandError('gone', 'the connection is closed'));
    }
    const id = this.#environment.newId();
    const text = JSON.stringify({ v: 1, id, ...command });
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { text, resolve, reject });
      if (this.#isOpen) {
        this.#write(text);
      }
    });
  }

  /** Reconnects and requests a complete snapshot. For use when an event is missing. */
  resync(): void {
    this.#lastSeq = null;
    this.drop();
  }

  /** Reconnects without further delay. For use when the browser reports that the network is back. */
  reconnectNow(): void {
    if (!this.#isClosed && this.#webSocket === null) {
      this.#stopTimer();
      this.#connect();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
    this.#detach()?.close();
    for (const command of this.#pending.values()) {
      command.reject(new CommandError('gone', 'the connection is closed'));
    }
    this.#pending.clear();
    this.#options.onStateChange('closed');
  }

  #connect(): void {
    this.#options.onStateChange(this.#attempt === 0 ? 'connecting' : 'lost');
    const webSocket = this.#environment.open(this.#options.path);
    this.#webSocket = webSocket;
    webSocket.onopen = () => {
      const { ticket, name } = this.#options;
      this.#write(JSON.stringify({ v: 1, type: 'hello', ticket, name, since: this.#lastSeq }));
      for (const command of this.#pending.values()) {
        this.#write(command.text);
      }
      this.#isOpen = true;
      this.#options.onStateChange('open');
      this.#startTimer(PING_AFTER_MS, () => this.#ping());
    };
    webSocket.onmessage = (event) => this.#receive(event.data);
    webSocket.onclose = () => {
      this.#detach();
      this.#retry();
    };
  }

  #receive(data: unknown): void {
    if (typeof data !== 'string') {
      return;
    }
    let message: Message;
    try {
      message = JSON.parse(data) as Message;
    } catch {
      return;
    }
    this.#startTimer(PING_AFTER_MS, () => this.#ping());
    this.#attempt = 0;
    const command = typeof message['id'] === 'string' ? this.#pending.get(message['id']) : undefined;
    if (message.type === 'pong') {
      return;
    }
    if (message.type === 'ack' && command !== undefined) {
      this.#pending.delete(message['id'] as string);
      command.resolve();
      return;
    }
    if (message.type === 'error' && command !== undefined) {
      this.#pending.delete(message['id'] as string);
      command.reject(
        new CommandError(
          String(message['kind']),
          String(message['detail']),
          (message['message'] as ServerMessage | undefined) ?? null,
        ),
      );
      return;
    }
    if (typeof message.seq === 'number') {
      this.#lastSeq = message.seq;
    }
    this.#options.onMessage(message);
  }

  #ping(): void {
    this.#write(JSON.stringify({ v: 1, id: this.#environment.newId(), type: 'ping' }));
    this.#startTimer(PONG_TIMEOUT_MS, () => this.drop());
  }

  /** Gives the connection up as lost, and reconnects. */
  drop(): void {
    this.#detach()?.close();
    if (!this.#isClosed) {
      this.#retry();
    }
  }

  #retry(): void {
    this.#options.onStateChange('lost');
    const delayMs = reconnectDelayMs(this.#attempt, this.#environment.random());
    this.#startTimer(delayMs, () => this.#connect());
    this.#attempt += 1;
  }

  /** Stops listening to the current WebSocket and returns it. */
  #detach(): WebSocketLike | null {
    const webSocket = this.#webSocket;
    this.#webSocket = null;
    this.#isOpen = false;
    if (webSocket !== null) {
      webSocket.onopen = null;
      webSocket.onmessage = null;
      webSocket.onclose = null;
    }
    return webSocket;
  }

  #write(text: string): void {
    try {
      this.#webSocket?.send(text);
    } catch {
      // Not open yet: pending commands are sent when it is.
    }
  }

  /** Starts the one timer of the socket, in place of the previous one. */
  #startTimer(ms: number, run: () => void): void {
    this.#stopTimer();
    this.#timer = this.#environment.setTimer(run, ms);
  }

  #stopTimer(): void {
    if (this.#timer !== null) {
      this.#environment.clearTimer(this.#timer);
      this.#timer = null;
    }
  }
}

export const browserEnvironment: SocketEnvironment = {
  open(path) {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    return new WebSocket(`${scheme}//${location.host}${path}`) as unknown as WebSocketLike;
  },
  setTimer: (run, ms) => setTimeout(run, ms),
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  newId: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  random: () => Math.random(),
};
