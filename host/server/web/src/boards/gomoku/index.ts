// Gomoku and renju, as the client's shell sees them.
import { STONE_SIDES } from '../shared/stones';
import type { GameDefinition } from '../types';

export const gomoku: GameDefinition = {
  name: { en: 'Gomoku and renju', zh: '五子棋与连珠' },
  sides: STONE_SIDES,
  loadBoard: async () => (await import('./Board.svelte')).default,
  loadDescribeMove: async () => (await import('./notation')).describeMove,
  loadPositionRules: async () => (await import('./position-rules')).positionRules,
  scoreScale: { unit: 100, losses: [100, 250, 600] },
  sidesFaceEachOther: false,
};
