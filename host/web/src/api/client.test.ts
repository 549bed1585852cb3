// The API's calls over a scripted fetch: addresses, bodies, errors, streams.
import { describe, expect, test } from 'vitest';
import { client, eachLine, problemOf } from './client';

function scripted(answer: () => Response | Promise<Response>) {
  const calls: { url: string; init: RequestInit }[] = [];
  const send = (async (url: string, init: RequestInit) => {
    calls.push({ url, init });
    return answer();
  }) as unknown as typeof fetch;
  return { calls, api: client(send) };
}

describe('errors', () => {
  test.each([
    [404, '{"type":"/problems/not-found","title":"Not found","status":404,"detail":"no room `x`"}', 'not-found', 'no room `x`'],
    [500, '{"title":"Oh"}', 'internal', 'Oh'],
    [502, '<html>', 'internal', 'the server answered with status 502'],
    [400, 'null', 'internal', 'the server answered with status 400'],
  ])('%i %s', (status, text, kind, message) => {
    const error = problemOf(status, text);
    expect([error.status, error.kind, error.message]).toEqual([status, kind, message]);
  });

  test('nobody answers', async () => {
    const { api } = scripted(() => Promise.reject(new TypeError('failed')));
    await expect(api.games()).rejects.toMatchObject({ status: 0, kind: 'network' });
  });
});

describe('calls', () => {
  test('a search leaves out what is empty and encodes the rest', async () => {
    const { calls, api } = scripted(() => new Response('{"bouts":[],"next":null}'));
    await api.bouts({ game: 'gomoku', name: 'A&B', engine: '', before: null, limit: 5 });
    expect(calls[0]!.url).toBe('/api/v1/bouts?game=gomoku&name=A%26B&limit=5');
  });

  test('an arena is asked for all its players, and nothing new is no error', async () => {
    const { signal } = new AbortController();
    const filter = { player: [0, 2], opening: null, no_faults: 'true' };
    const waited = scripted(() => new Response(null, { status: 204 }));
    expect(await waited.api.arena('a/b', filter, 'v7', signal)).toBeNull();
    expect(waited.calls[0]!.url).toBe('/api/v1/arenas/a%2Fb?since=v7&player=0&player=2&no_faults=true');
    const told = scripted(() => new Response('{"version":8,"games":[]}'));
    expect(await told.api.arenaLive('a', null, signal)).toEqual({ version: 8, value: [] });
    expect(told.calls[0]!.url).toBe('/api/v1/arenas/a/live');
  });

  test('a rematch shows its ticket', async () => {
    const { calls, api } = scripted(() => new Response('{"room":"r","tickets":[]}', { status: 201 }));
    await api.rematch('a/b', 'secret');
    expect(calls[0]!.url).toBe('/api/v1/rooms/a%2Fb/rematch');
    expect(new Headers(calls[0]!.init.headers).get('x-ticket')).toBe('secret');
  });
});

test('lines come one by one, cut wherever the stream cuts them', async () => {
  const parts = ['{"ply', '":0}\n{"ply":1}\n', '\n{"text":"é', '"}'];
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const bytes = new TextEncoder().encode(parts.join(''));
      for (let i = 0; i < bytes.length; i += 5) {
        controller.enqueue(bytes.slice(i, i + 5));
      }
      controller.close();
    },
  });
  const lines: string[] = [];
  await eachLine(stream, (line) => lines.push(line));
  expect(lines).toEqual(['{"ply":0}', '{"ply":1}', '{"text":"é"}']);
});
