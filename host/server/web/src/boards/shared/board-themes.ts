// The looks that every board offers. Their colours are in themes.css.
import './themes.css';
import type { AppearanceOption } from '../types';

const THEMES = ['wood', 'paper', 'slate', 'green'] as const;
export type BoardTheme = (typeof THEMES)[number];

/** The choice of a board's look, the default first. */
export function boardThemeOption(first: BoardTheme): AppearanceOption {
  return {
    name: 'board',
    label: (t) => t.appearance.board,
    values: [first, ...THEMES.filter((theme) => theme !== first)].map((value) => ({
      value,
      label: (t) => t.appearance.boards[value],
    })),
  };
}

/** The choice between flat stones and stones with light and shade. */
export const stonesOption: AppearanceOption = {
  name: 'pieces',
  label: (t) => t.appearance.pieces,
  values: [
    { value: 'flat', label: (t) => t.appearance.stones.flat },
    { value: 'shaded', label: (t) => t.appearance.stones.shaded },
  ],
};
