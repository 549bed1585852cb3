// Client-side routing: the screen of each address. Links are ordinary links; the router handles clicks on those that stay
// on the site.

export type Route =
  | { page: 'lobby' }
  | { page: 'room'; id: string }
  | { page: 'engines' }
  | { page: 'engine'; id: string }
  | { page: 'games' }
  | { page: 'replay'; id: string }
  | { page: 'analysis' }
  | { page: 'study'; id: string }
  | { page: 'operator' }
  | { page: 'arenas' }
  | { page: 'newArena' }
  | { page: 'arena'; id: string }
  | { page: 'arenaGames'; id: string }
  | { page: 'arenaGame'; id: string; game: string }
  | { page: 'contests' }
  | { page: 'contest'; id: string }
  | { page: 'registration'; id: string }
  | { page: 'contestGame'; id: string; arena: string; game: string }
  | { page: 'contestTrial'; id: string; trial: string }
  | { page: 'notFound' };

/** The route of a path. */
export function parseRoute(path: string): Route {
  const parts = path.split('/').filter((part) => part !== '');
  const [first, second, third, fourth, fifth] = parts;
  if (parts.length === 0) {
    return { page: 'lobby' };
  }
  if (
    parts.length === 1 &&
    (first === 'engines' ||
      first === 'games' ||
      first === 'analysis' ||
      first === 'operator' ||
      first === 'arenas' ||
      first === 'contests')
  ) {
    return { page: first };
  }
  try {
    if (parts.length === 2 && second !== undefined && (first === 'room' || first === 'replay')) {
      return { page: first, id: decodeURIComponent(second) };
    }
    if (parts.length === 2 && second !== undefined && first === 'analysis') {
      return { page: 'study', id: decodeURIComponent(second) };
    }
    if (parts.length === 2 && second !== undefined && first === 'engines') {
      return { page: 'engine', id: decodeURIComponent(second) };
    }
    if (parts.length === 2 && second !== undefined && first === 'contests') {
      return { page: 'contest', id: decodeURIComponent(second) };
    }
    if (first === 'contests' && second !== undefined && third === 'register' && parts.length === 3) {
      return { page: 'registration', id: decodeURIComponent(second) };
    }
    if (first === 'contests' && second !== undefined && fourth !== undefined) {
      const id = decodeURIComponent(second);
      if (third === 'games' && fifth !== undefined && parts.length === 5) {
        return { page: 'contestGame', id, arena: decodeURIComponent(fourth), game: decodeURIComponent(fifth) };
      }
      if (third === 'trials' && parts.length === 4) {
        return { page: 'contestTrial', id, trial: decodeURIComponent(fourth) };
      }
    }
    if (first === 'arenas' && second === 'new' && parts.length === 2) {
      return { page: 'newArena' };
    }
    if (first === 'arenas' && second !== undefined && (third === undefined || third === 'games') && parts.length <= 4) {
      const id = decodeURIComponent(second);
      if (fourth !== undefined) {
        return { page: 'arenaGame', id, game: decodeURIComponent(fourth) };
      }
      return { page: third === undefined ? 'arena' : 'arenaGames', id };
    }
  } catch {
    return { page: 'notFound' };
  }
  return { page: 'notFound' };
}

/** The path in a fragment, such as that of `/#/contests/autumn`; null: none. */
export function pathOfFragment(fragment: string): string | null {
  return /^#\/(?!\/)/.test(fragment) ? fragment.slice(1) : null;
}

class Router {
  route = $state.raw<Route>(parseRoute(location.pathname));
  /** The query string of the address, with its question mark. */
  search = $state.raw(location.search);

  constructor() {
    this.followFragment();
    addEventListener('popstate', () => this.#update());
  }

  /** Opens the path that the address has in its fragment. Printed links have the path there. */
  followFragment(): void {
    const path = location.pathname === '/' ? pathOfFragment(location.hash) : null;
    if (path !== null) {
      history.replaceState(null, '', path);
      this.#update();
    }
  }

  /** Opens a path of this site. */
  navigate(path: string): void {
    history.pushState(null, '', path);
    this.#update();
    scrollTo(0, 0);
    document.getElementById('content')?.focus({ preventScroll: true });
  }

  /** Changes the query string of the current screen; focus and scroll position stay. */
  setSearch(search: string): void {
    history.pushState(null, '', location.pathname + search);
    this.#update();
  }

  /** Handles a click on a link, unless the link leaves the site or opens another window. */
  handleClick(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlainClick = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (
      link === null ||
      !isPlainClick ||
      event.defaultPrevented ||
      link.target !== '' ||
      link.hasAttribute('download')
    ) {
      return;
    }
    const url = new URL(link.href, location.href);
    if (url.origin !== location.origin || (url.pathname === location.pathname && url.hash !== '')) {
      return;
    }
    event.preventDefault();
    this.navigate(url.pathname + url.search + url.hash);
  }

  #update(): void {
    this.route = parseRoute(location.pathname);
    this.search = location.search;
  }
}

export const router = new Router();
