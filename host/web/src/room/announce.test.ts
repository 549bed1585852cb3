// What is said of events: to the one who has to know, and not to the one who did it.
import { expect, test } from 'vitest';
import type { RoomEvent } from '../api/types';
import { en } from '../text/en';
import { sentences } from './announce';
import { player, position, snapshot } from './fixture';
import { reduce } from './reduce';

const moved: RoomEvent = {
  type: 'moved',
  seq: 11,
  ply: { ply: 0, seat: 0, player: 0, move: 'h8', spent_ms: 1 },
  position: position(1),
  players: [],
  thinking: 1,
};

const cases: [string, RoomEvent, number[], string[]][] = [
  ['a move, and mine is next', moved, [1], ['Ada: <h8>.', 'Your move.']],
  ['a move, and mine is not next', moved, [0], ['Ada: <h8>.']],
  ['asked by the other', { type: 'undo-asked', seq: 11, player: 1, plies: 1 }, [0], ['Bo asks to take back 1 move.']],
  ['asked by me', { type: 'undo-asked', seq: 11, player: 1, plies: 1 }, [1], []],
  ['offered', { type: 'draw-offered', seq: 11, player: 1 }, [0], ['Bo offers a draw.']],
  ['left', { type: 'presence', spectators: 0, players: [{ player: 1, state: 'absent' }] }, [0], ['Bo has left.']],
  ['here as before', { type: 'presence', spectators: 0, players: [{ player: 1, state: 'present' }] }, [0], []],
  ['a line', { type: 'line', player: 0, ply: 0, line: { depth: 1, nodes: 1, pv: [], rank: 1 } }, [0], []],
  ['seated', { type: 'seated', seq: 11, player: 1, name: 'E', kind: 'engine' }, [0], ['E plays White.']],
];

test.each(cases)('%s', (_, event, mine, expected) => {
  const before = reduce(null, { type: 'snapshot', ...snapshot() }, 0).room;
  const after = reduce(before, event, 0).room!;
  expect(sentences(event, before, after, new Set(mine), en, (move) => `<${move}>`)).toEqual(expected);
});

test('who comes back is welcomed', () => {
  const away = snapshot({ players: [player(0), player(1, { state: 'absent' })] });
  const before = reduce(null, { type: 'snapshot', ...away }, 0).room;
  const event: RoomEvent = { type: 'presence', spectators: 0, players: [{ player: 1, state: 'present' }] };
  const after = reduce(before, event, 0).room!;
  expect(sentences(event, before, after, new Set([0]), en, String)).toEqual(['Bo is back.']);
});
