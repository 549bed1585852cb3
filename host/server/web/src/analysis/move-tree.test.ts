// The move tree: moves are added once, and lines are listed in reading order.
import { expect, test } from 'vitest';
import { addMove, createTree, lineEnd, movesTo, pathTo, treeLines, withMainLine, type MoveTree } from './move-tree';

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
