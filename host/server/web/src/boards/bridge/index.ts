// Bridge with open hands (double dummy), as the client's shell sees it.
import type { GameDefinition } from '../types';
import { valueForNorthSouth } from './score';

export const bridge: GameDefinition = {
  loadBoard: async () => (await import('./Board.svelte')).default,
  loadMoveNames: async () => (await import('./notation')).moveNames,
  loadDescribeMove: async () => (await import('./notation')).describeMove,
  scoreScale: { unit: 1, losses: [1, 2, 3], valueForFirstSide: valueForNorthSouth },
  sidesFaceEachOther: false,
  exactValuesLabel: (t) => t.exactValuesOfBridge,
};
