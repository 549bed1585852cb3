// Which screen is shown, by the address. Links are ordinary links; this takes them when they stay on the site.

export type Route =
  | { page: 'lobby' }
  | { page: 'room'; id: string }
  | { page: 'engines' }
  | { page: 'games' }
  | { page: 'replay'; id: string }
  | { page: 'operator' }
  | { page: 'arenas' }
  | { page: 'arena'; id: string }
  | { page: 'arenaGames'; id: string }
  | { page: 'arenaGame'; id: string; game: string }
  | { page: 'contests' }
  | { page: 'contest'; id: string }
  | { page: 'none' };

/** The screen of a path. */
export function routeOf(path: string): Route {
  const parts = path.split('/').filter((part) => part !== '');
  const [first, second, third, fourth] = parts;
  if (parts.length === 0) {
    return { page: 'lobby' };
  }
  if (parts.length === 1 && (first === 'engines' || first === 'games' || first === 'operator' || first === 'arenas' || first === 'contests')) {
    return { page: first };
  }
  try {
    if (parts.length === 2 && second !== undefined && (first === 'room' || first === 'replay')) {
      return { page: first, id: decodeURIComponent(second) };
    }
    if (parts.length === 2 && second !== undefined && first === 'contests') {
      return { page: 'contest', id: decodeURIComponent(second) };
    }
    if (first === 'arenas' && second !== undefined && (third === undefined || third === 'games') && parts.length <= 4) {
      const id = decodeURIComponent(second);
      if (fourth !== undefined) {
        return { page: 'arenaGame', id, game: decodeURIComponent(fourth) };
      }
      return { page: third === undefined ? 'arena' : 'arenaGames', id };
    }
  } catch {
    return { page: 'none' };
  }
  return { page: 'none' };
}

class Router {
  route = $state.raw<Route>(routeOf(location.pathname));
  /** What the address asks of its screen, with its question mark. */
  search = $state.raw(location.search);

  constructor() {
    addEventListener('popstate', () => this.#read());
  }

  /** Goes to a path of this site. */
  go(path: string): void {
    history.pushState(null, '', path);
    this.#read();
    scrollTo(0, 0);
    document.getElementById('content')?.focus({ preventScroll: true });
  }

  /** Has the screen that is shown show something else of its own: one stays where one is on it. */
  ask(search: string): void {
    history.pushState(null, '', location.pathname + search);
    this.#read();
  }

  /** Takes a click on a link, unless it leaves the site or is meant for another window. */
  take(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (link === null || !plain || event.defaultPrevented || link.target !== '' || link.hasAttribute('download')) {
      return;
    }
    const url = new URL(link.href, location.href);
    if (url.origin !== location.origin || (url.pathname === location.pathname && url.hash !== '')) {
      return;
    }
    event.preventDefault();
    this.go(url.pathname + url.search + url.hash);
  }

  #read(): void {
    this.route = routeOf(location.pathname);
    this.search = location.search;
  }
}

export const router = new Router();
