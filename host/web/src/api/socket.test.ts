// The socket against a scripted wire and a clock that the test turns.
import { describe, expect, test } from 'vitest';
import { backOff, Refusal, Socket, type Link, type Message, type Surroundings, type Wire } from './socket';

class Script implements Surroundings {
  wires: (Wire & { sent: Record<string, unknown>[]; closed: boolean })[] = [];
  timers: { run: () => void; ms: number }[] = [];
  ids = 0;
  open(): Wire {
    const wire = {
      sent: [] as Record<string, unknown>[],
      closed: false,
      onopen: null,
      onmessage: null,
      onclose: null,
      send(text: string) {
        wire.sent.push(JSON.parse(text) as Record<string, unknown>);
      },
      close() {
        wire.closed = true;
      },
    };
    this.wires.push(wire);
    return wire;
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
  get wire() {
    return this.wires[this.wires.length - 1]!;
  }
  say(message: Message): void {
    this.wire.onmessage?.({ data: JSON.stringify({ v: 1, ...message }) });
  }
  ring(): void {
    const timer = this.timers.shift();
    timer?.run();
  }
}

function start() {
  const script = new Script();
  const heard: Message[] = [];
  const links: Link[] = [];
  const socket = new Socket(
    { path: '/x', ticket: 't', heard: (message) => heard.push(message), changed: (link) => links.push(link) },
    script,
  );
  return { script, heard, links, socket };
}

describe('socket', () => {
  test('says hello, hands on what it hears, and comes back with the last number', () => {
    const { script, heard, links } = start();
    script.wire.onopen?.();
    expect(script.wire.sent).toEqual([{ v: 1, type: 'hello', ticket: 't', since: null }]);
    script.say({ type: 'snapshot', seq: 4 });
    script.say({ type: 'presence' });
    script.say({ type: 'moved', seq: 5 });
    script.wire.onclose?.();
    script.ring();
    script.wire.onopen?.();
    expect(script.wire.sent).toEqual([{ v: 1, type: 'hello', ticket: 't', since: 5 }]);
    expect(heard.map((message) => message.type)).toEqual(['snapshot', 'presence', 'moved']);
    expect(links).toEqual(['connecting', 'open', 'lost', 'lost', 'open']);
  });

  test('resolves by ack and rejects by error, each by its id', async () => {
    const { script, socket, heard } = start();
    script.wire.onopen?.();
    const done = socket.send({ type: 'resign' });
    const refused = socket.send({ type: 'undo' });
    script.say({ type: 'error', id: 'id-1', kind: 'forbidden', detail: 'no undo here' });
    script.say({ type: 'ack', id: 'id-0' });
    await done;
    await expect(refused).rejects.toThrow(new Refusal('forbidden', 'no undo here'));
    expect(heard).toEqual([]);
  });

  test('sends again what was not answered, with the same id, and what was not is not sent again', async () => {
    const { script, socket } = start();
    script.wire.onopen?.();
    const first = socket.send({ type: 'pause' });
    script.say({ type: 'ack', id: 'id-0' });
    await first;
    void socket.send({ type: 'resume' });
    script.wire.onclose?.();
    void socket.send({ type: 'hint' });
    script.ring();
    script.wire.onopen?.();
    expect(script.wire.sent.map((message) => [message['id'], message['type']])).toEqual([
      [undefined, 'hello'],
      ['id-1', 'resume'],
      ['id-2', 'hint'],
    ]);
  });

  test('asks for everything after a gap', () => {
    const { script, socket } = start();
    script.wire.onopen?.();
    script.say({ type: 'snapshot', seq: 4 });
    const old = script.wire;
    socket.resync();
    expect(old.closed).toBe(true);
    script.ring();
    script.wire.onopen?.();
    expect(script.wire.sent[0]).toMatchObject({ since: null });
  });

  test('pings in silence and gives up a connection that answers nothing', () => {
    const { script, links } = start();
    script.wire.onopen?.();
    script.ring();
    expect(script.wire.sent[1]).toMatchObject({ type: 'ping' });
    script.ring();
    expect(script.wires[0]!.closed).toBe(true);
    expect(links.at(-1)).toBe('lost');
  });

  test('an answer to the ping keeps it', () => {
    const { script, links } = start();
    script.wire.onopen?.();
    script.ring();
    script.say({ type: 'pong' });
    expect(script.timers).toHaveLength(1);
    expect(links.at(-1)).toBe('open');
  });

  test('waits longer each time until somebody speaks', () => {
    const { script } = start();
    const waits: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      script.wire.onopen?.();
      script.wire.onclose?.();
      waits.push(script.timers[0]!.ms);
      script.ring();
    }
    script.wire.onopen?.();
    script.say({ type: 'snapshot', seq: 1 });
    script.wire.onclose?.();
    waits.push(script.timers[0]!.ms);
    expect(waits).toEqual([400, 800, 1600, 400]);
  });

  test('what is closed neither waits nor sends', async () => {
    const { script, socket, links } = start();
    script.wire.onopen?.();
    const open = socket.send({ type: 'pause' });
    socket.close();
    await expect(open).rejects.toThrow('closed');
    await expect(socket.send({ type: 'pause' })).rejects.toThrow('closed');
    expect(script.timers).toEqual([]);
    expect(links.at(-1)).toBe('closed');
  });

  test.each([
    [0, 0.5, 400],
    [1, 0.5, 800],
    [0, 0, 300],
    [0, 1, 500],
    [99, 0.5, 15000],
  ])('back-off %i %f', (attempt, random, expected) => {
    expect(backOff(attempt, random)).toBe(expected);
  });
});
