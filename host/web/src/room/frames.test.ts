// Drawings come back as they were, and nothing in them ends the script that holds them.
import { expect, test } from 'vitest';
import { packFrames, scriptText, unpackFrame } from './frames';

test.each([
  [[]],
  [['']],
  [['<svg><a/><a/></svg>', '<svg><a/><b/></svg>', 'text']],
  [['<p>a &lt; b</p>', '<p>a &lt; b</p>']],
])('%o', (frames) => {
  const packed = packFrames(frames);
  expect(frames.map((_, n) => unpackFrame(packed, n))).toEqual(frames);
});

test('equal pieces are kept once', () => {
  const cell = '<rect width="1"/>';
  expect(packFrames([cell.repeat(100), cell.repeat(100)]).pieces).toEqual([cell]);
});

test('a script cannot be ended from within', () => {
  const text = scriptText({ name: '</script><script>alert(1)</script>\u2028' });
  expect(text).not.toMatch(/<|\u2028/);
  expect(JSON.parse(text)).toEqual({ name: '</script><script>alert(1)</script>\u2028' });
});
