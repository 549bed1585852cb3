// Which screen is shown, by the address. Links are ordinary links; this takes them when they stay on the site.

export type Route =
  | { page: 'lobby' }
  | { page: 'room'; id: string }
  | { page: 'engines' }
  | { page: 'games' }
  | { page: 'replay'; id: string }
  | { page: 'operator' }
  | { page: 'none' };

/** The screen of a path. */
export function routeOf(path: string): Route {
  const parts = path.split('/').filter((part) => part !== '');
  const [first, second] = parts;
  if (parts.length === 0) {
    return { page: 'lobby' };
  }
  if (parts.length === 1 && (first === 'engines' || first === 'games' || first === 'operator')) {
    return { page: first };
  }
  if (parts.length === 2 && second !== undefined && (first === 'room' || first === 'replay')) {
    try {
      return { page: first, id: decodeURIComponent(second) };
    } catch {
      return { page: 'none' };
    }
  }
  return { page: 'none' };
}

class Router {
  route = $state.raw<Route>(routeOf(location.pathname));

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
  }
}

export const router = new Router();
