// Looking through a game: what is asked of the server, what is known already, and where one stands when it goes on.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { position } from './fixture';
import { Study } from './study.svelte';

const of = { game: 'gomoku', variant: 'freestyle', start: null };
let asked: string[] = [];
let answer: (moves: string[]) => Response;

beforeEach(() => {
  asked = [];
  answer = (moves) => Response.json({ ...position(moves.length), position: moves.join('') });
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    const { moves } = JSON.parse(String(init.body)) as { moves: string[] };
    asked.push(moves.join(' '));
    return answer(moves);
  });
});
afterEach(() => vi.unstubAllGlobals());

test('a position is asked for once, and never where somebody told it', async () => {
  const study = new Study(of, ['a', 'b']);
  study.learn(['a', 'b'], position(0));
  study.toLive();
  study.back();
  await vi.waitFor(() => expect(study.position?.position).toBe('a'));
  study.forward();
  study.back();
  expect([asked, study.position?.position, study.depth]).toEqual([['a'], 'a', 1]);
});

test('who looks at the end follows the game, who looks back stays', () => {
  const study = new Study(of, ['a']);
  study.learn(['a'], position(1));
  study.learn(['a', 'b'], position(0));
  study.learn([], position(0));
  study.follow(['a', 'b']);
  expect([study.moves, study.atLive]).toEqual([['a', 'b'], true]);
  study.first();
  study.follow(['a', 'b', 'c']);
  expect([study.moves, study.gameMoves]).toEqual([[], ['a', 'b', 'c']]);
});

test('moves taken back take along who looks at the end, and stay as a variation', () => {
  const study = new Study(of, ['a', 'b']);
  study.learn(['a'], position(1));
  study.learn(['a', 'c'], position(0));
  study.follow(['a']);
  expect([study.moves, study.atLive]).toEqual([['a'], true]);
  study.follow(['a', 'c']);
  expect([study.moves, study.tree.nodes[1]!.children.map((id) => study.tree.nodes[id]!.move)]).toEqual([
    ['a', 'c'],
    ['c', 'b'],
  ]);
});

test('a tried move leaves the game alone', async () => {
  const study = new Study(of, ['a', 'b']);
  study.learn(['a'], position(1));
  study.show(study.nodeOfGame(1));
  study.try('x');
  await vi.waitFor(() => expect(study.position?.position).toBe('ax'));
  expect([study.moves, study.gameMoves, study.atLive]).toEqual([['a', 'x'], ['a', 'b'], false]);
  study.toLive();
  expect(study.moves).toEqual(['a', 'b']);
});

test('the last wish counts, whatever comes later', async () => {
  const late: ((response: Response) => void)[] = [];
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => late.push(resolve)));
  const study = new Study(of, ['a', 'b']);
  study.show(study.nodeOfGame(1));
  study.show(study.nodeOfGame(0));
  late[1]!(Response.json({ ...position(0), position: 'second' }));
  await vi.waitFor(() => expect(study.position?.position).toBe('second'));
  late[0]!(Response.json({ ...position(1), position: 'first' }));
  await vi.waitFor(() => expect(study.known(['a'])?.position).toBe('first'));
  expect(study.position?.position).toBe('second');
});

test('why a position cannot be had is told', async () => {
  answer = () => Response.json({ title: 'Bad', detail: '`b` is not legal' }, { status: 422 });
  const study = new Study(of, ['a', 'b']);
  study.toLive();
  await vi.waitFor(() => expect(study.error).toBe('`b` is not legal'));
});
