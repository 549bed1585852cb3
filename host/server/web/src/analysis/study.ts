// A study: a game's tree of moves with comments and marks, as it is stored, saved and sent. Pure. The format is documented in
// docs/formats.md; the server checks the moves.
import type { FileGame } from '../api/types';
import { addMove, annotate, createTree, MARKS, nodesInOrder, type Mark, type MoveTree } from './move-tree';

export const STUDY_FORMAT = 'sandboard-study';

/** A move of a study. Its parent is the last one before it with a smaller depth. */
export interface StudyNode {
  depth: number;
  move: string;
  comment?: string;
  mark?: Mark;
}

export interface Study {
  format: typeof STUDY_FORMAT;
  version: 1;
  game: string;
  variant: string;
  /** The start position; null: that of the variant. */
  start: string | null;
  title: string;
  /** The names of the players, by seat. */
  names: string[];
  /** On the whole game. */
  comment?: string;
  nodes: StudyNode[];
}

/** What a study says beside its moves. */
export type StudyHead = Pick<Study, 'game' | 'variant' | 'start' | 'title' | 'names'>;

/** The study of a tree. Nodes that are in no line are left out. */
export function studyOf(head: StudyHead, tree: MoveTree): Study {
  const { game, variant, start, title, names } = head;
  const comment = tree.nodes[0]?.comment;
  return {
    format: STUDY_FORMAT,
    version: 1,
    game,
    variant,
    start,
    title,
    names,
    ...(comment === undefined ? {} : { comment }),
    nodes: nodesInOrder(tree).map(({ depth, move, comment, mark }) => ({
      depth,
      move,
      ...(comment === undefined ? {} : { comment }),
      ...(mark === undefined ? {} : { mark }),
    })),
  };
}

/** The tree of a study. Equal moves after one position become one node. */
export function treeOf({ comment = '', nodes }: Pick<Study, 'comment' | 'nodes'>): MoveTree {
  let tree = annotate(createTree([]), 0, comment, null);
  /** The last node of each depth. */
  const path = [0];
  for (const node of nodes) {
    const parent = path[node.depth - 1];
    if (parent === undefined) {
      throw new Error(`the move ${node.move} of the study continues no other`);
    }
    const [extended, id] = addMove(tree, parent, node.move);
    const before = extended.nodes[id];
    tree = annotate(extended, id, node.comment ?? before?.comment ?? '', node.mark ?? before?.mark ?? null);
    path.length = node.depth;
    path.push(id);
  }
  return tree;
}

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isMark = (value: unknown): value is Mark => MARKS.includes(value as Mark);

function parseNode(value: unknown, nth: number): StudyNode {
  const node = isObject(value) ? value : {};
  const { depth, move, comment, mark } = node;
  if (typeof depth !== 'number' || !Number.isInteger(depth) || depth < 1 || typeof move !== 'string') {
    throw new Error(`node ${nth + 1} of the study has no depth or no move`);
  }
  return {
    depth,
    move,
    ...(typeof comment === 'string' && comment !== '' ? { comment } : {}),
    ...(isMark(mark) ? { mark } : {}),
  };
}

/** Parses a study. Throws an error that says what is wrong. Unknown fields are ignored. */
export function parseStudy(value: unknown): Study {
  if (!isObject(value) || value['format'] !== STUDY_FORMAT) {
    throw new Error('this is not a study');
  }
  if (value['version'] !== 1) {
    throw new Error(`unknown study version ${String(value['version'])}`);
  }
  const { game, variant, start, title, names, comment, nodes } = value;
  if (typeof game !== 'string' || typeof variant !== 'string' || !Array.isArray(nodes)) {
    throw new Error('the study has no game, no variant or no nodes');
  }
  return {
    format: STUDY_FORMAT,
    version: 1,
    game,
    variant,
    start: typeof start === 'string' ? start : null,
    title: typeof title === 'string' ? title : '',
    names: Array.isArray(names) ? names.map((name) => (typeof name === 'string' ? name : '')) : [],
    ...(typeof comment === 'string' && comment !== '' ? { comment } : {}),
    nodes: nodes.map(parseNode),
  };
}

/** The study of a game of a file. */
export function studyOfFile(file: FileGame, title: string): Study {
  const nodes = file.nodes ?? file.moves.map((move, index) => ({ depth: index + 1, move }));
  const { game, variant, start, names, comment } = file;
  return parseStudy({ format: STUDY_FORMAT, version: 1, game, variant, start, title, names, comment, nodes });
}

export const studyText = (study: Study): string => `${JSON.stringify(study, null, 1)}\n`;
