// One room as a screen has it: sockets for every ticket of this browser, the state they tell of, and the study over
// it. Decides nothing of the game: what it sends, the server judges.
import { API, messageOf } from '../api/client';
import { Refusal, Socket, type Link, type Message } from '../api/socket';
import type { Position, RoomCommand, RoomEvent } from '../api/types';
import { announcer } from '../lib/announce.svelte';
import { i, prefs } from '../lib/prefs.svelte';
import { chime, knock } from '../lib/sound';
import { keepTickets, ticketOfFragment, ticketsOf, type Kept } from '../lib/tickets';
import { describers } from '../boards';
import type { Describe } from '../boards/board';
import { sentences } from './announce';
import { playerOfSeat, reduce, toMove, type Room } from './reduce';
import { Study } from './study.svelte';

interface Chair {
  socket: Socket;
  ticket: string | null;
  player: number | null;
  host: boolean;
}

/** Kinds of errors after which coming back is no use. */
const FINAL = ['not-found', 'gone', 'unauthorized', 'forbidden'];

export class RoomStore {
  readonly id: string;
  room = $state.raw<Room | null>(null);
  study = $state.raw<Study | null>(null);
  link = $state.raw<Link>('connecting');
  /** Why there is no room to show. */
  fatal = $state.raw<string | null>(null);
  /** Whether there is none because it is over: its game is among those stored, by the same name. */
  forgotten = $state.raw(false);
  /** The last thing that was refused, for the one who asked. */
  refusal = $state.raw<string | null>(null);
  /** The players that act from this browser. */
  mine = $state.raw<ReadonlySet<number>>(new Set());
  host = $state.raw(false);
  links = $state.raw<Kept[]>([]);
  hintWanted = $state.raw(false);
  describe = $state.raw<Describe | null>(null);
  #chairs: Chair[] = [];
  #passed = -1;

  constructor(id: string, fragment: string) {
    this.id = id;
    const fromLink = ticketOfFragment(fragment);
    if (fromLink !== null && !ticketsOf(localStorage, id).some((kept) => kept.ticket === fromLink && !kept.forLink)) {
      keepTickets(localStorage, id, [{ ticket: fromLink, player: null, forLink: false }]);
    }
    const kept = ticketsOf(localStorage, id);
    this.links = kept.filter((ticket) => ticket.forLink);
    const own = kept.filter((ticket) => !ticket.forLink);
    for (const ticket of own.length === 0 ? [null] : own) {
      this.#sit(ticket?.ticket ?? null);
    }
  }

  close(): void {
    for (const chair of this.#chairs) {
      chair.socket.close();
    }
  }

  hurry(): void {
    for (const chair of this.#chairs) {
      chair.socket.hurry();
    }
  }

  /** A ticket of this browser's own, for calls that ask for one. */
  get ticket(): string | null {
    return this.#chairs.find((chair) => chair.ticket !== null)?.ticket ?? this.links[0]?.ticket ?? null;
  }

  /** A move in words; the position is the one before it. */
  say(move: string, position: Position | null): string {
    try {
      return this.describe?.(move, position, prefs.lang) ?? move;
    } catch {
      return move;
    }
  }

  /** Sends a command as a player (where none is named, as the host or any of this browser's); what is refused is shown. */
  async send(command: RoomCommand, player: number | null = null): Promise<void> {
    const chair =
      this.#chairs.find((other) => other.player === player && player !== null) ??
      this.#chairs.find((other) => other.host) ??
      this.#chairs[0];
    this.refusal = null;
    try {
      await chair?.socket.send(command);
    } catch (error) {
      if (!(error instanceof Refusal && error.kind === 'gone')) {
        this.refusal = messageOf(error);
        announcer.say(this.refusal);
      }
      this.hintWanted = false;
    }
  }

  /** Plays a move for whoever is to move. */
  async move(move: string): Promise<void> {
    const snap = this.room?.snap;
    const player = snap === undefined ? null : playerOfSeat(snap, snap.position.to_move);
    if (snap !== undefined && player !== null) {
      await this.send({ type: 'move', move, ply: snap.plies.length }, player.player);
    }
  }

