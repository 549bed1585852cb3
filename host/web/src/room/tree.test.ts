// Variations: added once, found again, written in order.
import { expect, test } from 'vitest';
import { add, endOfLine, movesTo, pathTo, rows, treeOf, withMain, type Tree } from './tree';

/** A tree of lines, each given by its moves. */
function grown(lines: string[]): Tree {
  let tree = treeOf([]);
  for (const line of lines) {
    let at = 0;
    for (const move of line.split(' ')) {
      [tree, at] = add(tree, at, move);
    }
  }
  return tree;
}

function written(tree: Tree): string[] {
  return rows(tree).map((row) => `${row.level}: ${row.ids.map((id) => tree.nodes[id]!.move).join(' ')}`);
}

test.each([
  [[], []],
  [['a b c'], ['0: a b c']],
  [['a b c', 'a b c'], ['0: a b c']],
  [['a b c', 'a x'], ['0: a b c', '1: x']],
  [['a b c', 'z'], ['0: a b c', '1: z']],
  [['a b c', 'a b y', 'a x', 'a x w', 'a x v'], ['0: a b c', '1: y', '1: x w', '2: v']],
])('rows of %o', (lines, expected) => {
  expect(written(grown(lines))).toEqual(expected);
});

test('ways to a node', () => {
  const tree = grown(['a b c', 'a x w']);
  const last = tree.nodes.length - 1;
  expect(movesTo(tree, last)).toEqual(['a', 'x', 'w']);
  expect(pathTo(tree, last)).toEqual([0, 1, 4, 5]);
  expect(movesTo(tree, endOfLine(tree, 0))).toEqual(['a', 'b', 'c']);
  expect(movesTo(tree, endOfLine(tree, 4))).toEqual(['a', 'x', 'w']);
  expect(() => movesTo(tree, 99)).toThrow('no node 99');
});

test.each([
  [['a b'], 'a b c', ['0: a b c']],
  [['a b', 'a x'], 'a x', ['0: a x', '1: b']],
  [['a b c'], 'a z', ['0: a z', '1: b c']],
])('%o, and the game is now %s', (lines, game, expected) => {
  expect(written(withMain(grown(lines), game.split(' ')))).toEqual(expected);
});
