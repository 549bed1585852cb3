// Announcements: each event is announced to those who need to know, not to the player who caused it.
import { expect, test } from 'vitest';
import { player, position, snapshot } from '../api/fixtures';
import type { Ply, RoomEvent, Snapshot } from '../api/types';
import { en } from '../text/en';
import { translate } from '../text/messages';
import { announcementsFor, type AnnouncementContext } from './announcements';
import { reduce } from './reducer';

const context = (own: number[]): AnnouncementContext => ({
  ownPlayers: new Set(own),
  texts: en,
  describeMove: (move) => `<${move}>`,
  sideName: (side) => en.boards.sides[side]!,
  serverText: (text, message) => translate(text, message, en),
});

const moved: RoomEvent = {
  type: 'moved',
  seq: 11,
  ply: { ply: 0, seat: 0, player: 0, move: 'h8', spent_ms: 1 },
  position: position(1),
  players: [],
  thinking: 1,
};

const cases: [string, RoomEvent, number[], string[]][] = [
  ['a move, then mine', moved, [1], ['Ada: <h8>.', 'Your move.']],
  ['a move, then not mine', moved, [0], ['Ada: <h8>.']],
  [
    'takeback request of the opponent',
    { type: 'undo-requested', seq: 11, player: 1, plies: 1 },
    [0],
    ['Bo asks to undo 1 move.'],
  ],
  ['own takeback request', { type: 'undo-requested', seq: 11, player: 1, plies: 1 }, [1], []],
  ['draw offer', { type: 'draw-offered', seq: 11, player: 1 }, [0], ['Bo offers a draw.']],
  [
    'disconnected',
    { type: 'presence', spectators: 0, players: [{ player: 1, state: 'absent' }] },
    [0],
    ['Bo has disconnected.'],
  ],
  ['still present', { type: 'presence', spectators: 0, players: [{ player: 1, state: 'present' }] }, [0], []],
  ['an engine line', { type: 'line', player: 0, ply: 0, line: { depth: 1, nodes: 1, pv: [], rank: 1 } }, [0], []],
  ['seated', { type: 'seated', seq: 11, player: 1, name: 'E', kind: 'engine' }, [0], ['E plays White.']],
];

test.each(cases)('%s', (_, event, own, expected) => {
  const before = reduce(null, { type: 'snapshot', ...snapshot() }, 0).room;
  const after = reduce(before, event, 0).room!;
  expect(announcementsFor(event, before, after, context(own))).toEqual(expected);
});

test('a returning player is announced', () => {
  const away = snapshot({ players: [player(0), player(1, { state: 'absent' })] });
  const before = reduce(null, { type: 'snapshot', ...away }, 0).room;
  const event: RoomEvent = { type: 'presence', spectators: 0, players: [{ player: 1, state: 'present' }] };
  const after = reduce(before, event, 0).room!;
  expect(announcementsFor(event, before, after, context([0]))).toEqual(['Bo is back.']);
});

const plies = (...moves: [player: number | null, move: string][]): Ply[] =>
  moves.map(([player, move], ply) => ({ ply, seat: player, player, move, spent_ms: 1 }));
const result = { winner: 1, termination: 'rules', sentence: 'Bo wins: all tricks are played' };

// Where each seat sees the game in its own way, every change comes as a snapshot.
test.each<[string, Partial<Snapshot>, Partial<Snapshot>, string[]]>([
  ['nothing new', {}, {}, []],
  ['a move, then mine', { position: position(1) }, { plies: plies([1, 'i9']) }, ['Bo: <i9>.', 'Your move.']],
  ['a move, then not mine', {}, { plies: plies([0, 'h8']), position: position(1) }, ['Ada: <h8>.']],
  ['a hidden move', { position: position(1) }, { plies: plies([1, '?']) }, ['Your move.']],
  [
    'an outcome of chance',
    { position: position(1) },
    { plies: plies([null, '?'], [null, 'Q']) },
    ['Chance: <Q>.', 'Your move.'],
  ],
  ['the turn, in a step of several seats', { position: position(1) }, { position: position(0) }, ['Your move.']],
  ['the turn of another', { position: position(0) }, { position: position(1) }, []],
  [
    'the start',
    { state: 'waiting' },
    { plies: plies([null, 'Q']) },
    ['The game has started.', 'Chance: <Q>.', 'Your move.'],
  ],
  ['the end', {}, { plies: plies([0, 'h8']), state: 'over', result }, ['Ada: <h8>.', result.sentence]],
  ['known before', { state: 'over', result }, { state: 'over', result }, []],
])('a snapshot: %s', (_, old, now, expected) => {
  const before = reduce(null, { type: 'snapshot', ...snapshot(old) }, 0).room;
  const event: RoomEvent = { type: 'snapshot', ...snapshot(now) };
  const after = reduce(before, event, 0).room!;
  expect(announcementsFor(event, before, after, context([0]))).toEqual(expected);
});

test('the first snapshot is not announced', () => {
  const event: RoomEvent = { type: 'snapshot', ...snapshot({ plies: plies([1, 'i9']) }) };
  expect(announcementsFor(event, null, reduce(null, event, 0).room!, context([0]))).toEqual([]);
});
