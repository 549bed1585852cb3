// The analysis store: which positions it requests, and where the viewer is when the game continues.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { position } from '../api/fixtures';
import { AnalysisStore, type GameSpec } from './store.svelte';

const spec: GameSpec = { game: 'gomoku', variant: 'freestyle', start: null };
/** The moves of the requested positions. */
let requested: string[] = [];
let respond: (moves: string[]) => Response;

beforeEach(() => {
  requested = [];
  respond = (moves) => Response.json({ ...position(moves.length), position: moves.join('') });
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    const { moves } = JSON.parse(String(init.body)) as { moves: string[] };
    requested.push(moves.join(' '));
    return respond(moves);
  });
});
afterEach(() => vi.unstubAllGlobals());

test('a position is requested once, and not if it was added before', async () => {
  const analysis = new AnalysisStore(spec, ['a', 'b']);
  analysis.addPosition(['a', 'b'], position(0));
  analysis.goToGameEnd();
  analysis.goBack();
  await vi.waitFor(() => expect(analysis.position?.position).toBe('a'));
  analysis.goForward();
  analysis.goBack();
  expect([requested, analysis.position?.position, analysis.depth]).toEqual([['a'], 'a', 1]);
});

test('a viewer at the end follows the game; elsewhere the viewer stays', () => {
  const analysis = new AnalysisStore(spec, ['a']);
  analysis.addPosition(['a'], position(1));
  analysis.addPosition(['a', 'b'], position(0));
  analysis.addPosition([], position(0));
  analysis.updateGame(['a', 'b']);
  expect([analysis.moves, analysis.isAtGameEnd]).toEqual([['a', 'b'], true]);
  analysis.goToStart();
  analysis.updateGame(['a', 'b', 'c']);
  expect([analysis.moves, analysis.gameMoves]).toEqual([[], ['a', 'b', 'c']]);
});

test('a takeback moves a viewer at the end, and leaves a variation', () => {
  const analysis = new AnalysisStore(spec, ['a', 'b']);
  analysis.addPosition(['a'], position(1));
  analysis.addPosition(['a', 'c'], position(0));
  analysis.updateGame(['a']);
  expect([analysis.moves, analysis.isAtGameEnd]).toEqual([['a'], true]);
  analysis.updateGame(['a', 'c']);
  expect([analysis.moves, analysis.tree.nodes[1]!.children.map((id) => analysis.tree.nodes[id]!.move)]).toEqual([
    ['a', 'c'],
    ['c', 'b'],
  ]);
});

test('the line of a game ends before the moves that were undone', () => {
  const analysis = new AnalysisStore(spec, ['a', 'b', 'c']);
  for (const moves of [['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'x']]) {
    analysis.addPosition(moves, position(0));
  }
  analysis.addPosition([], position(0));
  analysis.updateGame(['a']);
  const check = (expected: string[], isAtLineEnd: boolean) =>
    expect([analysis.moves, analysis.isAtLineEnd]).toEqual([expected, isAtLineEnd]);
  check(['a'], true);
  analysis.goForward();
  analysis.goToLineEnd();
  check(['a'], true);
  analysis.goToStart();
  check([], false);
  analysis.goToLineEnd();
  check(['a'], true);
  // Who has chosen an undone move walks on through those after it.
  analysis.goTo(2);
  check(['a', 'b'], false);
  analysis.goForward();
  check(['a', 'b', 'c'], true);
  // A variation that the viewer tries is not undone.
  analysis.goTo(1);
  analysis.tryMove('x');
  analysis.goBack();
  check(['a'], false);
  analysis.goForward();
  check(['a', 'x'], true);
});

test('a tried move does not change the game', async () => {
  const analysis = new AnalysisStore(spec, ['a', 'b']);
  analysis.addPosition(['a'], position(1));
  analysis.goTo(analysis.gameNode(1));
  analysis.tryMove('x');
  await vi.waitFor(() => expect(analysis.position?.position).toBe('ax'));
  expect([analysis.moves, analysis.gameMoves, analysis.isAtGameEnd]).toEqual([['a', 'x'], ['a', 'b'], false]);
  analysis.goToGameEnd();
  expect(analysis.moves).toEqual(['a', 'b']);
});

test('a response to an earlier request is not shown', async () => {
  const resolvers: ((response: Response) => void)[] = [];
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => resolvers.push(resolve)));
  const analysis = new AnalysisStore(spec, ['a', 'b']);
  analysis.goTo(analysis.gameNode(1));
  analysis.goTo(analysis.gameNode(0));
  resolvers[1]!(Response.json({ ...position(0), position: 'second' }));
  await vi.waitFor(() => expect(analysis.position?.position).toBe('second'));
  resolvers[0]!(Response.json({ ...position(1), position: 'first' }));
  await vi.waitFor(() => expect(analysis.cachedPosition(['a'])?.position).toBe('first'));
  expect(analysis.position?.position).toBe('second');
});

test('a failed request sets the error', async () => {
  respond = () => Response.json({ title: 'Bad', detail: '`b` is not legal' }, { status: 422 });
  const analysis = new AnalysisStore(spec, ['a', 'b']);
  analysis.goToGameEnd();
  await vi.waitFor(() => expect(analysis.error).toBe('`b` is not legal'));
});

test('while the viewer sees only a part of the game, positions that were not shown are not requested', async () => {
  let hides = true;
  const analysis = new AnalysisStore(spec, ['?', '?', 'bet'], null, () => hides);
  analysis.addPosition(['?', '?', 'bet'], position(0));
  analysis.addPosition(['?', '?'], position(1));
  analysis.goToGameEnd();
  analysis.goBack();
  expect([analysis.knownOnly, analysis.position?.to_move, analysis.error]).toEqual([true, 1, null]);
  analysis.goBack();
  await vi.waitFor(() => expect(analysis.error).toContain('after the end of the game'));
  expect(requested).toEqual([]);
  hides = false;
  analysis.goToStart();
  await vi.waitFor(() => expect(requested).toEqual(['']));
  await vi.waitFor(() => expect([analysis.knownOnly, analysis.error]).toEqual([false, null]));
});