  #sit(ticket: string | null): void {
    const first = this.#chairs.length === 0;
    const chair: Chair = {
      ticket,
      player: null,
      host: false,
      socket: new Socket({
        path: `${API}/rooms/${encodeURIComponent(this.id)}/ws`,
        ticket,
        heard: (message) => this.#hear(chair, first, message),
        changed: (link) => {
          if (first) {
            this.#linked(link);
          }
        },
      }),
    };
    this.#chairs.push(chair);
  }

  #linked(link: Link): void {
    if (link === 'lost' && this.link === 'open') {
      announcer.say(i.t.connection.lost);
    }
    if (link === 'open' && this.link === 'lost') {
      announcer.say(i.t.connection.back);
    }
    this.link = link;
  }

  #hear(chair: Chair, first: boolean, message: Message): void {
    const event = message as unknown as RoomEvent;
    if (event.type === 'snapshot') {
      this.#seatChair(chair, event.you, event.may.host ?? event.may.pause);
    }
    if (event.type === 'error') {
      this.#failed(chair, first, event.kind, event.detail);
      return;
    }
    if (first) {
      this.#apply(chair, event);
    }
  }

  #seatChair(chair: Chair, player: number | null, host: boolean): void {
    chair.player = player;
    chair.host = host;
    this.host = this.#chairs.some((other) => other.host);
    this.mine = new Set(this.#chairs.flatMap((other) => (other.player === null ? [] : [other.player])));
    if (chair.ticket !== null) {
      keepTickets(localStorage, this.id, [{ ticket: chair.ticket, player, forLink: false }]);
    }
  }

  #failed(chair: Chair, first: boolean, kind: string, detail: string): void {
    if (!FINAL.includes(kind)) {
      this.refusal = detail;
      return;
    }
    chair.socket.close();
    if (first && this.room === null) {
      this.fatal = detail;
      this.forgotten = kind === 'gone';
    }
  }

  #apply(chair: Chair, event: RoomEvent): void {
    const before = this.room;
    const { room, gap } = reduce(before, event, performance.now());
    if (gap) {
      chair.socket.resync();
      return;
    }
    if (room === null || room === before) {
      return;
    }
    this.room = room;
    this.#study(room);
    if (event.type === 'hint') {
      this.hintWanted = false;
    }
    if (event.type !== 'snapshot') {
      for (const sentence of sentences(event, before, room, this.mine, i.t, (move) => this.say(move, before?.snap.position ?? null))) {
        announcer.say(sentence);
      }
      this.#sound(event, room);
    }
    this.#forcedPass(room);
  }

  #study(room: Room): void {
    const { snap } = room;
    const moves = snap.plies.map((ply) => ply.move);
    if (this.study === null) {
      const of = { game: snap.game, variant: snap.variant, start: snap.start };
      this.study = new Study(of, [], this.ticket);
      describers[snap.game]?.().then(
        (module) => (this.describe = module.describe),
        () => undefined,
      );
    }
    for (const [ply, position] of Object.entries(room.positions)) {
      this.study.learn(moves.slice(0, Number(ply)), position);
    }
    this.study.follow(moves);
  }

  #sound(event: RoomEvent, room: Room): void {
    if (!prefs.sound || (event.type !== 'moved' && event.type !== 'began')) {
      return;
    }
    const next = toMove(room.snap);
    if (next !== null && this.mine.has(next.player) && room.snap.state === 'playing' && this.mine.size === 1) {
      chime();
    } else if (event.type === 'moved') {
      knock();
    }
  }

  /** Who can do nothing but pass, passes; it is said before. */
  #forcedPass(room: Room): void {
    const { snap } = room;
    const next = toMove(snap);
    const forced = snap.position.legal.length === 1 && snap.position.legal[0] === 'pass';
    if (!forced || next === null || !this.mine.has(next.player) || snap.state !== 'playing') {
      return;
    }
    if (this.#passed !== snap.plies.length) {
      this.#passed = snap.plies.length;
      announcer.say(i.t.room.mustPass(next.name));
      const ply = snap.plies.length;
      setTimeout(() => {
        if (this.room?.snap.plies.length === ply && this.room.snap.state === 'playing') {
          void this.send({ type: 'move', move: 'pass', ply }, next.player);
        }
      }, 1200);
    }
  }
}
