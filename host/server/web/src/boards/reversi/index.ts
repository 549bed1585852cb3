// Reversi, as the client's shell sees it.
import { boardThemeOption, stonesOption } from '../shared/board-themes';
import type { GameDefinition } from '../types';

export const reversi: GameDefinition = {
  loadBoard: async () => (await import('./Board.svelte')).default,
  loadDescribeMove: async () => (await import('./notation')).describeMove,
  loadPositionRules: async () => (await import('./position-rules')).positionRules,
  sampleMoves: 'f5 d6 c3 d3 c4 f4 f6 f3 e6 e7'.split(' '),
  scoreScale: { unit: 1, losses: [2, 5, 10] },
  hasOpeningNames: true,
  sidesFaceEachOther: false,
  appearanceOptions: [boardThemeOption('wood'), stonesOption],
};
