// Studies: a tree with comments and marks is the same after it was written and read; what is no study is refused.
import { expect, test } from 'vitest';
import { addMove, annotate, createTree, MARKS, removeNode, treeLines, type MoveTree } from './move-tree';
import { parseStudy, studyOf, studyOfFile, studyText, treeOf, type StudyHead } from './study';

const HEAD: StudyHead = { game: 'gomoku', variant: 'freestyle', start: null, title: 'T', names: ['Ada', 'Bo'] };

/** A generator of numbers below a bound, the same for the same seed (Lehmer, 1951). */
function numbers(seed: number): (bound: number) => number {
  let state = seed * 2 + 1;
  return (bound) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
}

/** A tree that grew by chance: lines, variations, comments and marks; some nodes were removed. */
function randomTree(seed: number): MoveTree {
  const next = numbers(seed);
  let tree = createTree([]);
  for (let step = next(60); step > 0; step -= 1) {
    const at = next(3) === 0 ? next(tree.nodes.length) : tree.nodes.length - 1;
    [tree] = addMove(tree, at, `m${next(7)}`);
    if (next(3) === 0) {
      const mark = MARKS[next(12)] ?? null;
      tree = annotate(tree, next(tree.nodes.length), ['', 'a "b"', 'line\nline', '好着 } ] \\'][next(4)]!, mark);
    }
    if (next(10) === 0) {
      tree = removeNode(tree, next(tree.nodes.length));
    }
  }
  // The comment is on the whole game; nothing marks it.
  return annotate(tree, 0, tree.nodes[0]?.comment ?? '', null);
}

/** Every line with its moves, comments and marks. */
const describe = (tree: MoveTree) => [
  tree.nodes[0]?.comment,
  ...treeLines(tree).map(({ level, ids }) => [
    level,
    ...ids.map((id) => [tree.nodes[id]!.move, tree.nodes[id]!.comment, tree.nodes[id]!.mark]),
  ]),
];

test('a study is read as it was written', () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const tree = randomTree(seed);
    const study = studyOf(HEAD, tree);
    const again = parseStudy(JSON.parse(studyText(study)));
    expect(again, `seed ${seed}`).toEqual(study);
    expect(describe(treeOf(again)), `seed ${seed}`).toEqual(describe(tree));
  }
});

test.each([
  [null, 'not a study'],
  [{ format: 'sandboard-record', version: 1 }, 'not a study'],
  [{ format: 'sandboard-study', version: 2 }, 'unknown study version 2'],
  [{ format: 'sandboard-study', version: 1, game: 'gomoku', variant: 'x' }, 'no nodes'],
  [{ format: 'sandboard-study', version: 1, game: 'gomoku', variant: 'x', nodes: [{ move: 'a' }] }, 'node 1'],
  [{ format: 'sandboard-study', version: 1, game: 'gomoku', variant: 'x', nodes: [{ depth: 1 }] }, 'node 1'],
])('%j is refused', (value, message) => {
  expect(() => parseStudy(value)).toThrow(message);
});

test('a move that continues none is refused', () => {
  expect(() => treeOf({ nodes: [{ depth: 2, move: 'a' }] })).toThrow('continues no other');
});

test.each([
  [{}, ['1.a', '2.b']],
  [
    {
      comment: 'all',
      nodes: [
        { depth: 1, move: 'a', mark: '!' },
        { depth: 1, move: 'c', mark: 'unknown', comment: 'why' },
      ],
    },
    ['1.a!', '1.cwhy'],
  ],
])('a game of a file with %j', (more, expected) => {
  const file = { label: 'L', game: 'gomoku', variant: 'x', start: null, moves: ['a', 'b'], names: [], result: null };
  const study = studyOfFile({ ...file, ...more }, 'L');
  expect(study.nodes.map((node) => `${node.depth}.${node.move}${node.mark ?? ''}${node.comment ?? ''}`)).toEqual(
    expected,
  );
});
