// Captured pieces are those that are missing; a promoted pawn is missing, too, and its queen is none of the start.
import { expect, test } from 'vitest';
import { missingPieces } from './pieces';

for (const { start, now, expected } of [
  { start: ['K', 'k', 'P', 'P'], now: ['K', 'k', 'P', 'P'], expected: [] },
  { start: ['K', 'k', 'P', 'P'], now: ['K', 'k', 'P'], expected: [{ key: 'P', count: 1 }] },
  {
    start: ['P', 'P', 'r', 'K', 'k'],
    now: ['K', 'k', 'Q'],
    expected: [
      { key: 'P', count: 2 },
      { key: 'r', count: 1 },
    ],
  },
  { start: [], now: ['Q'], expected: [] },
]) {
  test(`${start.join('')} → ${now.join('')}`, () => expect(missingPieces(start, now)).toEqual(expected));
}
