// A live room: one socket for each ticket of this browser, the room's state, and its analysis. Makes no decision about the
// game: the server judges every command.
import { api, API, ApiError, errorMessage } from '../api/client';
import { CommandError, ReconnectingSocket, type ConnectionState, type Message } from '../api/socket';
import type { Position, RoomCommand, RoomEvent, Snapshot } from '../api/types';
import { AnalysisStore } from '../analysis/store.svelte';
import { loadDescribeMove, loadPieceKeys } from '../boards';
import { cellMoves, movesOn } from '../boards/move-cells';
import type { DescribeMove, PieceKeys } from '../boards/types';
import { announcer } from '../lib/announcer.svelte';
import { closesRecord, hasViews, hidesInformation } from '../lib/seats';
import { server } from '../lib/server.svelte';
import { playCaptureSound, playCheckSound, playMoveSound, playOfferSound, playTurnSound } from '../lib/sound';
import {
  loadTickets,
  removeTicket,
  storeTickets,
  ticketOfFragment,
  type DeviceSeat,
  type StoredTicket,
} from '../lib/tickets';
import { prefs } from '../settings/prefs.svelte';
import { i18n, sideName, problemText, serverText } from '../text/i18n.svelte';
import { announcementsFor } from './announcements';
import { haveSameStart, playerOfSeat, playerToMove, reduce, type RoomState } from './reducer';

/** The connection of one ticket, or of a spectator. */
interface Connection {
  socket: ReconnectingSocket;
  ticket: string | null;
  /** The player that the ticket is for; null: a spectator, or a host who does not play. */
  player: number | null;
  isHost: boolean;
  /** Whether the server has sent the room to it. */
  isAccepted: boolean;
}

/** The kinds of errors after which a reconnect cannot succeed. */
const FINAL_ERRORS = ['not-found', 'gone', 'unauthorized', 'forbidden'];

const FORCED_PASS_DELAY_MS = 1200;

/** Whether a position threatens the king of the side to move: a fact of the rules, or a highlight of the board as data. */
const isCheck = ({ facts, board }: Position): boolean =>
  facts['in_check'] === true || board?.highlights?.some(({ kind }) => kind === 'threat') === true;

