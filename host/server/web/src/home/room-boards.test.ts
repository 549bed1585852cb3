// Which boards of rooms are requested: those of rooms that have moved on, one at a time for each room.
import { afterEach, expect, test, vi } from 'vitest';
import { api } from '../api/client';
import { position } from '../api/fixtures';
import type { RoomBoard, RoomSummary } from '../api/types';
import { RoomBoards } from './room-boards.svelte';

afterEach(() => vi.restoreAllMocks());

const room = (id: string, plies: number) => ({ id, plies, state: 'playing' }) as RoomSummary;

interface Pending {
  id: string;
  answer: (plies: number) => void;
  fail: () => void;
}

/** Boards whose requests are answered by hand. */
function createBoards(): { boards: RoomBoards; pending: Pending[] } {
  const pending: Pending[] = [];
  vi.spyOn(api, 'roomBoard').mockImplementation(
    (id) =>
      new Promise<RoomBoard>((resolve, reject) => {
        const answer = (plies: number) =>
          resolve({ state: 'playing', plies, last_move: null, position: position(plies % 2) });
        pending.push({ id, answer, fail: () => reject(new Error('gone')) });
      }),
  );
  return { boards: new RoomBoards(), pending };
}

/** Until all promises that can settle have settled. */
const settle = () => new Promise((resolve) => setTimeout(resolve));
const shown = ({ boards }: RoomBoards) => [...boards].map(([id, { plies }]) => [id, plies]);

test('a board is requested once for each state of its room', async () => {
  const { boards, pending } = createBoards();
  boards.follow([room('a', 0), room('b', 4)], false);
  boards.follow([room('a', 0), room('b', 4)], false);
  expect(pending.map(({ id }) => id)).toEqual(['a', 'b']);
  pending[1]!.answer(4);
  await settle();
  expect(shown(boards)).toEqual([['b', 4]]);
  boards.follow([room('a', 0), room('b', 5)], false);
  expect(pending.map(({ id }) => id)).toEqual(['a', 'b', 'b']);
});

test('a room that moves on during a request is requested again after it', async () => {
  const { boards, pending } = createBoards();
  boards.follow([room('a', 0)], false);
  boards.follow([room('a', 1)], false);
  boards.follow([room('a', 2)], false);
  expect(pending).toHaveLength(1);
  pending[0]!.answer(0);
  await settle();
  expect(pending).toHaveLength(2);
  pending[1]!.answer(2);
  await settle();
  expect([shown(boards), pending.length]).toEqual([[['a', 2]], 2]);
});

test('frozen boards stay, and missing ones are loaded', async () => {
  const { boards, pending } = createBoards();
  boards.follow([room('a', 0)], true);
  pending[0]!.answer(0);
  await settle();
  boards.follow([room('a', 1), room('b', 3)], true);
  expect(pending.map(({ id }) => id)).toEqual(['a', 'b']);
  boards.follow([room('a', 1), room('b', 3)], false);
  expect(pending.map(({ id }) => id)).toEqual(['a', 'b', 'a']);
});

test('a closed room has no board, also not by a late answer', async () => {
  const { boards, pending } = createBoards();
  boards.follow([room('a', 0), room('b', 0)], false);
  pending[0]!.answer(0);
  await settle();
  boards.follow([], false);
  pending[1]!.answer(0);
  await settle();
  expect(shown(boards)).toEqual([]);
});

test('a request that failed is repeated when the room moves on, and not before', async () => {
  const { boards, pending } = createBoards();
  boards.follow([room('a', 0)], false);
  pending[0]!.fail();
  await settle();
  boards.follow([room('a', 0)], false);
  expect(pending).toHaveLength(1);
  boards.follow([room('a', 1)], false);
  expect(pending).toHaveLength(2);
});
