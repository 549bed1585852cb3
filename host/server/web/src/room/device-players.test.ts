// Engines that play in this browser: they answer when it is their turn, once, and are ended when their answer is not needed
// any more.
import { expect, test, vi } from 'vitest';
import { player, position, snapshot } from '../api/fixtures';
import type { RoomCommand, Snapshot } from '../api/types';
import type { Strength } from '../program/player';
import { WorkerEnded } from '../program/player-worker';
import { DevicePlayers } from './device-players.svelte';

const SEAT = { engine: 'alpha', fuel: 5, options: { level: '2' } };

/** A worker whose answer comes when a test wants it. */
class ScriptedWorker {
  isStopped = false;
  query: unknown;
  resolve: (move: string | null) => void = () => undefined;
  reject: (error: Error) => void = () => undefined;

  analyse(query: unknown): Promise<string | null> {
    this.query = query;
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  stop(): void {
    this.isStopped = true;
  }
}

const settle = () => new Promise((resolve) => setTimeout(resolve));

function opened() {
  const workers: ScriptedWorker[] = [];
  const send = vi.fn(async (_command: RoomCommand, _player?: number | null) => true);
  const devices = new Map([[1, SEAT]]);
  const strength = (strength: Strength): Strength => ({ ...strength, options: { ...strength.options, preset: 'x' } });
  const start = async () => {
    const worker = new ScriptedWorker();
    workers.push(worker);
    return worker;
  };
  const players = new DevicePlayers({ send, devices }, async () => ({ strength, start }));
  return { workers, send, players };
}

/** A game of two persons after these moves. */
function after(moves: string[], more: Partial<Snapshot> = {}): Snapshot {
  const plies = moves.map((move, ply) => ({ ply, seat: ply % 2, player: ply % 2, move, spent_ms: 0 }));
  const players = [player(0, { kind: 'person' }), player(1, { kind: 'person' })];
  return snapshot({ players, plies, position: position(moves.length % 2), state: 'playing', ...more });
}

test('an engine answers when it is its turn, once', async () => {
  const { workers, send, players } = opened();
  players.update(after([]));
  await settle();
  expect(workers).toHaveLength(0);
  players.update(after(['h8']));
  players.update(after(['h8'], { spectators: 3 }));
  await settle();
  expect(workers).toHaveLength(1);
  expect(players.thinking).toBe(1);
  const { game, variant, start } = after([]);
  const strength = { engine: 'alpha', fuel: 5, options: { level: '2', preset: 'x' } };
  expect(workers[0]?.query).toEqual({ game, variant, start, moves: ['h8'], lines: 1, strength });
  workers[0]?.resolve('i9');
  await settle();
  expect(send.mock.calls).toEqual([[{ type: 'move', move: 'i9', ply: 1 }, 1]]);
  expect(players.thinking).toBe(null);
  players.update(after(['h8']));
  await settle();
  expect(send).toHaveBeenCalledOnce();

  // The worker is kept for the next turn, until the page is left.
  players.update(after(['h8', 'i9']));
  players.update(after(['h8', 'i9', 'h9']));
  await settle();
  expect(workers).toHaveLength(1);
  workers[0]?.resolve('g7');
  await settle();
  expect(send).toHaveBeenLastCalledWith({ type: 'move', move: 'g7', ply: 3 }, 1);
  expect(workers[0]?.isStopped).toBe(false);
  players.close();
  expect(workers[0]?.isStopped).toBe(true);
});

test('an engine without a move resigns', async () => {
  const { workers, send, players } = opened();
  players.update(after(['h8']));
  await settle();
  workers[0]?.resolve(null);
  await settle();
  expect(send.mock.calls).toEqual([[{ type: 'resign' }, 1]]);
});

test.each([
  ['a move that was taken back', after([])],
  ['the end of the game', after(['h8'], { state: 'over' })],
  ['a pause', after(['h8'], { state: 'paused' })],
])('%s ends the engine, and its answer is not sent', async (_, later) => {
  const { workers, send, players } = opened();
  players.update(after(['h8']));
  await settle();
  players.update(later);
  expect(workers[0]?.isStopped).toBe(true);
  expect(players.thinking).toBe(null);
  workers[0]?.resolve('i9');
  await settle();
  expect(send).not.toHaveBeenCalled();
});

test('a late engine is reported, and can try again', async () => {
  const { workers, send, players } = opened();
  players.update(after(['h8']));
  await settle();
  workers[0]?.reject(new WorkerEnded('late'));
  await settle();
  expect(players.error).toContain('two minutes');
  expect(send).not.toHaveBeenCalled();
  players.retry(after(['h8']));
  await settle();
  expect(players.error).toBe(null);
  workers[1]?.resolve('i9');
  await settle();
  expect(send).toHaveBeenCalledOnce();
});

test.each([
  [{ undo_request: { player: 0, plies: 1 } }, [{ type: 'accept-undo' }, 1]],
  [{ draw_offered_by: 0 }, [{ type: 'decline-draw' }, 1]],
  [{ undo_request: { player: 1, plies: 1 } }, null],
  [{ draw_offered_by: 1 }, null],
] as const)('offers %o are answered with %o', (more, expected) => {
  const { send, players } = opened();
  players.update(after([], more));
  expect(send.mock.calls).toEqual(expected === null ? [] : [expected]);
});
