// Finds out whether the browser has a font with the characters of the pieces. Without one it would draw an empty box, or a
// box with a number, for every piece.

/** Brush-style fonts for the characters on the pieces, where installed. */
export const PIECE_FONTS =
  "STKaiti, 'Kaiti TC', KaiTi, DFKai-SB, 'AR PL UKai TW', 'Noto Serif CJK TC', 'Noto Serif TC', 'Songti TC', serif";

/** The part of a canvas that is used here. */
export interface TextCanvas {
  /** The width of a text, in pixels. */
  width(text: string): number;
  /** What a text looks like; equal only for equal pictures. */
  picture(text: string): string;
}

const SIZE = 64;
/** A character that no font has. */
const MISSING = '\uFDD0';
const [ONE, OTHER] = ['帥', '炮'];

/** Whether Han characters are drawn as such. */
export function drawsHan(canvas: TextCanvas): boolean {
  // A missing character has the width of the box in its place. A real one may have the same width, but fills a square, and
  // differs from other characters.
  if (canvas.width(ONE) !== canvas.width(MISSING)) {
    return true;
  }
  return Math.abs(canvas.width(ONE) - SIZE) < 1 && canvas.picture(ONE) !== canvas.picture(OTHER);
}

const known = new Map<string, boolean>();

/** Whether these fonts, or the browser's fallback, have Han characters; true if that cannot be found out. */
export function hasHanGlyphs(fonts: string): boolean {
  let found = known.get(fonts);
  if (found === undefined) {
    const canvas = createCanvas(fonts);
    found = canvas === null || drawsHan(canvas);
    known.set(fonts, found);
  }
  return found;
}

function createCanvas(fonts: string): TextCanvas | null {
  const element = document.createElement('canvas');
  element.width = element.height = SIZE * 2;
  const context = element.getContext('2d', { willReadFrequently: true });
  if (context === null) {
    return null;
  }
  context.font = `${SIZE}px ${fonts}`;
  return {
    width: (text) => context.measureText(text).width,
    picture: (text) => {
      context.clearRect(0, 0, element.width, element.height);
      context.fillText(text, SIZE / 4, SIZE * 1.25);
      return context.getImageData(0, 0, element.width, element.height).data.join(' ');
    },
  };
}
