// The cards that stand for a card game in a small picture.
import { expect, test } from 'vitest';
import { typicalCards } from './hand';
import type { BoardData } from './types';

/** A table with lines of cards: a word is a line, a letter a card, `?` a back. */
const table = (...lines: string[]): BoardData => ({
  elements: lines.map((line, row) => [
    { kind: 'cards', places: Array.from(line, (_, index) => `${row}.${index}`) },
    { kind: 'text', text: 'a note' },
  ]),
  pieces: lines.flatMap((line, row) =>
    Array.from(line, (text, index) => ({
      place: `${row}.${index}`,
      shape: text === '?' ? ('back' as const) : ('card' as const),
      text,
    })),
  ),
});

test.each<[string, BoardData, string | null]>([
  ['cards from the whole of a hand', table('?', 'ABCDEFGHIJKLM', 'NOPQ'), 'AEIM'],
  ['a short hand', table('ABC', 'D'), 'ABC'],
  ['one card for each player', table('K', 'Q'), 'KQ'],
  ['one card', table('?', 'A'), 'A'],
  ['no card is open', table('??'), null],
  ['a board', { elements: [[{ kind: 'grid', rows: [['a1']] }]], pieces: [] }, null],
])('%s', (_, board, cards) => {
  expect(
    typicalCards(board)
      ?.map(({ text }) => text)
      .join('') ?? null,
  ).toBe(cards);
});
