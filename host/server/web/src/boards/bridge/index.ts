// Bridge with open hands (double dummy), as the client's shell sees it.
import { boardThemeOption } from '../shared/board-themes';
import type { GameDefinition } from '../types';
import { tricksOfNorthSouth } from './score';

export const bridge: GameDefinition = {
  loadBoard: async () => (await import('./Board.svelte')).default,
  loadMoveNames: async () => (await import('./notation')).moveNames,
  loadDescribeMove: async () => (await import('./notation')).describeMove,
  scoreScale: { unit: 1, even: 6.5, losses: [1, 2, 3], valueForFirstSide: tricksOfNorthSouth },
  sampleCards: [
    { text: 'A♠', color: 'black' },
    { text: 'K♥', color: 'red' },
    { text: 'Q♦', color: 'red' },
    { text: 'J♣', color: 'black' },
  ],
  sidesFaceEachOther: false,
  appearanceOptions: [
    boardThemeOption('paper'),
    {
      name: 'suits',
      label: (t) => t.appearance.suits.label,
      values: [
        { value: 'two', label: (t) => t.appearance.suits.two },
        { value: 'four', label: (t) => t.appearance.suits.four },
      ],
    },
  ],
  valuesLabel: (t, side) => t.tricksOf(side),
  exactValuesLabel: (t) => t.exactValuesOfBridge,
};
