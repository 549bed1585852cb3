// The socket over scripted connections and a manual clock.
import { describe, expect, test } from 'vitest';
import {
  CommandError,
  reconnectDelayMs,
  ReconnectingSocket,
  type ConnectionState,
  type Message,
  type SocketEnvironment,
  type WebSocketLike,
} from './socket';

class ScriptedEnvironment implements SocketEnvironment {
  webSockets: (WebSocketLike & { sent: Record<string, unknown>[]; closed: boolean })[] = [];
  timers: { run: () => void; ms: number }[] = [];
  ids = 0;
  open(): WebSocketLike {
    const webSocket = {
      sent: [] as Record<string, unknown>[],
      closed: false,
      onopen: null,
      onmessage: null,
      onclose: null,
      send(text: string) {
        webSocket.sent.push(JSON.parse(text) as Record<string, unknown>);
      },
      close() {
        webSocket.closed = true;
      },
    };
    this.webSockets.push(webSocket);
    return webSocket;
  }
  setTimer(run: () => void, ms: number): unknown {
    const timer = { run, ms };
    this.timers.push(timer);
    return timer;
  }
  clearTimer(timer: unknown): void {
    this.timers = this.timers.filter((other) => other !== timer);
  }
  newId(): string {
    return `id-${this.ids++}`;
  }
  random(): number {
    return 0.5;
  }
  /** The latest connection. */
  get current() {
    return this.webSockets[this.webSockets.length - 1]!;
  }
  /** Delivers a message of the server. */
  deliver(message: Message): void {
    this.current.onmessage?.({ data: JSON.stringify({ v: 1, ...message }) });
  }
  /** Runs the next timer. */
  runTimer(): void {
    const timer = this.timers.shift();
    timer?.run();
  }
}

function start() {
  const environment = new ScriptedEnvironment();
  const messages: Message[] = [];
  const states: ConnectionState[] = [];
  const socket = new ReconnectingSocket(
    {
      path: '/x',
      ticket: 't',
      onMessage: (message) => messages.push(message),
      onStateChange: (state) => states.push(state),
    },
    environment,
  );
  return { environment, messages, states, socket };
}

describe('socket', () => {
  test('says hello, passes messages on, and reconnects with the last sequence number', () => {
    const { environment, messages, states } = start();
    environment.current.onopen?.();
    expect(environment.current.sent).toEqual([{ v: 1, type: 'hello', ticket: 't', since: null }]);
    environment.deliver({ type: 'snapshot', seq: 4 });
    environment.deliver({ type: 'presence' });
    environment.deliver({ type: 'moved', seq: 5 });
    environment.current.onclose?.();
    environment.runTimer();
    environment.current.onopen?.();
    expect(environment.current.sent).toEqual([{ v: 1, type: 'hello', ticket: 't', since: 5 }]);
    expect(messages.map((message) => message.type)).toEqual(['snapshot', 'presence', 'moved']);
    expect(states).toEqual(['connecting', 'open', 'lost', 'lost', 'open']);
  });

  test('an ack resolves and an error rejects the command with its id', async () => {
    const { environment, socket, messages } = start();
    environment.current.onopen?.();
    const done = socket.send({ type: 'resign' });
    const refused = socket.send({ type: 'undo' });
    environment.deliver({ type: 'error', id: 'id-1', kind: 'forbidden', detail: 'no undo here' });
    environment.deliver({ type: 'ack', id: 'id-0' });
    await done;
    await expect(refused).rejects.toThrow(new CommandError('forbidden', 'no undo here'));
    expect(messages).toEqual([]);
  });

  test('after a reconnect only unanswered commands are sent again, with the same id', async () => {
    const { environment, socket } = start();
    environment.current.onopen?.();
    const first = socket.send({ type: 'pause' });
    environment.deliver({ type: 'ack', id: 'id-0' });
    await first;
    void socket.send({ type: 'resume' });
    environment.current.onclose?.();
    void socket.send({ type: 'hint' });
    environment.runTimer();
    environment.current.onopen?.();
    expect(environment.current.sent.map((message) => [message['id'], message['type']])).toEqual([
      [undefined, 'hello'],
      ['id-1', 'resume'],
      ['id-2', 'hint'],
    ]);
  });

  test('resync requests a complete snapshot', () => {
    const { environment, socket } = start();
    environment.current.onopen?.();
    environment.deliver({ type: 'snapshot', seq: 4 });
    const first = environment.current;
    socket.resync();
    expect(first.closed).toBe(true);
    environment.runTimer();
    environment.current.onopen?.();
    expect(environment.current.sent[0]).toMatchObject({ since: null });
  });

  test('pings after silence and drops a connection without an answer', () => {
    const { environment, states } = start();
    environment.current.onopen?.();
    environment.runTimer();
    expect(environment.current.sent[1]).toMatchObject({ type: 'ping' });
    environment.runTimer();
    expect(environment.webSockets[0]!.closed).toBe(true);
    expect(states.at(-1)).toBe('lost');
  });

  test('an answered ping keeps the connection', () => {
    const { environment, states } = start();
    environment.current.onopen?.();
    environment.runTimer();
    environment.deliver({ type: 'pong' });
    expect(environment.timers).toHaveLength(1);
    expect(states.at(-1)).toBe('open');
  });

  test('delays grow with each attempt until a message arrives', () => {
    const { environment } = start();
    const delays: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      environment.current.onopen?.();
      environment.current.onclose?.();
      delays.push(environment.timers[0]!.ms);
      environment.runTimer();
    }
    environment.current.onopen?.();
    environment.deliver({ type: 'snapshot', seq: 1 });
    environment.current.onclose?.();
    delays.push(environment.timers[0]!.ms);
    expect(delays).toEqual([400, 800, 1600, 400]);
  });

  test('a closed socket has no timer and sends nothing', async () => {
    const { environment, socket, states } = start();
    environment.current.onopen?.();
    const pending = socket.send({ type: 'pause' });
    socket.close();
    await expect(pending).rejects.toThrow('closed');
    await expect(socket.send({ type: 'pause' })).rejects.toThrow('closed');
    expect(environment.timers).toEqual([]);
    expect(states.at(-1)).toBe('closed');
  });

  test.each([
    [0, 0.5, 400],
    [1, 0.5, 800],
    [0, 0, 300],
    [0, 1, 500],
    [99, 0.5, 15000],
  ])('delay of attempt %i with random %f', (attempt, random, expected) => {
    expect(reconnectDelayMs(attempt, random)).toBe(expected);
  });
});
