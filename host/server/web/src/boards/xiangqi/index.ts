// Xiangqi, as the client's shell sees it.
import { boardThemeOption } from '../shared/board-themes';
import type { GameDefinition } from '../types';

export const xiangqi: GameDefinition = {
  loadBoard: async () => (await import('./Board.svelte')).default,
  loadDescribeMove: async () => (await import('./notation')).describeMove,
  loadMoveNames: async () => (await import('./notation')).moveNames,
  loadPieceKeys: async () => (await import('./notation')).pieceKeys,
  loadPieceIcon: async () => (await import('./PieceIcon.svelte')).default,
  moveCells: (move) => [move.slice(0, 2), move.slice(2)],
  loadPositionRules: async () => (await import('./position-rules')).positionRules,
  sampleMoves: 'h2e2 h9g7 h0g2 i9h9 i0h0 h7h3 g3g4 c6c5'.split(' '),
  scoreScale: { unit: 100, losses: [50, 120, 300] },
  hasOpeningNames: true,
  sidesFaceEachOther: true,
  appearanceOptions: [
    boardThemeOption('wood'),
    {
      name: 'moves',
      label: (t) => t.xiangqiMoves.label,
      values: [
        { value: 'language', label: (t) => t.xiangqiMoves.language },
        { value: 'chinese', label: (t) => t.xiangqiMoves.chinese },
        { value: 'wxf', label: (t) => t.xiangqiMoves.wxf },
        { value: 'coordinates', label: (t) => t.xiangqiMoves.coordinates },
      ],
    },
    {
      name: 'pieces',
      label: (t) => t.appearance.pieces,
      values: (['characters', 'letters', 'pictures'] as const).map((value) => ({
        value,
        label: (t) => t.appearance.xiangqiPieces[value],
      })),
    },
  ],
};
