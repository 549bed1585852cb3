// The tree of a game's moves and of the variations that the viewer tries. Pure; does not check whether moves are legal.

export interface MoveNode {
  id: number;
  parent: number | null;
  move: string;
  /** The number of moves from the start. */
  depth: number;
  children: number[];
  /** On the move; of node 0: on the whole game. */
  comment?: string;
  mark?: Mark;
}

/** Judgements of moves, with the signs that annotators use. */
export const MARKS = ['!', '?', '!!', '??', '!?', '?!'] as const;
export type Mark = (typeof MARKS)[number];

/** Node 0 is the start and has no move. The first child of a node continues its line; other children are variations. */
export interface MoveTree {
  nodes: MoveNode[];
}

/** The tree of a single line. */
export function createTree(moves: string[]): MoveTree {
  let tree: MoveTree = { nodes: [{ id: 0, parent: null, move: '', depth: 0, children: [] }] };
  let at = 0;
  for (const move of moves) {
    [tree, at] = addMove(tree, at, move);
  }
  return tree;
}

function nodeOf(tree: MoveTree, id: number): MoveNode {
  const node = tree.nodes[id];
  if (node === undefined) {
    throw new RangeError(`no node ${id}`);
  }
  return node;
}

/** Adds a move after a node. Returns the new tree and the move's node; an existing node is reused. */
export function addMove(tree: MoveTree, parentId: number, move: string): [MoveTree, number] {
  const parent = nodeOf(tree, parentId);
  const existing = parent.children.find((child) => nodeOf(tree, child).move === move);
  if (existing !== undefined) {
    return [tree, existing];
  }
  const id = tree.nodes.length;
  const nodes = tree.nodes.slice();
  nodes[parentId] = { ...parent, children: [...parent.children, id] };
  nodes.push({ id, parent: parentId, move, depth: parent.depth + 1, children: [] });
  return [{ nodes }, id];
}

/** The moves from the start to a node. */
export function movesTo(tree: MoveTree, id: number): string[] {
  const moves: string[] = [];
  for (let at: MoveNode = nodeOf(tree, id); at.parent !== null; at = nodeOf(tree, at.parent)) {
    moves.push(at.move);
  }
  return moves.reverse();
}

/** The ids from the start to a node, both included. */
export function pathTo(tree: MoveTree, id: number): number[] {
  const ids = [id];
  for (let at: MoveNode = nodeOf(tree, id); at.parent !== null; at = nodeOf(tree, at.parent)) {
    ids.push(at.parent);
  }
  return ids.reverse();
}

/** The last node of the line that continues from a node by first children. */
export function lineEnd(tree: MoveTree, id: number): number {
  let at = nodeOf(tree, id);
  for (;;) {
    const first = at.children[0];
    if (first === undefined) {
      return at.id;
    }
    at = nodeOf(tree, first);
  }
}

/** A line of the tree in a move list. */
export interface TreeLine {
  /** How deep the line is nested; 0: the main line. */
  level: number;
  ids: number[];
}

/** The lines of the tree in reading order: a line, then its variations, beginning with the one that leaves it last. */
export function treeLines(tree: MoveTree): TreeLine[] {
  const lines: TreeLine[] = [];
  const pending: { from: number; level: number }[] = [];
  const start = nodeOf(tree, 0).children[0];
  if (start === undefined) {
    return lines;
  }
  for (const variation of nodeOf(tree, 0).children.slice(1).reverse()) {
    pending.push({ from: variation, level: 1 });
  }
  pending.push({ from: start, level: 0 });
  while (pending.length > 0) {
    const next = pending.pop();
    if (next === undefined) {
      break;
    }
    const line: TreeLine = { level: next.level, ids: [] };
    let at: MoveNode | null = nodeOf(tree, next.from);
    while (at !== null) {
      line.ids.push(at.id);
      for (const variation of at.children.slice(1).reverse()) {
        pending.push({ from: variation, level: next.level + 1 });
      }
      const first: number | undefined = at.children[0];
      at = first === undefined ? null : nodeOf(tree, first);
    }
    lines.push(line);
  }
  return lines;
}

/** Makes `moves` the main line of the tree; other lines become variations. */
export function withMainLine(tree: MoveTree, moves: string[]): MoveTree {
  let at = 0;
  let result = tree;
  for (const move of moves) {
    [result, at] = addMove(result, at, move);
    result = promote(result, at);
  }
  return result;
}

/** Makes a node the first child of its parent. */
export function promote(tree: MoveTree, id: number): MoveTree {
  const { parent } = nodeOf(tree, id);
  if (parent === null) {
    return tree;
  }
  const parentNode = nodeOf(tree, parent);
  if (parentNode.children[0] === id) {
    return tree;
  }
  const nodes = tree.nodes.slice();
  nodes[parent] = { ...parentNode, children: [id, ...parentNode.children.filter((child) => child !== id)] };
  return { nodes };
}

/** The node at which the line through a node leaves the line that it is a variation of; null: it is in the main line. */
export function variationStart(tree: MoveTree, id: number): number | null {
  for (let at = nodeOf(tree, id); at.parent !== null; at = nodeOf(tree, at.parent)) {
    if (nodeOf(tree, at.parent).children[0] !== at.id) {
      return at.id;
    }
  }
  return null;
}

/** Removes a node with all moves after it. Other nodes keep their ids; those that were removed are in no line. */
export function removeNode(tree: MoveTree, id: number): MoveTree {
  const { parent } = nodeOf(tree, id);
  if (parent === null) {
    return tree;
  }
  const parentNode = nodeOf(tree, parent);
  const nodes = tree.nodes.slice();
  nodes[parent] = { ...parentNode, children: parentNode.children.filter((child) => child !== id) };
  return { nodes };
}

/** Sets the comment and the mark of a node; an empty comment is none. */
export function annotate(tree: MoveTree, id: number, comment: string, mark: Mark | null): MoveTree {
  const { parent, move, depth, children } = nodeOf(tree, id);
  const nodes = tree.nodes.slice();
  nodes[id] = {
    id,
    parent,
    move,
    depth,
    children,
    ...(comment === '' ? {} : { comment }),
    ...(mark === null ? {} : { mark }),
  };
  return { nodes };
}

/** The nodes after the start in the order of files: a move, its whole continuation, then the moves instead of it. */
export function nodesInOrder(tree: MoveTree): MoveNode[] {
  const pending = [...nodeOf(tree, 0).children].reverse();
  const nodes: MoveNode[] = [];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const node = nodeOf(tree, id);
    nodes.push(node);
    pending.push(...[...node.children].reverse());
  }
  return nodes;
}
