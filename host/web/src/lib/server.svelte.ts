// What every screen knows of the server: who it is, its games, and, over one socket that stays open, its engines,
// rooms and those who wait for a quick game.
import { api, API, ApiError, messageOf } from '../api/client';
import { Socket, type Link } from '../api/socket';
import type { Engine, Engines, Game, Info, LobbyEvent, QuickWaiting, RoomCard } from '../api/types';

class Server {
  info = $state.raw<Info | null>(null);
  games = $state.raw<Game[]>([]);
  engines = $state.raw<Engines>({ engines: [], unusable: [], needs_trust: [] });
  rooms = $state.raw<RoomCard[] | null>(null);
  quick = $state.raw<QuickWaiting[]>([]);
  link = $state.raw<Link>('connecting');
  error = $state.raw<string | null>(null);
  loginNeeded = $state.raw(false);
  #lobby: Socket | null = null;

  /** Asks who the server is and opens the lobby; again after signing in. */
  async start(): Promise<void> {
    this.error = null;
    try {
      this.info = await api.info();
      // Who has a ticket alone sees its room, and needs its game for that.
      this.games = await api.games();
      this.loginNeeded = this.info.login_needed;
      if (this.loginNeeded) {
        return;
      }
      this.#lobby ??= new Socket({
        path: `${API}/lobby/ws`,
        ticket: null,
        heard: (message) => this.#hear(message as unknown as LobbyEvent),
        changed: (link) => (this.link = link),
      });
    } catch (error) {
      this.loginNeeded = error instanceof ApiError && error.status === 401;
      this.error = this.loginNeeded ? null : messageOf(error);
    }
  }

  hurry(): void {
    this.#lobby?.hurry();
  }

  game(id: string): Game | null {
    return this.games.find((game) => game.id === id) ?? null;
  }

  /** The engines that play a game by these rules. */
  enginesFor(game: string, variant: string): Engine[] {
    return this.engines.engines.filter((engine) => plays(engine, game, variant));
  }

  #hear(event: LobbyEvent): void {
    switch (event.type) {
      case 'rooms':
        this.rooms = event.rooms;
        break;
      case 'engines':
        this.engines = { engines: event.engines, unusable: event.unusable, needs_trust: event.needs_trust };
        break;
      case 'quick':
        this.quick = event.waiting;
        break;
      case 'error':
        this.error = event.detail;
        break;
      case 'pong':
        break;
    }
  }
}

/** Whether an engine says that it plays a variant; one with a size (`freestyle-19`) is one of `freestyle`. */
export function plays(engine: Pick<Engine, 'games'>, game: string, variant: string): boolean {
  const base = variant.replace(/:.*$/, '');
  const plain = base.replace(/-\d+$/, '');
  return engine.games.some(
    (row) =>
      row.id === game &&
      (row.variants === null || row.variants.length === 0 || row.variants.some((name) => name === base || name === plain)),
  );
}

export const server = new Server();
