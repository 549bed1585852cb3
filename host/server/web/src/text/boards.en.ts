// The English texts of the boards.
import type { Suit } from '../boards/bridge/notation';
import type { BridgeTexts } from '../boards/bridge/texts';
import type { GenericTexts } from '../boards/generic/texts';
import type { GomokuTexts } from '../boards/gomoku/texts';
import type { ReversiTexts } from '../boards/reversi/texts';
import type { XiangqiTexts } from '../boards/xiangqi/texts';

const SUITS_EN: Record<Suit, string> = { S: 'spades', H: 'hearts', D: 'diamonds', C: 'clubs' };

const RANKS_EN: Record<string, string> = {
  A: 'ace',
  K: 'king',
  Q: 'queen',
  J: 'jack',
  T: 'ten',
  9: 'nine',
  8: 'eight',
  7: 'seven',
  6: 'six',
  5: 'five',
  4: 'four',
  3: 'three',
  2: 'two',
};

const gomoku: GomokuTexts = {
  board: (size) => `Board of ${size} by ${size} points`,
  colors: { black: 'black', white: 'white' },
  empty: 'empty',
  stone: (point, color) => `${point}, ${color}`,
  offered: (point, color) => `${point} offered for ${color}`,
  cell: (...parts) => parts.join(', '),
  lastMove: 'last move',
  hint: 'hint',
  offer: (letter) => `offer ${letter}`,
  moveNumber: (n) => `move ${n}`,
  moveNumbers: 'Move numbers',
  forbidden: {
    overline: 'forbidden: overline',
    'double-four': 'forbidden: double four',
    'double-three': 'forbidden: double three',
  },
  foul: (point) => `Forbidden move at ${point}`,
  fifths: (n) => (n === 1 ? 'One fifth move announced' : `${n} fifth moves announced`),
  questions: {
    opening: 'Place the opening stones.',
    swap: 'Swap colours?',
    announce: 'How many fifth moves do you offer?',
    offer: 'Offer a point for the fifth move.',
    pick: 'Choose one of the offered points.',
  },
  offersMade: (made, all) => `${made} of ${all} offered`,
  buttons: { swap: 'Swap colours', keep: 'Keep colours', 'put-two': 'Place two more stones', pass: 'Pass' },
  announce: (n) => String(n),
  announceInstead: (n) => `Offer ${n} fifth moves`,
  decisions: { swap: 'colours swapped', keep: 'colours kept', 'put-two': 'two more stones', pass: 'pass' },
  announced: (n) => (n === 1 ? 'one fifth move announced' : `${n} fifth moves announced`),
  unreadable: 'This position cannot be shown.',
};

const reversi: ReversiTexts = {
  board: (size) => `Board of ${size} by ${size} squares`,
  colors: { black: 'black', white: 'white' },
  empty: 'empty',
  cell: (...parts) => parts.join(', '),
  lastMove: 'last move',
  hint: 'hint',
  flips: (discs) => `flips ${discs}`,
  count: (color, discs) => `${color} ${discs}`,
  pass: 'pass',
  passes: (color) => `${color} passes`,
  mustPass: 'No legal move: you must pass.',
  unreadable: 'This position cannot be shown.',
};

const xiangqi: XiangqiTexts = {
  board: 'Xiangqi board',
  empty: 'empty',
  piece: ({ color, kind }) => `${color} ${kind}`,
  cell: (...parts) => parts.join(', '),
  move: (piece, from, to) => `${piece} ${from} to ${to}`,
  takes: (move, taken) => `${move}, takes ${taken}`,
  target: 'legal move',
  lastMove: 'last move',
  check: 'in check',
  inCheck: { red: 'Red is in check.', black: 'Black is in check.' },
  hint: 'hint',
  unreadable: 'This position cannot be shown.',
};

const bridge: BridgeTexts = {
  board: 'Bridge table',
  seats: ['north', 'east', 'south', 'west'],
  card: (suit, rank) => `${RANKS_EN[rank]} of ${SUITS_EN[suit]}`,
  cell: (...parts) => parts.join(', '),
  hint: (label) => (label ? `hint: ${label}` : 'hint'),
  value: (tricks) => `${tricks} ${tricks === 1 ? 'trick' : 'tricks'}`,
  best: 'best',
  strain: (strain) =>
    strain === 'NT' ? 'No trumps' : `${SUITS_EN[strain][0]!.toUpperCase()}${SUITS_EN[strain].slice(1)} are trumps`,
  toPlay: (seat) => `${seat} to play`,
  tricks: (northSouth, eastWest) => `tricks: north-south ${northSouth}, east-west ${eastWest}`,
  doubleDummy: (tricks) => `double dummy: north-south ${tricks}`,
  valueFromHere: (side, tricks) => `from here with perfect play: ${side === 0 ? 'north-south' : 'east-west'} ${tricks}`,
  unreadable: 'This position cannot be shown.',
};

