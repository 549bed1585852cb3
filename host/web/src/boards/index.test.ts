// The tables of boards fit together.
import { expect, test } from 'vitest';
import { boards, describers } from '.';

test('every game that is described has a board', () => {
  expect(Object.keys(describers).filter((id) => !(id in boards))).toEqual([]);
});
