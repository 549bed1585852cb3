// The analysis of a study: every move is tried in it, and its tree can be changed.
import { AnalysisStore } from './store.svelte';
import { addMove, annotate, lineEnd, promote, removeNode, variationStart, type Mark, type MoveTree } from './move-tree';
import { studyOf, treeOf, type Study, type StudyHead } from './study';
import type { Position, PositionRequest } from '../api/types';

export class StudyStore extends AnalysisStore {
  readonly head: Omit<StudyHead, 'title'>;
  title = $state('');

  constructor(study: Study, requestPosition?: (request: PositionRequest) => Promise<Position>) {
    const { game, variant, start, title, names } = study;
    super({ game, variant, start }, [], null, undefined, requestPosition);
    this.head = { game, variant, start, names };
    this.title = title;
    this.#change(treeOf(study));
  }

  get study(): Study {
    return studyOf({ ...this.head, title: this.title }, this.tree);
  }

  /** Replaces the tree. Its main line is the game, to which the navigation refers. */
  #change(tree: MoveTree): void {
    this.tree = tree;
    this.gameEnd = lineEnd(tree, 0);
  }

  override tryMove(move: string): void {
    super.tryMove(move);
    this.#change(this.tree);
  }

  /** Plays several moves after the shown position, and shows the position after them. */
  tryLine(moves: readonly string[]): void {
    let { tree, cursor } = this;
    for (const move of moves) {
      [tree, cursor] = addMove(tree, cursor, move);
    }
    this.#change(tree);
    this.goTo(cursor);
  }

  get comment(): string {
    return this.tree.nodes[this.cursor]?.comment ?? '';
  }

  set comment(comment: string) {
    this.#change(annotate(this.tree, this.cursor, comment, this.mark));
  }

  get mark(): Mark | null {
    return this.tree.nodes[this.cursor]?.mark ?? null;
  }

  set mark(mark: Mark | null) {
    this.#change(annotate(this.tree, this.cursor, this.comment, mark));
  }

  /** Whether the shown position is in a variation. */
  get isInSideLine(): boolean {
    return variationStart(this.tree, this.cursor) !== null;
  }

  /** Puts the variation of the shown position before the line that it leaves. */
  promoteVariation(): void {
    const start = variationStart(this.tree, this.cursor);
    if (start !== null) {
      this.#change(promote(this.tree, start));
    }
  }

  /** Removes the shown move with all after it, and shows the position before it. */
  removeMove(): void {
    const { cursor } = this;
    const parent = this.tree.nodes[cursor]?.parent;
    if (parent !== null && parent !== undefined) {
      this.#change(removeNode(this.tree, cursor));
      this.goTo(parent);
    }
  }
}
