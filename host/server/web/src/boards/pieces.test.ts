// Captured pieces are those that are missing, without pawns that were promoted. Capitals are one side, as in a FEN.
import { expect, test } from 'vitest';
import { missingPieces } from './pieces';

const keysOf = (letters: string) =>
  [...letters].map((letter) => `${letter === letter.toUpperCase() ? 'white' : 'black'} ${letter}`);

test.each<[string, string, string, Record<string, number>]>([
  ['nothing', 'KkPP', 'KkPP', {}],
  ['a capture', 'KkPP', 'KkP', { P: 1 }],
  ['a promotion', 'KkPPr', 'KkQPr', {}],
  ['a promotion and a capture', 'KkPPr', 'KkQP', { r: 1 }],
  ['a promotion of one of two pawns, and the other captured', 'PPrKk', 'KkQ', { P: 1, r: 1 }],
  ['a promotion to a piece of which there was one', 'KQPk', 'KQQk', {}],
  ['the promoted queen was captured', 'KQPPk', 'KQPk', { P: 1 }],
  ['the other side captured at the same time', 'KPPkp', 'KQPk', { p: 1 }],
  ['a piece from nowhere', 'Kk', 'KkQ', {}],
  ['an empty start', '', 'Q', {}],
])('%s', (_, start, now, expected) => {
  const found = missingPieces(keysOf(start), keysOf(now));
  expect(Object.fromEntries(found.map(({ key, count }) => [key.at(-1), count]))).toEqual(expected);
});
