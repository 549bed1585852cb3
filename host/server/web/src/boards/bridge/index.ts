// Bridge with open hands (double dummy), as the client's shell sees it.
import type { GameDefinition } from '../types';
import { valueForNorthSouth } from './score';

export const bridge: GameDefinition = {
  name: { en: 'Bridge, double dummy', zh: '桥牌（双明手打牌）' },
  sides: { NS: { en: 'North–South', zh: '南北' }, EW: { en: 'East–West', zh: '东西' } },
  loadBoard: async () => (await import('./Board.svelte')).default,
  loadDescribeMove: async () => (await import('./notation')).describeMove,
  scoreScale: { unit: 1, losses: [1, 2, 3], valueForFirstSide: valueForNorthSouth },
  sidesFaceEachOther: false,
  exactValuesLabel: { en: 'Double-dummy values', zh: '双明手墩数' },
};
