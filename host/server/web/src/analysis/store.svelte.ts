// The analysis of one game: its moves, the variations that the viewer tries, and the position on the board. Loads unknown
// positions from the server and caches them. Never sends a move to a room.
import { api, ApiError, errorMessage } from '../api/client';
import type { Position, PositionRequest } from '../api/types';
import { i18n, serverText } from '../text/i18n.svelte';
import { addMove, createTree, lineEnd, movesTo, pathTo, withMainLine, type MoveTree } from './move-tree';

/** A game and its start position; null: the standard one. */
export interface GameSpec {
  game: string;
  variant: string;
  start: string | null;
  /** The number of moves before the game itself, such as those of another one that it continues; absent: none. */
  opening?: number;
}

const MAX_CACHED_POSITIONS = 5000;
const MAX_ATTEMPTS = 6;

export class AnalysisStore {
  readonly spec: GameSpec;
  tree = $state.raw<MoveTree>(createTree([]));
  /** The node whose position is shown. */
  cursor = $state.raw(0);
  /** The last node of the game itself. */
  gameEnd = $state.raw(0);
  /** The nodes of moves that were played in the game and undone. */
  undone = $state.raw<ReadonlySet<number>>(new Set());
  position = $state.raw<Position | null>(null);
  error = $state.raw<string | null>(null);
  readonly #requestPosition: (request: PositionRequest) => Promise<Position>;
  readonly #hidesInformation: () => boolean;
  #positions = new Map<string, Position>();
  /** Increases with every request; a response to an earlier request is ignored. */
  #request = 0;

  /**
   * `ticket` authorises requests where the browser is not logged in. `hidesInformation` says whether the viewer sees only a
   * part of the game at the moment.
   */
  constructor(
    spec: GameSpec,
    moves: string[] = [],
    ticket: string | null = null,
    hidesInformation: () => boolean = () => false,
    requestPosition: (request: PositionRequest) => Promise<Position> = (request) => api.position(request, ticket),
  ) {
    this.spec = spec;
    this.#requestPosition = requestPosition;
    this.#hidesInformation = hidesInformation;
    this.tree = createTree(moves);
    this.gameEnd = lineEnd(this.tree, 0);
    this.cursor = this.gameEnd;
  }

  /**
   * Whether only positions that were added are shown: the viewer does not know the moves that lead to others, and a position
   * of which a part is hidden has no variations.
   */
  get knownOnly(): boolean {
    return this.#hidesInformation();
  }

  /** The nodes of the game itself. */
  readonly gameNodes: ReadonlySet<number> = $derived.by(() => new Set(pathTo(this.tree, this.gameEnd)));

  /** The moves to the shown position. */
  get moves(): string[] {
    return movesTo(this.tree, this.cursor);
  }

  get path(): number[] {
    return pathTo(this.tree, this.cursor);
  }

  /** The number of moves to the shown position. */
  get depth(): number {
    return this.tree.nodes[this.cursor]?.depth ?? 0;
  }

  get isAtGameEnd(): boolean {
    return this.cursor === this.gameEnd;
  }

  /** Whether the shown position did not occur in the game itself. */
  get isInVariation(): boolean {
    const { gameMoves } = this;
    return this.moves.some((move, ply) => gameMoves[ply] !== move);
  }

  get lastMove(): string | null {
    return this.cursor === 0 ? null : (this.tree.nodes[this.cursor]?.move ?? null);
  }

  /** The moves to the end of the game itself, with those before it. */
  get gameMoves(): string[] {
    return movesTo(this.tree, this.gameEnd);
  }

  /** The number of moves before the game itself. */
  get opening(): number {
    return this.spec.opening ?? 0;
  }

  /** The node after a number of moves, with those before the game itself. */
  gameNode(moveCount: number): number {
    return pathTo(this.tree, this.gameEnd)[moveCount] ?? this.gameEnd;
  }

  /** Adds a position to the cache. */
  addPosition(moves: string[], position: Position): void {
    if (this.#positions.size > MAX_CACHED_POSITIONS) {
      this.#positions.clear();
    }
    this.#positions.set(moves.join(' '), position);
  }

