// Gomoku and renju, as the client's shell sees them.
import { boardThemeOption, stonesOption } from '../shared/board-themes';
import type { GameDefinition } from '../types';

export const gomoku: GameDefinition = {
  loadBoard: async () => (await import('./Board.svelte')).default,
  loadDescribeMove: async () => (await import('./notation')).describeMove,
  loadPositionRules: async () => (await import('./position-rules')).positionRules,
  sampleMoves: 'h8 i9 i7 g9 h9 h7 i8 g8 g10 f11 j8 k8 h10 j9'.split(' '),
  scoreScale: { unit: 100, losses: [100, 250, 600] },
  hasOpeningNames: true,
  sidesFaceEachOther: false,
  appearanceOptions: [boardThemeOption('wood'), stonesOption],
};
