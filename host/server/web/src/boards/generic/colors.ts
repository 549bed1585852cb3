// The shades of a board's colours, and the marks that tell discs apart without colour.
import type { BoardColor } from './types';

/** The fill of a piece, and the ink of marks and texts on it. */
export interface Shade {
  fill: string;
  ink: string;
}

const DARK_INK = 'var(--stone-black, #1c1a17)';
const LIGHT_INK = 'var(--stone-white, #fdfaf3)';

export const SHADES: Readonly<Record<BoardColor, Shade>> = {
  black: { fill: 'var(--stone-black, #1c1a17)', ink: LIGHT_INK },
  white: { fill: 'var(--stone-white, #fdfaf3)', ink: DARK_INK },
  red: { fill: 'var(--piece-red, #a8281b)', ink: LIGHT_INK },
  blue: { fill: 'var(--piece-blue, #23568f)', ink: LIGHT_INK },
  green: { fill: 'var(--piece-green, #2d6a33)', ink: LIGHT_INK },
  yellow: { fill: 'var(--piece-yellow, #f5ca3d)', ink: DARK_INK },
  orange: { fill: 'var(--piece-orange, #e98a2b)', ink: DARK_INK },
  purple: { fill: 'var(--piece-purple, #6f3d8f)', ink: LIGHT_INK },
  brown: { fill: 'var(--piece-brown, #6b4423)', ink: LIGHT_INK },
  gray: { fill: 'var(--piece-gray, #9a958c)', ink: DARK_INK },
};

/** A piece without a colour. */
export const PLAIN: Shade = { fill: LIGHT_INK, ink: DARK_INK };

/** The colour of a text or glyph on the page; absent: that of texts. */
export function inkOf(color: BoardColor | undefined): string {
  switch (color) {
    case undefined:
    case 'black':
      return 'var(--text, #1f1b16)';
    case 'red':
      return 'var(--error, #a3211a)';
    default:
      return SHADES[color].fill;
  }
}

/** The path of the mark on a disc of a colour, with the centre 0 0 and the radius 1. Black and white differ by their shade. */
export const DISC_MARKS: Readonly<Record<BoardColor, string>> = {
  black: '',
  white: '',
  red: 'M-.6 0a.6.6 0 1 0 1.2 0a.6.6 0 1 0-1.2 0Z',
  yellow: 'M0-.55V.55M-.55 0H.55',
  blue: 'M-.42-.42H.42V.42H-.42Z',
  green: 'M0-.55L.5.35H-.5Z',
  orange: 'M-.4-.4L.4.4M-.4.4L.4-.4',
  purple: 'M0-.6L.6 0L0 .6L-.6 0Z',
  brown: 'M-.55 0H.55',
  gray: 'M0-.55V.55',
};