  cachedPosition(moves: string[]): Position | null {
    return this.#positions.get(moves.join(' ')) ?? null;
  }

  /** Updates the game's moves. A viewer at the end of the game stays at its end. */
  updateGame(moves: string[]): void {
    const wasAtGameEnd = this.isAtGameEnd;
    const before = pathTo(this.tree, this.gameEnd);
    this.tree = withMainLine(this.tree, moves);
    let node = 0;
    for (const move of moves) {
      [this.tree, node] = addMove(this.tree, node, move);
    }
    this.gameEnd = node;
    const inGame = new Set(pathTo(this.tree, node));
    this.undone = new Set([...this.undone, ...before].filter((id) => !inGame.has(id)));
    this.goTo(wasAtGameEnd ? node : this.cursor);
  }

  /** Shows the position of a node. */
  goTo(node: number): void {
    this.cursor = node;
    const moves = movesTo(this.tree, node);
    const request = ++this.#request;
    const cached = this.cachedPosition(moves);
    if (cached !== null) {
      this.position = cached;
      this.error = null;
      return;
    }
    this.loadPosition(moves).then(
      (position) => {
        if (request === this.#request) {
          this.position = position;
          this.error = null;
        }
      },
      (error: unknown) => {
        if (request === this.#request) {
          this.error = errorMessage(error, this.spec.game);
        }
      },
    );
  }

  /** The position after some moves, from the cache or the server. */
  async loadPosition(moves: string[]): Promise<Position> {
    for (let attempt = 1; ; attempt += 1) {
      const cached = this.cachedPosition(moves);
      if (cached !== null) {
        return cached;
      }
      if (this.knownOnly) {
        throw new Error(i18n.t.analysis.notShown);
      }
      try {
        const { game, variant, start } = this.spec;
        const body = { game, variant, moves, ...(start === null ? {} : { position: start }) };
        const position = await this.#requestPosition(body);
        this.addPosition(moves, position);
        return position;
      } catch (error) {
        // The server limits the rate of requests.
        if (!(error instanceof ApiError && error.status === 429 && attempt < MAX_ATTEMPTS)) {
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
      }
    }
  }

  /**
   * Why a move is not offered in the shown position: the rules refuse it, or it ends the game at once, such as a forbidden
   * point in renju. Null: not known.
   */
  async refusalOf(move: string): Promise<string | null> {
    if (this.knownOnly) {
      return null;
    }
    try {
      const { outcome } = await this.loadPosition([...this.moves, move]);
      return outcome === null ? null : serverText(outcome.reason, outcome.message, this.spec.game);
    } catch (error) {
      return error instanceof ApiError && error.kind === 'illegal-move' ? errorMessage(error, this.spec.game) : null;
    }
  }

  /** Plays a move in a variation after the shown position. */
  tryMove(move: string): void {
    const [tree, node] = addMove(this.tree, this.cursor, move);
    this.tree = tree;
    this.goTo(node);
  }

  goToStart(): void {
    this.goTo(0);
  }

  goBack(): void {
    const parent = this.tree.nodes[this.cursor]?.parent;
    if (parent !== null && parent !== undefined) {
      this.goTo(parent);
    }
  }

  /** The node after a node in its line; null: it is the last. The line of a game ends before the moves that were undone. */
  #following(node: number): number | null {
    const children = this.tree.nodes[node]?.children ?? [];
    return (this.undone.has(node) ? children[0] : children.find((child) => !this.undone.has(child))) ?? null;
  }

  /** Whether no move follows the shown position in its line. */
  get isAtLineEnd(): boolean {
    return this.#following(this.cursor) === null;
  }

  goForward(): void {
    this.goTo(this.#following(this.cursor) ?? this.cursor);
  }

  goToLineEnd(): void {
    let end = this.cursor;
    for (let next = this.#following(end); next !== null; next = this.#following(end)) {
      end = next;
    }
    this.goTo(end);
  }

  goToGameEnd(): void {
    this.goTo(this.gameEnd);
  }
}
