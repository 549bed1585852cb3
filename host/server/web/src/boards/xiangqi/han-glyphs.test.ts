// Missing characters as the browsers show them, and real ones.
import { expect, test } from 'vitest';
import { drawsHan } from './han-glyphs';

/** A canvas that draws Han characters with this width, equal or different pictures, and a missing character with that. */
const canvas = (width: number, isEqual: boolean, missingWidth: number) => ({
  width: (text: string) => (text === '\uFDD0' ? missingWidth : width),
  picture: (text: string) => (isEqual ? 'box' : text),
});

test.each([
  ['a real font', canvas(64, false, 38), true],
  ['a real font whose box is a square', canvas(64, false, 64), true],
  ['empty boxes', canvas(38, true, 38), false],
  ['empty boxes that are squares', canvas(64, true, 64), false],
  ['boxes with numbers', canvas(50, false, 50), false],
])('%s', (_, drawn, expected) => {
  expect(drawsHan(drawn)).toBe(expected);
});
