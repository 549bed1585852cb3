// The store of a study: every move is tried in it; its tree changes, and the shown position with it.
import { expect, test } from 'vitest';
import { position } from '../api/fixtures';
import { STUDY_FORMAT } from './study';
import { StudyStore } from './study-store.svelte';
import { treeLines } from './move-tree';

const storeOf = (moves: string[]) => {
  const nodes = moves.map((move, index) => ({ depth: index + 1, move }));
  const study = { format: STUDY_FORMAT, version: 1, game: 'gomoku', variant: 'x', start: null, title: 'T', names: [] };
  const store = new StudyStore({ ...study, format: STUDY_FORMAT, version: 1, nodes }, () =>
    Promise.resolve(position(0)),
  );
  store.goToGameEnd();
  return store;
};
const linesOf = (store: StudyStore) =>
  treeLines(store.tree).map(({ level, ids }) => `${level}: ${ids.map((id) => store.tree.nodes[id]!.move).join(' ')}`);

test('moves and lines are tried anywhere', () => {
  const store = storeOf(['a', 'b']);
  store.tryMove('c');
  expect([linesOf(store), store.gameMoves]).toEqual([['0: a b c'], ['a', 'b', 'c']]);
  store.goTo(1);
  store.tryLine(['x', 'y']);
  expect([linesOf(store), store.moves]).toEqual([
    ['0: a b c', '1: x y'],
    ['a', 'x', 'y'],
  ]);
});

test('a variation becomes the main line, and is removed', () => {
  const store = storeOf(['a', 'b']);
  store.goTo(1);
  store.tryLine(['x', 'y']);
  expect(store.isInSideLine).toBe(true);
  store.promoteVariation();
  expect([linesOf(store), store.gameMoves, store.isInSideLine]).toEqual([['0: a x y', '1: b'], ['a', 'x', 'y'], false]);
  store.goBack();
  store.removeMove();
  expect([linesOf(store), store.moves, store.gameMoves]).toEqual([['0: a b'], ['a'], ['a', 'b']]);
  store.goToStart();
  store.removeMove();
  expect(linesOf(store)).toEqual(['0: a b']);
});

test('comments and marks are those of the shown move', () => {
  const store = storeOf(['a', 'b']);
  store.comment = 'why';
  store.mark = '?';
  store.mark = null;
  store.mark = '!?';
  store.goToStart();
  store.comment = 'all';
  expect([store.comment, store.mark]).toEqual(['all', null]);
  expect(store.study).toMatchObject({
    comment: 'all',
    nodes: [
      { depth: 1, move: 'a' },
      { depth: 2, move: 'b', comment: 'why', mark: '!?' },
    ],
  });
});
