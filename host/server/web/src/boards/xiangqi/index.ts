// Xiangqi, as the client's shell sees it.
import { STONE_SIDES } from '../shared/stones';
import type { GameDefinition } from '../types';

export const xiangqi: GameDefinition = {
  name: { en: 'Xiangqi', zh: '象棋' },
  sides: { red: { en: 'Red', zh: '红方' }, black: STONE_SIDES.black },
  loadBoard: async () => (await import('./Board.svelte')).default,
  loadDescribeMove: async () => (await import('./notation')).describeMove,
  loadPieceKeys: async () => (await import('./notation')).pieceKeys,
  loadPieceIcon: async () => (await import('./PieceIcon.svelte')).default,
  moveCells: (move) => [move.slice(0, 2), move.slice(2)],
  loadPositionRules: async () => (await import('./position-rules')).positionRules,
  sampleMoves: 'h2e2 h9g7 h0g2 i9h9 i0h0 h7h3 g3g4 c6c5'.split(' '),
  scoreScale: { unit: 100, losses: [50, 120, 300] },
  sidesFaceEachOther: true,
  appearanceOptions: [
    {
      name: 'pieces',
      label: { en: 'Xiangqi pieces', zh: '象棋棋子' },
      values: [
        { value: 'classical', label: { en: 'characters', zh: '汉字' } },
        { value: 'lettered', label: { en: 'letters', zh: '字母' } },
      ],
    },
  ],
};
