// Packed frames unpack unchanged, and no text in them can end their script element.
import { expect, test } from 'vitest';
import { packFrames, scriptJson, unpackFrame } from './frame-packing';

test.each([
  [[]],
  [['']],
  [['<svg><a/><a/></svg>', '<svg><a/><b/></svg>', 'text']],
  [['<p>a &lt; b</p>', '<p>a &lt; b</p>']],
])('%o', (frames) => {
  const packed = packFrames(frames);
  expect(frames.map((_, n) => unpackFrame(packed, n))).toEqual(frames);
});

test('equal pieces are stored once', () => {
  const cell = '<rect width="1"/>';
  expect(packFrames([cell.repeat(100), cell.repeat(100)]).pieces).toEqual([cell]);
});

test('no text ends the script element', () => {
  const text = scriptJson({ name: '</script><script>alert(1)</script>\u2028' });
  expect(text).not.toMatch(/<|\u2028/);
  expect(JSON.parse(text)).toEqual({ name: '</script><script>alert(1)</script>\u2028' });
});
