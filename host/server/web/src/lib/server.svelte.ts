// The state of the server that every screen needs: its info and games, and, over one open socket, its engines, rooms and
// waiting quick games.
import { api, API, ApiError, errorMessage } from '../api/client';
import { ReconnectingSocket, type ConnectionState } from '../api/socket';
import type { Engine, Engines, Game, LobbyEvent, QuickWaiting, RoomSummary, ServerInfo } from '../api/types';
import { setGameTexts } from '../text/i18n.svelte';
import { isOpponent } from './opponents';

/** The operator's token in the fragment of a link, `#token=…`; null: none. */
export function tokenOfFragment(fragment: string): string | null {
  return /^#token=([\w.~-]+)$/.exec(fragment)?.[1] ?? null;
}

class ServerStore {
  info = $state.raw<ServerInfo | null>(null);
  games = $state.raw<Game[]>([]);
  engines = $state.raw<Engines>({ engines: [], unusable: [], needs_trust: [] });
  /** Whether the engines have been received. */
  isListed = $state.raw(false);
  rooms = $state.raw<RoomSummary[] | null>(null);
  /** The players who wait for a quick game. */
  quickGames = $state.raw<QuickWaiting[]>([]);
  connection = $state.raw<ConnectionState>('connecting');
  error = $state.raw<string | null>(null);
  loginNeeded = $state.raw(false);
  /** Whether the token of the address is being used; pages wait for it. */
  isLoggingIn = $state.raw(false);
  #lobby: ReconnectingSocket | null = null;

  /**
   * Loads the server's info and games and opens the lobby. Call again after a login. Logs in first, if the address has the
   * operator's token.
   */
  async start(): Promise<void> {
    this.error = null;
    try {
      await this.#loginByLink();
      this.info = await api.info();
      // A guest with a room ticket is not logged in, but needs the room's game.
      this.games = await api.games();
      setGameTexts(this.games);
      this.loginNeeded = this.info.login_needed;
      if (this.loginNeeded) {
        return;
      }
      this.#lobby ??= new ReconnectingSocket({
        path: `${API}/lobby/ws`,
        ticket: null,
        onMessage: (message) => this.#handleEvent(message as unknown as LobbyEvent),
        onStateChange: (state) => (this.connection = state),
      });
    } catch (error) {
      this.loginNeeded = error instanceof ApiError && error.status === 401;
      this.error = this.loginNeeded ? null : errorMessage(error);
    }
  }

  /** Logs in with the token of the address, and removes it from there. */
  async #loginByLink(): Promise<void> {
    const token = tokenOfFragment(location.hash);
    if (token === null) {
      return;
    }
    history.replaceState(history.state, '', location.pathname + location.search);
    this.isLoggingIn = true;
    try {
      await api.login(token);
    } catch (error) {
      // A link of an earlier run: the login page asks for the token.
      if (!(error instanceof ApiError) || error.status !== 401) {
        throw error;
      }
    } finally {
      this.isLoggingIn = false;
    }
  }

  reconnectNow(): void {
    this.#lobby?.reconnectNow();
  }

  game(id: string): Game | null {
    return this.games.find((game) => game.id === id) ?? null;
  }

  /** The engines that play a game in a variant. */
  enginesFor(game: string, variant: string): Engine[] {
    return this.engines.engines.filter((engine) => supportsVariant(engine, game, variant));
  }

  /** The engines that people are offered for a game in a variant, and those of `chosen`, whatever they are for. */
  opponentsFor(game: string, variant: string, chosen: readonly string[] = []): Engine[] {
    return this.enginesFor(game, variant).filter((engine) => isOpponent(engine) || chosen.includes(engine.id));
  }

  #handleEvent(event: LobbyEvent): void {
    switch (event.type) {
      case 'rooms':
        this.rooms = event.rooms;
        break;
      case 'engines':
        this.isListed = true;
        this.engines = { engines: event.engines, unusable: event.unusable, needs_trust: event.needs_trust };
        break;
      case 'quick-games':
        this.quickGames = event.requests;
        break;
      case 'error':
        this.error = event.detail;
        break;
      case 'pong':
        break;
    }
  }
}

/** Whether an engine declares that it plays a variant. A variant with a size (`freestyle-19`) counts as `freestyle`. */
export function supportsVariant(engine: Pick<Engine, 'games'>, game: string, variant: string): boolean {
  const base = variant.replace(/:.*$/, '');
  const withoutSize = base.replace(/-\d+$/, '');
  return engine.games.some(
    ({ id, variants }) =>
      id === game &&
      (variants === null || variants.length === 0 || variants.some((name) => name === base || name === withoutSize)),
  );
}

export const server = new ServerStore();