const generic: GenericTexts = {
  board: 'Board',
  empty: 'empty',
  cell: (...parts) => parts.join(', '),
  colors: {
    black: 'black',
    white: 'white',
    red: 'red',
    blue: 'blue',
    green: 'green',
    yellow: 'yellow',
    orange: 'orange',
    purple: 'purple',
    brown: 'brown',
    gray: 'gray',
  },
  disc: (color) => color,
  piece: (color, text) => `${color} ${text}`,
  plainPiece: 'piece',
  faceDown: (count) => (count === 1 ? 'card, face down' : `${count} cards, face down`),
  times: (count, piece) => `${count} × ${piece}`,
  highlights: { last: 'last move', target: 'marked', threat: 'threatened', win: 'winning' },
  selected: 'selected',
  canMove: 'can move',
  target: 'legal move',
  hint: 'hint',
  choose: 'Which move?',
  moveFromTo: (piece, from, to) => `${piece} ${from} to ${to}`,
};

export const boards = {
  gomoku,
  reversi,
  xiangqi,
  bridge,
  generic,
  names: {
    gomoku: 'Gomoku and renju',
    reversi: 'Reversi',
    xiangqi: 'Xiangqi',
    bridge: 'Bridge, double dummy',
  } as Record<string, string>,
  /** Names of sides and colours at the beginning of a text, by the server's names. */
  sides: { black: 'Black', white: 'White', red: 'Red', NS: 'North–South', EW: 'East–West' } as Record<string, string>,
  /** Variants by `game/id`: a short name, and what they are. */
  variants: {
    'gomoku/freestyle': ['freestyle', 'five or more in a row win'],
    'gomoku/standard': ['standard', 'exactly five in a row win, a longer row has no effect'],
    'gomoku/caro': ['caro', 'exactly five in a row win, unless both ends are blocked'],
    'gomoku/renju': ['renju', 'white wins with five or more, black with exactly five; some black moves are forbidden'],
    'gomoku/renju-contest': [
      'renju-contest',
      'renju; three stones placed, N announced, swap, N offers for the fifth stone',
    ],
    'gomoku/renju-rif': ['renju-rif', 'renju; three stones placed, swap, two offers for the fifth stone'],
    'gomoku/yamaguchi': [
      'yamaguchi',
      'renju; three stones placed, 1 to 12 announced, swap, that many fifth-stone offers',
    ],
    'gomoku/soosorv-8': [
      'soosorv-8',
      'renju; three stones placed, swap, fourth stone and 1 to 8 announced, swap, that many offers',
    ],
    'gomoku/taraguchi-10': [
      'taraguchi-10',
      'renju; swap after each of five stones near the centre, or ten offers for the fifth',
    ],
    'gomoku/swap': ['swap', 'standard; one player places three stones, the other chooses the colour'],
    'gomoku/swap2': ['swap2', 'standard; three stones placed, then a choice of colour or of two more stones'],
    'reversi/standard': ['standard', 'like Othello: four discs crosswise in the centre, black moves first'],
    'xiangqi/computer': [
      'computer rules',
      'rules of computer matches: perpetual check and chase lose at the third occurrence of a position (as Pikafish judges them), 120 plies without a capture are a draw',
    ],
    'bridge/double-dummy': ['double-dummy', 'double dummy: four open hands of 1 to 13 cards, played for tricks'],
  } as Record<string, [name: string, about: string]>,
  /** A variant of a game with its size, or the number of fifth moves; null: the default. */
  variant: (name: string, size: number | null, fifths: number | null, _game: string) =>
    `${name}${size === null ? '' : `-${size}`}${fifths === null ? '' : `:fifths=${fifths}`}`,
  fifthsSetting: 'the maximum number of fifth stones that may be announced',
  editor: { put: 'Put', sideToMove: 'To move', clear: 'Clear the board', empty: 'empty' },
  editorSides: { black: 'black', white: 'white', red: 'red' },
  xiangqiMoves: {
    label: 'Moves',
    language: 'as usual in the language',
    chinese: 'Chinese (炮二平五)',
    wxf: 'WXF (C2=5)',
    coordinates: 'coordinates (h2e2)',
  },
  appearance: {
    board: 'Board',
    boards: { wood: 'wood', paper: 'paper', slate: 'slate', green: 'green' },
    pieces: 'Pieces',
    stones: { flat: 'flat', shaded: 'light and shade' },
    suits: { label: 'Suits', two: 'two colours', four: 'four colours' },
    xiangqiPieces: { characters: 'characters', letters: 'letters', pictures: 'pictures' },
  },
  exactValuesOfBridge: 'Double-dummy values',
  tricksOf: (side: string) => `tricks of ${side}`,
};

export type BoardTexts = typeof boards;
