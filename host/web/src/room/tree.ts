// Variations: the game's moves and what somebody tries beside them, as a tree of moves. Pure values; which moves
// are legal is the server's to say.

export interface Node {
  id: number;
  parent: number | null;
  move: string;
  /** How many moves lead here. */
  depth: number;
  children: number[];
}

/** Node 0 is the start, with no move; a node's first child goes on with its line. */
export interface Tree {
  nodes: Node[];
}

export function treeOf(moves: string[]): Tree {
  let tree: Tree = { nodes: [{ id: 0, parent: null, move: '', depth: 0, children: [] }] };
  let at = 0;
  for (const move of moves) {
    [tree, at] = add(tree, at, move);
  }
  return tree;
}

function node(tree: Tree, id: number): Node {
  const found = tree.nodes[id];
  if (found === undefined) {
    throw new RangeError(`no node ${id}`);
  }
  return found;
}

/** The tree with a move after a node, and where that is; a move that is there already is found again. */
export function add(tree: Tree, at: number, move: string): [Tree, number] {
  const parent = node(tree, at);
  const there = parent.children.find((child) => node(tree, child).move === move);
  if (there !== undefined) {
    return [tree, there];
  }
  const id = tree.nodes.length;
  const nodes = tree.nodes.slice();
  nodes[at] = { ...parent, children: [...parent.children, id] };
  nodes.push({ id, parent: at, move, depth: parent.depth + 1, children: [] });
  return [{ nodes }, id];
}

/** The moves from the start to a node. */
export function movesTo(tree: Tree, id: number): string[] {
  const moves: string[] = [];
  for (let at: Node = node(tree, id); at.parent !== null; at = node(tree, at.parent)) {
    moves.push(at.move);
  }
  return moves.reverse();
}

/** The ids from the start to a node, both included. */
export function pathTo(tree: Tree, id: number): number[] {
  const ids = [id];
  for (let at: Node = node(tree, id); at.parent !== null; at = node(tree, at.parent)) {
    ids.push(at.parent);
  }
  return ids.reverse();
}

/** The last node of the line that goes on from a node by first children. */
export function endOfLine(tree: Tree, id: number): number {
  let at = node(tree, id);
  for (;;) {
    const first = at.children[0];
    if (first === undefined) {
      return at.id;
    }
    at = node(tree, first);
  }
}

/** One line of the tree as it is written: the main line whole, then each variation where it leaves it. */
export interface Row {
  /** 0: the main line. */
  level: number;
  ids: number[];
}

/** The tree as rows for a list, in reading order: a line, then the variations that leave it, the last first left. */
export function rows(tree: Tree): Row[] {
  const found: Row[] = [];
  const waiting: { from: number; level: number }[] = [];
  const start = node(tree, 0).children[0];
  if (start === undefined) {
    return found;
  }
  for (const other of node(tree, 0).children.slice(1).reverse()) {
    waiting.push({ from: other, level: 1 });
  }
  waiting.push({ from: start, level: 0 });
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (next === undefined) {
      break;
    }
    const row: Row = { level: next.level, ids: [] };
    let at: Node | null = node(tree, next.from);
    while (at !== null) {
      row.ids.push(at.id);
      for (const other of at.children.slice(1).reverse()) {
        waiting.push({ from: other, level: next.level + 1 });
      }
      const first: number | undefined = at.children[0];
      at = first === undefined ? null : node(tree, first);
    }
    found.push(row);
  }
  return found;
}

/** The tree of a game that went on: its line becomes the main line, what was tried stays. */
export function withMain(tree: Tree, moves: string[]): Tree {
  let at = 0;
  let grown = tree;
  for (const move of moves) {
    [grown, at] = add(grown, at, move);
    grown = promote(grown, at);
  }
  return grown;
}

function promote(tree: Tree, id: number): Tree {
  const { parent } = node(tree, id);
  if (parent === null) {
    return tree;
  }
  const above = node(tree, parent);
  if (above.children[0] === id) {
    return tree;
  }
  const nodes = tree.nodes.slice();
  nodes[parent] = { ...above, children: [id, ...above.children.filter((child) => child !== id)] };
  return { nodes };
}
