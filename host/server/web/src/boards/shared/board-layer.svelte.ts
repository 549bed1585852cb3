// What a page adds to the picture of any board: a move chosen in advance, arrows and circles, the way of the last move, the
// point that a finger aims at. A page puts it into the context; a board without it, such as a live board, has none of this.
import { getContext, setContext } from 'svelte';

/** The way of a piece that was moved, from cell to cell; one cell: a piece was placed there. */
export interface Motion {
  cells: readonly string[];
  /** The number of the motion: another one is another motion. */
  count: number;
}

/** An arrow that the viewer has drawn, or a circle if both cells are the same. */
export interface Drawing {
  from: string;
  to: string;
}

/** A move that an engine suggests: an arrow, or a circle if both cells are the same. */
export interface Suggestion extends Drawing {
  /** From 1: the best. */
  rank: number;
  /** Whether it is a threat of the side that is not to move. */
  isThreat: boolean;
}

/** What a click in advance can mean. */
export interface PremoveRules {
  /** The number of cells of a move: 1 or 2. */
  cellCount: number;
  /** The cells on which the other player's moves begin. */
  otherStarts: ReadonlySet<string>;
}

interface Options {
  /** Whether and how a move can be chosen in advance now; null: it cannot. */
  premoveRules: () => PremoveRules | null;
  /** The cells of the move chosen in advance. */
  premove: () => readonly string[];
  /** The moves that an engine suggests; absent: none. */
  suggestions?: () => readonly Suggestion[];
  onpremove: (cells: readonly string[]) => void;
  /** Whether a tap on a small cell only aims. */
  aims: () => boolean;
}

const KEY = Symbol('board layer');

export class BoardLayer {
  readonly #options: Options;
  /** The first cell of a move that is being chosen in advance. */
  #begun = $state.raw<string | null>(null);
  motion = $state.raw<Motion | null>(null);
  drawings = $state.raw<readonly Drawing[]>([]);
  /** The small cell that the next tap plays; null: none. */
  aimed = $state.raw<string | null>(null);
  /** Plays on a cell; the board that is shown sets it. */
  play: (cell: string) => void = () => undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  readonly rules = $derived.by(() => this.#options.premoveRules());

  readonly suggestions: readonly Suggestion[] = $derived.by(() => this.#options.suggestions?.() ?? []);

  /** The cells chosen in advance: all of a move, or the first of two. */
  readonly chosen: readonly string[] = $derived.by(() => {
    const cells = this.#options.premove();
    return cells.length > 0 || this.#begun === null || this.rules === null ? cells : [this.#begun];
  });

  /** Whether a piece on a cell can be dragged to choose a move in advance. */
  canBegin(cell: string, isOccupied: boolean | undefined): boolean {
    return this.rules?.cellCount === 2 && isOccupied === true && !this.rules.otherStarts.has(cell);
  }

  /** Whether a click on a cell has an effect while the other player thinks. */
  accepts(cell: string, isOccupied: boolean | undefined): boolean {
    const { rules } = this;
    if (rules === null || rules.cellCount === 2) {
      return rules !== null && (this.#begun !== null || this.canBegin(cell, isOccupied));
    }
    return isOccupied !== true || rules.otherStarts.has(cell);
  }

  /** Takes a click on a cell while the other player thinks. Returns whether it chooses a move, or a part of one. */
  choose(cell: string, isOccupied: boolean | undefined): boolean {
    const { rules } = this;
    if (rules === null) {
      return false;
    }
    const [begun, wasChosen] = [this.#begun, this.chosen];
    this.cancelPremove();
    if (wasChosen.length === 1 && wasChosen[0] === cell) {
      return true;
    }
    if (begun !== null) {
      this.#options.onpremove([begun, cell]);
      return true;
    }
    if (!this.accepts(cell, isOccupied)) {
      return wasChosen.length > 0;
    }
    if (rules.cellCount === 1) {
      this.#options.onpremove([cell]);
    } else {
      this.#begun = cell;
    }
    return true;
  }

  /** Takes back what was chosen in advance. Returns whether there was something. */
  cancelPremove(): boolean {
    const had = this.chosen.length > 0;
    this.#begun = null;
    if (this.#options.premove().length > 0) {
      this.#options.onpremove([]);
    }
    return had;
  }

  /** Forgets the first cell of a move in advance: the position in which it was clicked is gone. */
  dropPremoveStart(): void {
    this.#begun = null;
  }

  /** Takes a tap on a small cell. Returns whether it only aims. */
  aim(cell: string): boolean {
    const isAiming = this.#options.aims() && this.aimed !== cell;
    this.aimed = isAiming ? cell : null;
    return isAiming;
  }

  playAimed(): void {
    const cell = this.aimed;
    this.aimed = null;
    if (cell !== null) {
      this.play(cell);
    }
  }

  /** Draws an arrow or a circle, or removes an equal one. */
  draw(from: string, to: string): void {
    const others = this.drawings.filter((other) => other.from !== from || other.to !== to);
    this.drawings = others.length < this.drawings.length ? others : [...others, { from, to }];
  }

  clearDrawings(): void {
    if (this.drawings.length > 0) {
      this.drawings = [];
    }
  }

  showMotion(cells: readonly string[]): void {
    this.motion = { cells, count: (this.motion?.count ?? 0) + 1 };
  }
}

export const provideBoardLayer = (layer: BoardLayer): BoardLayer => setContext(KEY, layer);

export const boardLayer = (): BoardLayer | undefined => getContext<BoardLayer | undefined>(KEY);