export class RoomStore {
  readonly id: string;
  room = $state.raw<RoomState | null>(null);
  analysis = $state.raw<AnalysisStore | null>(null);
  connection = $state.raw<ConnectionState>('connecting');
  /** Why the room cannot be shown. */
  loadError = $state.raw<string | null>(null);
  /** Whether the room is closed and its game is stored under the same id. */
  isArchived = $state.raw(false);
  /** Whether the room exists, but the link's ticket is not one of it. */
  isWrongLink = $state.raw(false);
  /** Why the server refused the last command. */
  commandError = $state.raw<string | null>(null);
  /** The players of the connections, in their order. */
  #players = $state.raw<(number | null)[]>([]);
  readonly #game = $derived.by(() => (this.room === null ? null : server.game(this.room.snapshot.game)));
  /** The players for whom an engine plays in this browser. */
  devices = $state.raw<ReadonlyMap<number, DeviceSeat>>(new Map());
  /**
   * The players for whom the viewer plays. Where each seat sees the game in its own way, that is the one of the first
   * connection, which provides the state.
   */
  readonly ownPlayers: ReadonlySet<number> = $derived.by(() => {
    const players = hasViews(this.#game) ? this.#players.slice(0, 1) : this.#players;
    return new Set(players.filter((player): player is number => player !== null && !this.devices.has(player)));
  });
  /** Whether the game is in progress and the viewer sees only a part of it. */
  readonly hidesInformation = $derived.by(() => hidesInformation(this.#game) && this.room?.snapshot.state !== 'over');
  /** Whether the record can be read now. */
  readonly recordIsOpen = $derived.by(() => this.room?.snapshot.state === 'over' || !closesRecord(this.#game));
  isHost = $state.raw(false);
  /** The player whose ticket is the host's; null: none. */
  #hostPlayer = $state.raw<number | null>(null);
  /** The tickets for invite links. */
  inviteTickets = $state.raw<StoredTicket[]>([]);
  isHintPending = $state.raw(false);
  /** The move that was sent and not answered yet; null: none. */
  sentMove = $state.raw<string | null>(null);
  /** The cells of the move that is played when it is the own turn; empty: none. */
  premove = $state.raw<readonly string[]>([]);
  /** The premove that was not legal when the turn came; null: none. */
  droppedPremove = $state.raw<string | null>(null);
  #describeMove = $state.raw<DescribeMove | null>(null);
  #pieceKeys: PieceKeys | null = null;
  /** The room to which a link invites a person who chooses a name; null: no name is asked for. */
  invitation = $state.raw<Snapshot | null>(null);
  /** The first connection provides the state; all of them send commands. */
  #connections: Connection[] = [];
  #isClosed = false;
  /** The ply of the last automatic pass. */
  #passedPly = -1;

  constructor(id: string, fragment: string) {
    this.id = id;
    const linkTicket = ticketOfFragment(fragment);
    const isKnown = loadTickets(localStorage, id).some(({ ticket, forInvite }) => ticket === linkTicket && !forInvite);
    if (linkTicket !== null && !isKnown) {
      storeTickets(localStorage, id, [{ ticket: linkTicket, player: null, forInvite: false }]);
    }
    const tickets = loadTickets(localStorage, id);
    this.inviteTickets = tickets.filter(({ forInvite }) => forInvite);
    // The ticket of the link is the first: a game that each seat sees in its own way is shown as its player sees it.
    const own = tickets
      .filter(({ forInvite }) => !forInvite)
      .sort((a, b) => Number(b.ticket === linkTicket) - Number(a.ticket === linkTicket));
    const [first, ...others] = own;
    if (first?.player === null && others.length === 0) {
      void this.#askForName(first.ticket);
    } else {
      for (const ticket of own.length === 0 ? [null] : own) {
        this.#connect(ticket?.ticket ?? null);
      }
    }
  }

  /** Connects with a new ticket. If its holder chooses a name, `invitation` is set, and `join` connects. */
  async #askForName(ticket: string): Promise<void> {
    try {
      const room = await api.room(this.id, ticket);
      const own = room.players.find(({ player }) => player === room.own_player);
      if (own?.state === 'open' && own.chooses_name === true) {
        this.invitation = room;
        return;
      }
    } catch {
      // The connection finds out why.
    }
    this.#connect(ticket);
  }

  /** Joins the room of the invitation under a name. */
  join(name: string): void {
    const ticket = loadTickets(localStorage, this.id).find(({ forInvite }) => !forInvite)?.ticket ?? null;
    this.invitation = null;
    this.#connect(ticket, name);
  }

  close(): void {
    this.#isClosed = true;
    for (const { socket } of this.#connections) {
      socket.close();
    }
  }

  /** Notes that the browser has no network: without this a lost connection is noticed after half a minute. */
  noteOffline(): void {
    for (const { socket } of this.#connections) {
      socket.drop();
    }
  }

  reconnectNow(): void {
    for (const { socket } of this.#connections) {
      socket.reconnectNow();
    }
  }

  /** A ticket that authorises requests about the room. */
  get ticket(): string | null {
    return this.#connections.find(({ ticket }) => ticket !== null)?.ticket ?? this.inviteTickets[0]?.ticket ?? null;
  }

  /** Describes a move played in a position. */
  describeMove(move: string, position: Position | null): string {
    try {
      return (
        this.#describeMove?.(move, position, prefs.language, prefs.appearance[this.room?.snapshot.game ?? '']) ?? move
      );
    } catch {
      return move;
    }
  }

  /**
   * Sends a command for a player; null: as the host, else for any own player. Shows an error if it is refused. Resolves to
   * whether the server accepted it.
   */
  async send(command: RoomCommand, player: number | null = null): Promise<boolean> {
    const connection =
      this.#connections.find((other) => other.player === player && player !== null) ??
      this.#connections.find((other) => other.isHost) ??
      this.#connections[0];
    this.commandError = null;
    try {
      await connection?.socket.send(command);
      return true;
    } catch (error) {
      if (!(error instanceof CommandError && error.kind === 'gone')) {
        this.commandError =
          error instanceof CommandError
            ? problemText(error.kind, error.message, error.serverMessage, this.room?.snapshot.game)
            : errorMessage(error);
        announcer.announce(this.commandError);
      }
      this.isHintPending = false;
      return false;
    }
  }

  /** The sentence of an offer of another player that the viewer can answer; null: none. */
  readonly openOffer = $derived.by(() => {
    if (this.room === null || this.ownPlayers.size === 0) {
      return null;
    }
    const { draw_offered_by: drawOfferedBy, undo_request: undoRequest, players, state } = this.room.snapshot;
    const nameOf = (offerer: number) => players.find(({ player }) => player === offerer)?.name ?? '';
    if (drawOfferedBy !== null && state === 'playing' && !this.ownPlayers.has(drawOfferedBy)) {
      return i18n.t.room.drawOffered(nameOf(drawOfferedBy));
    }
    return undoRequest != null && state !== 'over' && !this.ownPlayers.has(undoRequest.player)
      ? i18n.t.room.undoAsked(nameOf(undoRequest.player), undoRequest.plies)
      : null;
  });

  /** The persons who play against the host and are not gone. The host cannot pause their game, nor abort it after moves. */
  readonly #opponents = $derived.by(() => {
    const players = this.room?.snapshot.players ?? [];
    const host = players.find(({ player }) => player === this.#hostPlayer);
    return host === undefined
      ? []
      : players.filter(({ kind, side, state }) => kind === 'person' && side !== host.side && state !== 'gone');
  });

  /** Whether the viewer may pause the game, and replace a person by an engine. */
  readonly mayPause = $derived(this.isHost && this.#opponents.length === 0);

  /** Whether the viewer may abort the game. */
  readonly mayAbort = $derived.by(() => {
    const hasMoved = (player: number | null) => this.room?.snapshot.plies.some((ply) => ply.player === player) === true;
    return this.isHost && !(hasMoved(this.#hostPlayer) && this.#opponents.some(({ player }) => hasMoved(player)));
  });

  /** Whether the viewer may take back moves, or ask for it. */
  readonly mayUndo = $derived.by(() => {
    const snapshot = this.room?.snapshot;
    const hasBegun = snapshot?.state === 'playing' || snapshot?.state === 'paused';
    return hasBegun && this.ownPlayers.size > 0 && snapshot.permissions.undo;
  });

  /** Takes back moves, or asks for it; absent: to the viewer's last move. */
  undo(plies?: number): void {
    const next = this.room === null ? null : playerToMove(this.room.snapshot);
    const actor = next !== null && this.ownPlayers.has(next.player) ? next.player : null;
    void this.send({ type: 'undo', ...(plies === undefined ? {} : { plies }) }, actor);
  }

  /** Plays a move for the player to move. Without a connection the move waits for it. */
  async playMove(move: string): Promise<void> {
    const snapshot = this.room?.snapshot;
    const player = snapshot === undefined ? null : playerOfSeat(snapshot, snapshot.position.to_move);
    if (snapshot !== undefined && player !== null && this.sentMove === null) {
      this.sentMove = move;
      this.droppedPremove = null;
      await this.send({ type: 'move', move, ply: snapshot.plies.length }, player.player);
      this.sentMove = null;
    }
  }

  /** Whether a move can be chosen now, to be played when the turn comes. */
  readonly mayPremove = $derived.by(() => {
    const snapshot = this.room?.snapshot;
    const next = snapshot === undefined ? null : playerToMove(snapshot);
    const isOther = next !== null && !this.ownPlayers.has(next.player);
    return snapshot?.state === 'playing' && isOther && this.ownPlayers.size === 1 && !hasViews(this.#game);
  });

  setPremove(cells: readonly string[]): void {
    this.premove = cells;
    this.droppedPremove = null;
    if (cells.length > 0) {
      announcer.announce(i18n.t.room.premove(cells.join('')));
    }
  }

  /** Plays the premove if it is the own turn now, or drops it if it is not legal. */
  #playPremove(before: RoomState | null, { snapshot }: RoomState): void {
    const isSamePly =
      before?.snapshot.plies.length === snapshot.plies.length && before.snapshot.state === snapshot.state;
    if (!isSamePly) {
      this.droppedPremove = null;
    }
    const cells = this.premove;
    if (cells.length === 0 || isSamePly) {
      return;
    }
    const next = playerToMove(snapshot);
    const isOwnTurn = next !== null && this.ownPlayers.has(next.player) && snapshot.state === 'playing';
    const hasMoved = snapshot.plies.length > (before?.snapshot.plies.length ?? 0);
    if (!isOwnTurn && hasMoved && snapshot.state === 'playing') {
      // Another player still has to move.
      return;
    }
    this.premove = [];
    if (!isOwnTurn || !hasMoved) {
      return;
    }
    const [move, ...others] = movesOn(cellMoves(snapshot.game, snapshot.position), cells);
    if (move !== undefined && others.length === 0) {
      void this.playMove(move);
    } else {
      this.droppedPremove = cells.join('');
      announcer.announce(i18n.t.room.premoveDropped(this.droppedPremove));
    }
  }

  #connect(ticket: string | null, name?: string): void {
    if (this.#isClosed) {
      return;
    }
    const isFirst = this.#connections.length === 0;
    const connection: Connection = {
      ticket,
      player: null,
      isHost: false,
      isAccepted: false,
      socket: new ReconnectingSocket({
        path: `${API}/rooms/${encodeURIComponent(this.id)}/ws`,
        ticket,
        ...(name === undefined ? {} : { name }),
        onMessage: (message) => this.#handleMessage(connection, isFirst, message),
        onStateChange: (state) => {
          if (isFirst) {
            this.#setConnection(state);
          }
          if (state === 'lost' && !connection.isAccepted) {
            void this.#explainLoss(connection, isFirst);
          }
        },
      }),
    };
    this.#connections.push(connection);
  }

  /** A browser does not say why a socket could not be opened: a request over HTTP does. */
  async #explainLoss(connection: Connection, isFirst: boolean): Promise<void> {
    try {
      await api.room(this.id, connection.ticket);
    } catch (error) {
      if (error instanceof ApiError && FINAL_ERRORS.includes(error.kind) && this.#connections.includes(connection)) {
        if (error.serverMessage?.code === 'not_a_ticket' && connection.ticket !== null) {
          this.#dropTicket(connection, connection.ticket, isFirst, errorMessage(error));
        } else {
          this.#handleError(connection, isFirst, error.kind, errorMessage(error));
        }
      }
    }
  }

  /** Forgets a ticket that is not one of the room, as that of a link that was cut, and connects with the others. */
  #dropTicket(connection: Connection, ticket: string, isFirst: boolean, detail: string): void {
    connection.socket.close();
    removeTicket(localStorage, this.id, ticket);
    const others = this.#connections.filter((other) => other !== connection);
    this.#connections = others;
    if (!isFirst || this.room !== null) {
      return;
    }
    if (others.length === 0) {
      this.isWrongLink = true;
      this.loadError = detail;
      return;
    }
    this.#connections = [];
    for (const { socket, ticket } of others) {
      socket.close();
      this.#connect(ticket);
    }
  }

  #setConnection(state: ConnectionState): void {
    if (state === 'lost' && this.connection === 'open') {
      announcer.announce(i18n.t.connection.lost);
    }
    if (state === 'open' && this.connection === 'lost') {
      announcer.announce(i18n.t.connection.restored);
    }
    this.connection = state;
  }

  #handleMessage(connection: Connection, isFirst: boolean, message: Message): void {
    const event = message as unknown as RoomEvent;
    if (event.type === 'snapshot') {
      this.#identify(connection, event.own_player, event.permissions.host);
    }
    if (event.type === 'error') {
      this.#handleError(connection, isFirst, event.kind, problemText(event.kind, event.detail, event.message));
      return;
    }
    if (isFirst) {
      this.#applyEvent(connection, event);
    }
  }

  /** Notes which player a connection's ticket is for. */
  #identify(connection: Connection, player: number | null, isHost: boolean): void {
    connection.player = player;
    connection.isHost = isHost;
    connection.isAccepted = true;
    const host = this.#connections.find((other) => other.isHost);
    this.isHost = host !== undefined;
    this.#hostPlayer = host?.player ?? null;
    this.#players = this.#connections.map((other) => other.player);
    if (connection.ticket !== null) {
      storeTickets(localStorage, this.id, [{ ticket: connection.ticket, player, forInvite: false }]);
      const stored = loadTickets(localStorage, this.id).filter(({ forInvite }) => !forInvite);
      this.devices = new Map(
        stored.flatMap(({ player, device }) => (player === null || device === undefined ? [] : [[player, device]])),
      );
    }
  }

