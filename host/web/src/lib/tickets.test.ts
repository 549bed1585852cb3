// Tickets are kept by room, found again, and never made up from damaged storage.
import { describe, expect, test } from 'vitest';
import { keepTickets, seatLink, ticketOfFragment, ticketsOf } from './tickets';

function memory(first?: string) {
  let text = first ?? null;
  return { getItem: () => text, setItem: (_: string, value: string) => void (text = value) };
}

test('kept and found by room, newer knowledge of one ticket replaces older', () => {
  const store = memory();
  keepTickets(store, 'a', [{ ticket: 'x', player: null, forLink: false }]);
  keepTickets(store, 'b', [{ ticket: 'y', player: 1, forLink: true }]);
  keepTickets(store, 'a', [{ ticket: 'x', player: 0, forLink: false }]);
  expect(ticketsOf(store, 'a')).toEqual([{ ticket: 'x', player: 0, forLink: false }]);
  expect(ticketsOf(store, 'b')).toEqual([{ ticket: 'y', player: 1, forLink: true }]);
  expect(ticketsOf(store, 'c')).toEqual([]);
});

test('the oldest rooms are forgotten', () => {
  const store = memory();
  for (let i = 0; i <= 200; i += 1) {
    keepTickets(store, `r${i}`, [{ ticket: 't', player: 0, forLink: false }]);
  }
  expect([ticketsOf(store, 'r0').length, ticketsOf(store, 'r1').length]).toEqual([0, 1]);
});

test.each(['{', 'null', '[]', '{"version":2,"rooms":[]}', '{"version":1,"rooms":[null,{"room":"a"},{"room":"a","tickets":[{"ticket":1}]}]}'])(
  'damaged: %s',
  (stored) => {
    expect(ticketsOf(memory(stored), 'a')).toEqual([]);
  },
);

describe('links', () => {
  test.each([
    ['#abc-_1', 'abc-_1'],
    ['abc', 'abc'],
    ['#', null],
    ['', null],
    ['#%zz', null],
    ['#a%20b', null],
    [`#${'a'.repeat(201)}`, null],
  ])('%s', (fragment, ticket) => {
    expect(ticketOfFragment(fragment)).toBe(ticket);
  });

  test('there and back', () => {
    const link = seatLink('http://h', 'r 1', 'a/b');
    expect(link).toBe('http://h/room/r%201#a%2Fb');
    expect(ticketOfFragment(new URL(link).hash)).toBe('a/b');
  });
});
