// The API calls over a scripted `fetch`: addresses, bodies, errors, streams.
import { describe, expect, test } from 'vitest';
import { createClient, forEachLine, parseProblem } from './client';

/** A client whose requests get a fixed response, and the requests that it made. */
function clientAnswering(answer: () => Response | Promise<Response>) {
  const calls: { url: string; init: RequestInit }[] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    calls.push({ url, init });
    return answer();
  }) as unknown as typeof globalThis.fetch;
  return { calls, api: createClient(fetch) };
}

describe('errors', () => {
  test.each([
    [
      404,
      '{"type":"/problems/not-found","title":"Not found","status":404,"detail":"no room `x`"}',
      'not-found',
      'no room `x`',
    ],
    [500, '{"title":"Oh"}', 'internal', 'Oh'],
    [502, '<html>', 'status', 'the server answered with status 502'],
    [400, 'null', 'status', 'the server answered with status 400'],
  ])('%i %s', (status, text, kind, message) => {
    const error = parseProblem(status, text);
    expect([error.status, error.kind, error.message]).toEqual([status, kind, message]);
  });

  test('no response', async () => {
    const { api } = clientAnswering(() => Promise.reject(new TypeError('failed')));
    await expect(api.games()).rejects.toMatchObject({ status: 0, kind: 'network' });
  });
});

describe('calls', () => {
  test('a query omits empty values and encodes the others', async () => {
    const { calls, api } = clientAnswering(() => new Response('{"bouts":[],"next":null}'));
    await api.bouts({ game: 'gomoku', name: 'A&B', engine: '', before: null, limit: 5 });
    expect(calls[0]!.url).toBe('/api/v1/bouts?game=gomoku&name=A%26B&limit=5');
  });

  test('an arena request names all players; an unchanged arena is not an error', async () => {
    const { signal } = new AbortController();
    const filter = { player: [0, 2], opening: null, no_faults: 'true' };
    const unchanged = clientAnswering(() => new Response(null, { status: 204 }));
    expect(await unchanged.api.arena('a/b', filter, 'v7', signal)).toBeNull();
    expect(unchanged.calls[0]!.url).toBe('/api/v1/arenas/a%2Fb?since=v7&player=0&player=2&no_faults=true');
    const changed = clientAnswering(() => new Response('{"version":8,"games":[]}'));
    expect(await changed.api.liveGames('a', null, signal)).toEqual({ version: 8, value: [] });
    expect(changed.calls[0]!.url).toBe('/api/v1/arenas/a/live');
  });

  test('a rematch sends its ticket', async () => {
    const { calls, api } = clientAnswering(() => new Response('{"room":"r","tickets":[]}', { status: 201 }));
    await api.rematch('a/b', 'secret');
    expect(calls[0]!.url).toBe('/api/v1/rooms/a%2Fb/rematch');
    expect(new Headers(calls[0]!.init.headers).get('x-ticket')).toBe('secret');
  });
});

test('splits a stream into lines, wherever its chunks end', async () => {
  const chunks = ['{"ply', '":0}\n{"ply":1}\n', '\n{"text":"é', '"}'];
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const bytes = new TextEncoder().encode(chunks.join(''));
      for (let i = 0; i < bytes.length; i += 5) {
        controller.enqueue(bytes.slice(i, i + 5));
      }
      controller.close();
    },
  });
  const lines: string[] = [];
  await forEachLine(stream, (line) => lines.push(line));
  expect(lines).toEqual(['{"ply":0}', '{"ply":1}', '{"text":"é"}']);
});
