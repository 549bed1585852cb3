// Looking through a game: its moves, what somebody tries beside them, and the position that is looked at. Asks the
// server for positions that nobody has told yet, and keeps them. Never sends a move to a room.
import { api, ApiError, messageOf } from '../api/client';
import type { Position } from '../api/types';
import { add, endOfLine, movesTo, pathTo, treeOf, withMain, type Tree } from './tree';

export interface Game {
  game: string;
  variant: string;
  start: string | null;
}

const KEPT_MOST = 5000;
const TOO_MANY_TRIES = 6;

export class Study {
  readonly of: Game;
  tree = $state.raw<Tree>(treeOf([]));
  /** The node that is looked at. */
  cursor = $state.raw(0);
  /** The last node of the game itself. */
  live = $state.raw(0);
  position = $state.raw<Position | null>(null);
  error = $state.raw<string | null>(null);
  /** What this browser may ask with where it is not signed in. */
  readonly #ticket: string | null;
  #known = new Map<string, Position>();
  #asked = 0;

  constructor(of: Game, moves: string[] = [], ticket: string | null = null) {
    this.of = of;
    this.#ticket = ticket;
    this.tree = treeOf(moves);
    this.live = endOfLine(this.tree, 0);
    this.cursor = this.live;
  }

  get moves(): string[] {
    return movesTo(this.tree, this.cursor);
  }

  get path(): number[] {
    return pathTo(this.tree, this.cursor);
  }

  get depth(): number {
    return this.tree.nodes[this.cursor]?.depth ?? 0;
  }

  get atLive(): boolean {
    return this.cursor === this.live;
  }

  get lastMove(): string | null {
    return this.cursor === 0 ? null : (this.tree.nodes[this.cursor]?.move ?? null);
  }

  /** The moves of the game itself. */
  get gameMoves(): string[] {
    return movesTo(this.tree, this.live);
  }

  /** The node after so many moves of the game itself. */
  nodeOfGame(moves: number): number {
    return pathTo(this.tree, this.live)[moves] ?? this.live;
  }

  /** Notes a position that somebody told. */
  learn(moves: string[], position: Position): void {
    if (this.#known.size > KEPT_MOST) {
      this.#known.clear();
    }
    this.#known.set(moves.join(' '), position);
  }

  known(moves: string[]): Position | null {
    return this.#known.get(moves.join(' ')) ?? null;
  }

  /** The game went on, or back. Who looked at its end still does. */
  follow(moves: string[]): void {
    const followed = this.atLive;
    this.tree = withMain(this.tree, moves);
    let at = 0;
    for (const move of moves) {
      [this.tree, at] = add(this.tree, at, move);
    }
    this.live = at;
    if (followed) {
      this.show(at);
    } else {
      this.show(this.cursor);
    }
  }

  /** Looks at a node. */
  show(id: number): void {
    this.cursor = id;
    const moves = movesTo(this.tree, id);
    const known = this.known(moves);
    if (known !== null) {
      this.position = known;
      this.error = null;
      this.#asked += 1;
      return;
    }
    const asked = ++this.#asked;
    this.positionAfter(moves).then(
      (position) => {
        if (asked === this.#asked) {
          this.position = position;
          this.error = null;
        }
      },
      (error: unknown) => {
        if (asked === this.#asked) {
          this.error = messageOf(error);
        }
      },
    );
  }

  /** The position after some moves, asked for if nobody knows it. */
  async positionAfter(moves: string[]): Promise<Position> {
    for (let tries = 1; ; tries += 1) {
      const known = this.known(moves);
      if (known !== null) {
        return known;
      }
      try {
        const { game, variant, start } = this.of;
        const body = { game, variant, moves, ...(start === null ? {} : { position: start }) };
        const position = await api.rules(body, this.#ticket);
        this.learn(moves, position);
        return position;
      } catch (error) {
        // The server asks for patience where somebody looks at many positions at once.
        if (!(error instanceof ApiError && error.status === 429 && tries < TOO_MANY_TRIES)) {
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** tries));
      }
    }
  }

  /** Tries a move after the position that is looked at. */
  try(move: string): void {
    const [tree, id] = add(this.tree, this.cursor, move);
    this.tree = tree;
    this.show(id);
  }

  first(): void {
    this.show(0);
  }

  back(): void {
    const parent = this.tree.nodes[this.cursor]?.parent;
    if (parent !== null && parent !== undefined) {
      this.show(parent);
    }
  }

  forward(): void {
    const child = this.tree.nodes[this.cursor]?.children[0];
    if (child !== undefined) {
      this.show(child);
    }
  }

  last(): void {
    this.show(endOfLine(this.tree, this.cursor));
  }

  toLive(): void {
    this.show(this.live);
  }
}