  #handleError(connection: Connection, isFirst: boolean, kind: string, detail: string): void {
    if (!FINAL_ERRORS.includes(kind)) {
      this.commandError = detail;
      return;
    }
    connection.socket.close();
    if (isFirst && this.room === null) {
      this.loadError = detail;
      this.isArchived = kind === 'gone';
    }
  }

  #applyEvent(connection: Connection, event: RoomEvent): void {
    const before = this.room;
    const { room, hasGap } = reduce(before, event, performance.now());
    if (hasGap) {
      connection.socket.resync();
      return;
    }
    if (room === null || room === before) {
      return;
    }
    this.room = room;
    this.#updateAnalysis(before, room);
    if (event.type === 'hint') {
      this.isHintPending = false;
    }
    const sentences = announcementsFor(event, before, room, {
      ownPlayers: this.ownPlayers,
      texts: i18n.t,
      describeMove: (move) => this.describeMove(move, before?.snapshot.position ?? null),
      sideName: (side) => sideName(side, room.snapshot.game),
      serverText: (text, message) => serverText(text, message, room.snapshot.game),
    });
    for (const sentence of sentences) {
      announcer.announce(sentence);
    }
    this.#playSound(event, before, room);
    this.#playPremove(before, room);
    this.#passIfForced(room);
  }

  #updateAnalysis(before: RoomState | null, { snapshot, positions }: RoomState): void {
    const opening = snapshot.opening.length;
    const moves = [...snapshot.opening, ...snapshot.plies].map(({ move }) => move);
    // Start and seed that were hidden are shown after the end, with other moves and positions than one seat has seen.
    if (this.analysis === null || before === null || !haveSameStart(before.snapshot, snapshot)) {
      const { game, variant, start } = snapshot;
      const spec = { game, variant, start, opening };
      this.analysis = new AnalysisStore(spec, [], this.ticket, () => this.hidesInformation);
      loadDescribeMove(game).then(
        (describeMove) => (this.#describeMove = describeMove),
        () => undefined,
      );
      loadPieceKeys(game).then(
        (pieceKeys) => (this.#pieceKeys = pieceKeys ?? null),
        () => undefined,
      );
    }
    for (const [ply, position] of Object.entries(positions)) {
      this.analysis.addPosition(moves.slice(0, opening + Number(ply)), position);
    }
    this.analysis.updateGame(moves);
  }

  #playSound(event: RoomEvent, before: RoomState | null, { snapshot }: RoomState): void {
    const isOffer = event.type === 'draw-offered' || event.type === 'undo-requested';
    if (isOffer && prefs.sound && this.ownPlayers.size > 0 && !this.ownPlayers.has(event.player)) {
      playOfferSound();
      return;
    }
    // Where each seat sees the game in its own way, a snapshot takes the place of each move.
    const hasMoved =
      event.type === 'moved' ||
      (event.type === 'snapshot' && before !== null && before.snapshot.plies.length < snapshot.plies.length);
    if (!prefs.sound || !(hasMoved || event.type === 'began')) {
      return;
    }
    const next = playerToMove(snapshot);
    const isMyTurn = next !== null && this.ownPlayers.has(next.player) && snapshot.state === 'playing';
    const count = (position: Position) => this.#pieceKeys?.(position).length ?? 0;
    if (hasMoved && before !== null && count(snapshot.position) < count(before.snapshot.position)) {
      playCaptureSound();
    } else if (hasMoved && !(isMyTurn && this.ownPlayers.size === 1)) {
      playMoveSound();
    }
    if (hasMoved && isCheck(snapshot.position)) {
      playCheckSound();
    } else if (isMyTurn && this.ownPlayers.size === 1) {
      playTurnSound();
    }
  }

  /** Passes for an own player whose only legal move is a pass, after announcing it. */
  #passIfForced({ snapshot }: RoomState): void {
    const next = playerToMove(snapshot);
    const isForced = snapshot.position.legal.length === 1 && snapshot.position.legal[0] === 'pass';
    if (!isForced || next === null || !this.ownPlayers.has(next.player) || snapshot.state !== 'playing') {
      return;
    }
    const ply = snapshot.plies.length;
    if (this.#passedPly !== ply) {
      this.#passedPly = ply;
      announcer.announce(i18n.t.room.mustPass(next.name));
      setTimeout(() => {
        if (this.room?.snapshot.plies.length === ply && this.room.snapshot.state === 'playing') {
          void this.send({ type: 'move', move: 'pass', ply }, next.player);
        }
      }, FORCED_PASS_DELAY_MS);
    }
  }
}
