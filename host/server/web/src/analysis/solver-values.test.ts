// Requests to the solver while the viewer goes through a game, and what is shown meanwhile.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SolvedPosition } from '../api/types';
import { SolverValues } from './solver-values.svelte';

interface SolveRequest {
  moves: string;
  ticket: string | null;
  signal: AbortSignal;
  respond: (response: Response) => void;
}

const spec = { game: 'bridge', variant: 'standard', start: 'deal' };
const solved = (value: number): SolvedPosition => ({
  unit: 'trick',
  side: 0,
  to_move: 0,
  value,
  taken: [0, 0],
  moves: [],
});
let requests: SolveRequest[] = [];

beforeEach(() => {
  requests = [];
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    const body = JSON.parse(String(init.body)) as { moves: string[] };
    const { moves, ...rest } = body;
    expect([url, rest]).toEqual(['/api/v1/solve', spec]);
    return new Promise<Response>((respond, reject) => {
      const signal = init.signal!;
      signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
      requests.push({ moves: moves.join(' '), ticket: new Headers(init.headers).get('x-ticket'), signal, respond });
    });
  });
});
afterEach(() => vi.unstubAllGlobals());

const respond = async (values: SolverValues, nth: number, value: number) => {
  requests[nth]!.respond(Response.json(solved(value)));
  await vi.waitFor(() => expect(values.solved?.value).toBe(value));
};

test('a position is requested once; nothing is shown until its values are known', async () => {
  const values = new SolverValues(spec, 'secret');
  values.show(['a']);
  values.show(['a']);
  expect([values.solved, requests.length, requests[0]!.ticket]).toEqual([null, 1, 'secret']);
  await respond(values, 0, 7);
  values.show(['a']);
  values.show(['a', 'b']);
  expect(values.solved).toBeNull();
  values.show(['a']);
  expect([values.solved!.value, requests.map(({ moves }) => moves)]).toEqual([7, ['a', 'a b']]);
});

test('showing another position aborts the request', async () => {
  const values = new SolverValues(spec);
  values.show(['a']);
  values.show(['b']);
  expect(requests.map(({ moves, ticket, signal }) => [moves, ticket, signal.aborted])).toEqual([
    ['a', null, true],
    ['b', null, false],
  ]);
  await respond(values, 1, 3);
  expect(values.error).toBeNull();
  values.show(null);
  expect(values.solved).toBeNull();
});

test('a late response is cached, but not shown with another position', async () => {
  const resolvers: ((response: Response) => void)[] = [];
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => resolvers.push(resolve)));
  const values = new SolverValues(spec);
  values.show(['a']);
  values.show(['b']);
  resolvers[1]!(Response.json(solved(2)));
  await vi.waitFor(() => expect(values.solved?.value).toBe(2));
  const response = Response.json(solved(1));
  const readJson = vi.spyOn(response, 'json');
  resolvers[0]!(response);
  await vi.waitFor(() => expect(readJson).toHaveResolved());
  // Everything that follows from the response happens in this turn.
  await new Promise((resolve) => setTimeout(resolve));
  expect(values.solved?.value).toBe(2);
  // The late response was cached.
  values.show(['a']);
  expect([values.solved?.value, resolvers.length]).toEqual([1, 2]);
});

test('an error is shown; returning to the position requests it again', async () => {
  const values = new SolverValues(spec);
  values.show(['a']);
  requests[0]!.respond(Response.json({ title: 'Busy', detail: 'not solved in time' }, { status: 429 }));
  await vi.waitFor(() => expect(values.error).toBe('not solved in time'));
  values.show(['b']);
  expect(values.error).toBeNull();
  values.show(['a']);
  expect(requests.map(({ moves }) => moves)).toEqual(['a', 'b', 'a']);
});
