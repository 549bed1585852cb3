// Tickets are stored by room and loaded again; damaged storage yields none.
import { describe, expect, test } from 'vitest';
import { inviteLink, loadTickets, storeTickets, ticketOfFragment } from './tickets';

/** A storage with one text, whatever the key. */
function memoryStorage(initial?: string) {
  let text = initial ?? null;
  return { getItem: () => text, setItem: (_: string, value: string) => void (text = value) };
}

test('stored and loaded by room; a ticket that is stored again is replaced', () => {
  const storage = memoryStorage();
  storeTickets(storage, 'a', [{ ticket: 'x', player: null, forInvite: false }]);
  storeTickets(storage, 'b', [{ ticket: 'y', player: 1, forInvite: true }]);
  storeTickets(storage, 'a', [{ ticket: 'x', player: 0, forInvite: false }]);
  expect(loadTickets(storage, 'a')).toEqual([{ ticket: 'x', player: 0, forInvite: false }]);
  expect(loadTickets(storage, 'b')).toEqual([{ ticket: 'y', player: 1, forInvite: true }]);
  expect(loadTickets(storage, 'c')).toEqual([]);
});

const device = { engine: 'e', fuel: 1e9, options: { level: '2' } };

test('a ticket that is stored again keeps its engine', () => {
  const storage = memoryStorage();
  storeTickets(storage, 'a', [{ ticket: 'x', player: null, forInvite: false, device }]);
  storeTickets(storage, 'a', [{ ticket: 'x', player: 1, forInvite: false }]);
  expect(loadTickets(storage, 'a')).toEqual([{ ticket: 'x', player: 1, forInvite: false, device }]);
});

test.each([
  [device, 1],
  [{ ...device, engine: 1 }, 0],
  [{ ...device, fuel: '1e9' }, 0],
  [{ ...device, fuel: 0.5 }, 0],
  [{ ...device, options: { level: 2 } }, 0],
  [{ ...device, options: null }, 0],
  [null, 0],
])('a stored engine %o', (device, count) => {
  const tickets = [{ ticket: 'x', player: 1, forInvite: false, device }];
  const stored = JSON.stringify({ version: 1, rooms: [{ room: 'a', tickets }] });
  expect(loadTickets(memoryStorage(stored), 'a')).toHaveLength(count);
});

test('the oldest rooms are dropped', () => {
  const storage = memoryStorage();
  for (let i = 0; i <= 200; i += 1) {
    storeTickets(storage, `r${i}`, [{ ticket: 't', player: 0, forInvite: false }]);
  }
  expect([loadTickets(storage, 'r0').length, loadTickets(storage, 'r1').length]).toEqual([0, 1]);
});

test.each([
  '{',
  'null',
  '[]',
  '{"version":2,"rooms":[]}',
  '{"version":1,"rooms":[null,{"room":"a"},{"room":"a","tickets":[{"ticket":1}]}]}',
])('damaged: %s', (stored) => {
  expect(loadTickets(memoryStorage(stored), 'a')).toEqual([]);
});

describe('invite links', () => {
  test.each([
    ['#abc-_1', 'abc-_1'],
    ['abc', 'abc'],
    ['#', null],
    ['', null],
    ['#%zz', null],
    ['#a%20b', null],
    // The operator's token is no ticket.
    ['#token=abc', null],
    [`#${'a'.repeat(201)}`, null],
  ])('%s', (fragment, ticket) => {
    expect(ticketOfFragment(fragment)).toBe(ticket);
  });

  test('a link yields its ticket again', () => {
    const link = inviteLink('http://h', 'r 1', 'a/b');
    expect(link).toBe('http://h/room/r%201#a%2Fb');
    expect(ticketOfFragment(new URL(link).hash)).toBe('a/b');
  });
});
