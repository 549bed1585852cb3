// The pictures of the pieces for those who do not read Chinese: paths of lines around the centre 0 0 of a disc of radius 1.
import type { PieceKind } from './notation';

export const PIECE_PICTURES: Readonly<Record<PieceKind, string>> = {
  // A crown.
  king: 'M-.5 .42H.5M-.46 .22L-.58 -.3L-.24 -.02L0 -.5L.24 -.02L.58 -.3L.46 .22Z',
  // An official's cap with two wings.
  advisor:
    'M-.34 .3V-.02C-.34 -.6 .34 -.6 .34 -.02V.3ZM-.34 .12C-.46 0 -.56 .02 -.62 .16M.34 .12C.46 0 .56 .02 .62 .16',
  // The head of an elephant, with ears, trunk and eyes.
  elephant:
    'M-.24 -.36C-.7 -.6 -.72 .1 -.3 .04M.24 -.36C.7 -.6 .72 .1 .3 .04M-.3 .04C-.4 -.62 .4 -.62 .3 .04C.28 .18 .16 .14 .14 .28V.42C.14 .58 -.1 .58 -.12 .42M-.14 .28C-.16 .14 -.28 .18 -.3 .04M-.12 -.1V-.08M.12 -.1V-.08',
  // The head of a horse.
  horse:
    'M-.34 .5H.42C.5 .1 .44 -.3 .06 -.42L-.06 -.58L-.14 -.4C-.34 -.28 -.42 -.08 -.52 .08L-.4 .24L-.08 .1C-.06 .26 -.26 .34 -.34 .5ZM-.12 -.16V-.14',
  // The wheel of a chariot.
  rook: 'M0 -.54A.54 .54 0 1 1 0 .54A.54 .54 0 1 1 0 -.54ZM0 -.14A.14 .14 0 1 1 0 .14A.14 .14 0 1 1 0 -.14ZM0 -.54V-.14M0 .14V.54M-.54 0H-.14M.14 0H.54M-.38 -.38L-.1 -.1M.1 .1L.38 .38M-.38 .38L-.1 .1M.1 -.1L.38 -.38',
  // A cannon on its wheel.
  cannon:
    'M-.52 -.02L.44 -.5L.6 -.22L-.36 .28C-.62 .34 -.68 .08 -.52 -.02ZM-.02 .1A.22 .22 0 1 1 -.02 .54A.22 .22 0 1 1 -.02 .1ZM.2 .44L.5 .5',
  // A soldier with a spear.
  pawn: 'M-.12 -.5A.18 .18 0 1 1 -.12 -.14A.18 .18 0 1 1 -.12 -.5ZM-.46 .5C-.46 -.02 .22 -.02 .22 .5ZM.42 .5V-.5M.3 -.32L.42 -.56L.54 -.32',
};
