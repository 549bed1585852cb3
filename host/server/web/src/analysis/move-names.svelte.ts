// How the moves of a game are shown: as the game and the settings name them. A move whose position is not known is shown as
// the server writes it.
import type { Position } from '../api/types';
import { games } from '../boards';
import type { MoveNames } from '../boards/types';
import { prefs } from '../settings/prefs.svelte';
import type { AnalysisStore } from './store.svelte';

/** Names moves of one game, once its notation is loaded. Create it while a component is set up. */
export class MoveNamer {
  readonly #game: () => string;
  #names = $state.raw<MoveNames | null>(null);

  constructor(game: () => string) {
    this.#game = game;
    $effect(() => {
      const id = game();
      this.#names = null;
      void games[id]?.loadMoveNames?.().then((names) => {
        if (game() === id) {
          this.#names = names;
        }
      });
    });
  }

  /** The names of moves that follow a position, one after another. */
  line(moves: readonly string[], position: Position | null): string[] {
    const appearance = prefs.appearance[this.#game()] ?? {};
    return this.#names?.nameMoves(moves, position, prefs.language, appearance) ?? [...moves];
  }

  /** The legal move that a typed text means; null: none. */
  read(text: string, legal: readonly string[], position: Position): string | null {
    return this.#names?.readMove(text, legal, position) ?? null;
  }
}

/** The position before the first move of an analysis, once it is loaded; null: not shown, or not loaded. */
export function startOf(analysis: () => AnalysisStore): { readonly position: Position | null } {
  let position = $state.raw<Position | null>(null);
  $effect(() => {
    const store = analysis();
    position = store.cachedPosition([]);
    if (position === null && !store.knownOnly) {
      store.loadPosition([]).then(
        (loaded) => store === analysis() && (position = loaded),
        () => undefined,
      );
    }
  });
  return {
    get position() {
      return position;
    },
  };
}
