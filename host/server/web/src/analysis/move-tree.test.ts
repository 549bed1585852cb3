// The move tree: moves are added once, and lines are listed in reading order.
import { expect, test } from 'vitest';
import {
  addMove,
  annotate,
  createTree,
  lineEnd,
  movesTo,
  nodesInOrder,
  pathTo,
  promote,
  removeNode,
  treeLines,
  variationStart,
  withMainLine,
  type MoveTree,
} from './move-tree';

/** The tree of several lines, each given by its moves. */
function treeOf(lines: string[]): MoveTree {
  let tree = createTree([]);
  for (const line of lines) {
    let at = 0;
    for (const move of line.split(' ')) {
      [tree, at] = addMove(tree, at, move);
    }
  }
  return tree;
}

function formatLines(tree: MoveTree): string[] {
  return treeLines(tree).map((line) => `${line.level}: ${line.ids.map((id) => tree.nodes[id]!.move).join(' ')}`);
}

test.each([
  [[], []],
  [['a b c'], ['0: a b c']],
  [['a b c', 'a b c'], ['0: a b c']],
  [
    ['a b c', 'a x'],
    ['0: a b c', '1: x'],
  ],
  [
    ['a b c', 'z'],
    ['0: a b c', '1: z'],
  ],
  [
    ['a b c', 'a b y', 'a x', 'a x w', 'a x v'],
    ['0: a b c', '1: y', '1: x w', '2: v'],
  ],
])('lines of %o', (lines, expected) => {
  expect(formatLines(treeOf(lines))).toEqual(expected);
});

test('moves and paths to a node', () => {
  const tree = treeOf(['a b c', 'a x w']);
  const last = tree.nodes.length - 1;
  expect(movesTo(tree, last)).toEqual(['a', 'x', 'w']);
  expect(pathTo(tree, last)).toEqual([0, 1, 4, 5]);
  expect(movesTo(tree, lineEnd(tree, 0))).toEqual(['a', 'b', 'c']);
  expect(movesTo(tree, lineEnd(tree, 4))).toEqual(['a', 'x', 'w']);
  expect(() => movesTo(tree, 99)).toThrow('no node 99');
});

test.each([
  [['a b'], 'a b c', ['0: a b c']],
  [['a b', 'a x'], 'a x', ['0: a x', '1: b']],
  [['a b c'], 'a z', ['0: a z', '1: b c']],
])('%o, with the new main line %s', (lines, main, expected) => {
  expect(formatLines(withMainLine(treeOf(lines), main.split(' ')))).toEqual(expected);
});

const LINES = ['a b c', 'a b y', 'a x', 'a x w', 'a x v'];
/** The node after some moves. */
const nodeAfter = (tree: MoveTree, moves: string) =>
  tree.nodes.findIndex((_, id) => movesTo(tree, id).join(' ') === moves);

test.each([
  ['', null],
  ['a b c', null],
  ['a b y', 'a b y'],
  ['a x w', 'a x'],
  ['a x v', 'a x v'],
])('the variation of %s begins with %s', (moves, expected) => {
  const tree = treeOf(LINES);
  const start = variationStart(tree, nodeAfter(tree, moves));
  expect(start === null ? null : movesTo(tree, start).join(' ')).toBe(expected);
});

test.each([
  ['a x', ['0: a x w', '1: v', '1: b c', '2: y']],
  ['a b y', ['0: a b y', '1: c', '1: x w', '2: v']],
])('%s before the line that it leaves', (moves, expected) => {
  const tree = treeOf(LINES);
  expect(formatLines(promote(tree, nodeAfter(tree, moves)))).toEqual(expected);
});

test.each([
  ['a b', ['0: a x w', '1: v']],
  ['a x w', ['0: a b c', '1: y', '1: x v']],
  ['a', []],
])('without %s', (moves, expected) => {
  const tree = treeOf(LINES);
  const shorter = removeNode(tree, nodeAfter(tree, moves));
  expect(formatLines(shorter)).toEqual(expected);
  // A new move does not take the id of a removed one.
  expect(addMove(shorter, 0, 'new')[1]).toBe(tree.nodes.length);
});

test('nodes in the order of files', () => {
  const tree = treeOf(['a b c', 'a x w', 'a b y', 'z']);
  expect(nodesInOrder(tree).map(({ depth, move }) => `${depth}.${move}`)).toEqual([
    '1.a',
    '2.b',
    '3.c',
    '3.y',
    '2.x',
    '3.w',
    '1.z',
  ]);
});

test('an empty comment and no mark are not kept', () => {
  const tree = annotate(treeOf(['a b']), 1, 'why', '!?');
  expect(tree.nodes[1]).toMatchObject({ move: 'a', children: [2], comment: 'why', mark: '!?' });
  expect(Object.keys(annotate(tree, 1, '', null).nodes[1]!)).not.toContain('comment');
});
