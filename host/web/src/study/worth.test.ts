// What is asked of the solver when somebody goes through a game, and what is shown meanwhile.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Solved } from '../api/types';
import { Worth } from './worth.svelte';

interface Asked {
  moves: string;
  ticket: string | null;
  signal: AbortSignal;
  answer: (response: Response) => void;
}

const of = { game: 'bridge', variant: 'standard', start: 'deal' };
const solved = (value: number): Solved => ({ unit: 'trick', side: 0, to_move: 0, value, taken: [0, 0], moves: [] });
let asked: Asked[] = [];

beforeEach(() => {
  asked = [];
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    const body = JSON.parse(String(init.body)) as { moves: string[] };
    const { moves, ...rest } = body;
    expect([url, rest]).toEqual(['/api/v1/solve', of]);
    return new Promise<Response>((answer, reject) => {
      const signal = init.signal!;
      signal.addEventListener('abort', () => reject(new DOMException('given up', 'AbortError')));
      asked.push({ moves: moves.join(' '), ticket: new Headers(init.headers).get('x-ticket'), signal, answer });
    });
  });
});
afterEach(() => vi.unstubAllGlobals());

const answer = async (worth: Worth, nth: number, value: number) => {
  asked[nth]!.answer(Response.json(solved(value)));
  await vi.waitFor(() => expect(worth.solved?.value).toBe(value));
};

test('a position is asked for once; nothing is shown until it is known', async () => {
  const worth = new Worth(of, 'secret');
  worth.look(['a']);
  worth.look(['a']);
  expect([worth.solved, asked.length, asked[0]!.ticket]).toEqual([null, 1, 'secret']);
  await answer(worth, 0, 7);
  worth.look(['a']);
  worth.look(['a', 'b']);
  expect(worth.solved).toBeNull();
  worth.look(['a']);
  expect([worth.solved!.value, asked.map((it) => it.moves)]).toEqual([7, ['a', 'a b']]);
});

test('who goes on gives up what is being solved', async () => {
  const worth = new Worth(of);
  worth.look(['a']);
  worth.look(['b']);
  expect(asked.map((it) => [it.moves, it.ticket, it.signal.aborted])).toEqual([
    ['a', null, true],
    ['b', null, false],
  ]);
  await answer(worth, 1, 3);
  expect(worth.error).toBeNull();
  worth.look(null);
  expect(worth.solved).toBeNull();
});

test('an answer that comes after all is not shown with another position', async () => {
  const late: ((response: Response) => void)[] = [];
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => late.push(resolve)));
  const worth = new Worth(of);
  worth.look(['a']);
  worth.look(['b']);
  late[1]!(Response.json(solved(2)));
  await vi.waitFor(() => expect(worth.solved?.value).toBe(2));
  const response = Response.json(solved(1));
  const read = vi.spyOn(response, 'json');
  late[0]!(response);
  await vi.waitFor(() => expect(read).toHaveResolved());
  // What follows from it follows at once.
  await new Promise((resolve) => setTimeout(resolve));
  expect(worth.solved?.value).toBe(2);
  // It is kept all the same.
  worth.look(['a']);
  expect([worth.solved?.value, late.length]).toEqual([1, 2]);
});

test('why they cannot be known is told; who comes back asks again', async () => {
  const worth = new Worth(of);
  worth.look(['a']);
  asked[0]!.answer(Response.json({ title: 'Busy', detail: 'not solved in time' }, { status: 429 }));
  await vi.waitFor(() => expect(worth.error).toBe('not solved in time'));
  worth.look(['b']);
  expect(worth.error).toBeNull();
  worth.look(['a']);
  expect(asked.map((it) => it.moves)).toEqual(['a', 'b', 'a']);
});
