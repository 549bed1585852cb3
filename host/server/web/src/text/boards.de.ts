// The German texts of the boards.
import type { Suit } from '../boards/bridge/notation';
import type { BridgeTexts } from '../boards/bridge/texts';
import type { GenericTexts } from '../boards/generic/texts';
import type { GomokuTexts } from '../boards/gomoku/texts';
import type { ReversiTexts } from '../boards/reversi/texts';
import type { Color, PieceKind } from '../boards/xiangqi/notation';
import type { XiangqiTexts } from '../boards/xiangqi/texts';
import type { BoardTexts } from './boards.en';

const SUITS: Record<Suit, string> = { S: 'Pik', H: 'Herz', D: 'Karo', C: 'Treff' };
const RANKS: Record<string, string> = { A: 'Ass', K: 'König', Q: 'Dame', J: 'Bube', T: 'Zehn' };

const COLORS: Record<Color, string> = { red: 'rot', black: 'schwarz' };
const PIECES: Record<PieceKind, string> = {
  king: 'König',
  advisor: 'Berater',
  elephant: 'Elefant',
  horse: 'Pferd',
  rook: 'Wagen',
  cannon: 'Kanone',
  pawn: 'Soldat',
};

const gomoku: GomokuTexts = {
  board: (size) => `Brett mit ${size} mal ${size} Punkten`,
  colors: { black: 'schwarz', white: 'weiß' },
  empty: 'leer',
  stone: (point, color) => `${point}, ${color}`,
  offered: (point, color) => `${point} angeboten (${color})`,
  cell: (...parts) => parts.join(', '),
  lastMove: 'letzter Zug',
  hint: 'Tipp',
  offer: (letter) => `Angebot ${letter}`,
  moveNumber: (n) => `Zug ${n}`,
  moveNumbers: 'Zugnummern',
  forbidden: {
    overline: 'verboten: Überlange',
    'double-four': 'verboten: doppelte Vier',
    'double-three': 'verboten: doppelte Drei',
  },
  foul: (point) => `Verbotener Zug auf ${point}`,
  fifths: (n) => (n === 1 ? 'Ein fünfter Zug angekündigt' : `${n} fünfte Züge angekündigt`),
  questions: {
    opening: 'Setze die Steine der Eröffnung.',
    swap: 'Farben tauschen?',
    announce: 'Wie viele fünfte Züge bietest du an?',
    offer: 'Biete einen Punkt für den fünften Zug an.',
    pick: 'Wähle einen der angebotenen Punkte.',
  },
  offersMade: (made, all) => `${made} von ${all} angeboten`,
  buttons: {
    swap: 'Farben tauschen',
    keep: 'Farben behalten',
    'put-two': 'Zwei weitere Steine setzen',
    pass: 'Passen',
  },
  announce: (n) => String(n),
  announceInstead: (n) => `${n} fünfte Züge anbieten`,
  decisions: {
    swap: 'Farben getauscht',
    keep: 'Farben behalten',
    'put-two': 'zwei weitere Steine',
    pass: 'gepasst',
  },
  announced: (n) => (n === 1 ? 'ein fünfter Zug angekündigt' : `${n} fünfte Züge angekündigt`),
  unreadable: 'Diese Stellung lässt sich nicht anzeigen.',
};

const reversi: ReversiTexts = {
  board: (size) => `Brett mit ${size} mal ${size} Feldern`,
  colors: { black: 'schwarz', white: 'weiß' },
  empty: 'leer',
  cell: (...parts) => parts.join(', '),
  lastMove: 'letzter Zug',
  hint: 'Tipp',
  flips: (discs) => `dreht ${discs} um`,
  count: (color, discs) => `${color} ${discs}`,
  pass: 'passen',
  passes: (color) => `${color} passt`,
  mustPass: 'Kein möglicher Zug: du musst passen.',
  unreadable: 'Diese Stellung lässt sich nicht anzeigen.',
};

const xiangqi: XiangqiTexts = {
  board: 'Xiangqi-Brett',
  empty: 'leer',
  piece: ({ color, kind }) => `${PIECES[kind]} ${COLORS[color]}`,
  cell: (...parts) => parts.join(', '),
  move: (piece, from, to) => `${piece} ${from} nach ${to}`,
  takes: (move, taken) => `${move}, schlägt ${taken}`,
  target: 'möglicher Zug',
  lastMove: 'letzter Zug',
  check: 'im Schach',
  inCheck: { red: 'Rot steht im Schach.', black: 'Schwarz steht im Schach.' },
  hint: 'Tipp',
  unreadable: 'Diese Stellung lässt sich nicht anzeigen.',
};

const bridge: BridgeTexts = {
  board: 'Bridgetisch',
  seats: ['Nord', 'Ost', 'Süd', 'West'],
  card: (suit, rank) => `${SUITS[suit]} ${RANKS[rank] ?? rank}`,
  cell: (...parts) => parts.join(', '),
  hint: (label) => (label ? `Tipp: ${label}` : 'Tipp'),
  value: (tricks) => `${tricks} ${tricks === 1 ? 'Stich' : 'Stiche'}`,
  best: 'beste',
  strain: (strain) => (strain === 'NT' ? 'Ohne Trumpf' : `${SUITS[strain]} ist Trumpf`),
  toPlay: (seat) => `${seat} am Zug`,
  tricks: (northSouth, eastWest) => `Stiche: Nord–Süd ${northSouth}, Ost–West ${eastWest}`,
  doubleDummy: (tricks) => `mit offenen Karten: Nord–Süd ${tricks}`,
  valueFromHere: (side, tricks) => `von hier bei bestem Spiel: ${side === 0 ? 'Nord–Süd' : 'Ost–West'} ${tricks}`,
  unreadable: 'Diese Stellung lässt sich nicht anzeigen.',
};

const generic: GenericTexts = {
  board: 'Brett',
  empty: 'leer',
  cell: (...parts) => parts.join(', '),
  colors: {
    black: 'schwarz',
    white: 'weiß',
    red: 'rot',
    blue: 'blau',
    green: 'grün',
    yellow: 'gelb',
    orange: 'orange',
    purple: 'violett',
    brown: 'braun',
    gray: 'grau',
  },
  disc: (color) => color,
  piece: (color, text) => `${text} ${color}`,
  plainPiece: 'Stein',
  faceDown: (count) => (count === 1 ? 'Karte, verdeckt' : `${count} Karten, verdeckt`),
  times: (count, piece) => `${count} × ${piece}`,
  highlights: { last: 'letzter Zug', target: 'markiert', threat: 'bedroht', win: 'gewinnt' },
  selected: 'gewählt',
  canMove: 'kann ziehen',
  target: 'möglicher Zug',
  hint: 'Tipp',
  choose: 'Welcher Zug?',
  moveFromTo: (piece, from, to) => `${piece} ${from} nach ${to}`,
};

export const boards: BoardTexts = {
  gomoku,
  reversi,
  xiangqi,
  bridge,
  generic,
  names: { gomoku: 'Gomoku und Renju', reversi: 'Reversi', xiangqi: 'Xiangqi', bridge: 'Bridge mit offenen Karten' },
  sides: { black: 'Schwarz', white: 'Weiß', red: 'Rot', NS: 'Nord–Süd', EW: 'Ost–West' },
  variants: {
    'gomoku/freestyle': ['Freestyle', 'fünf oder mehr in einer Reihe gewinnen'],
    'gomoku/standard': ['Standard', 'genau fünf in einer Reihe gewinnen, eine längere Reihe zählt nicht'],
    'gomoku/caro': ['Caro', 'genau fünf in einer Reihe gewinnen, wenn nicht beide Enden blockiert sind'],
    'gomoku/renju': [
      'Renju',
      'Weiß gewinnt mit fünf oder mehr, Schwarz mit genau fünf; manche Züge sind Schwarz verboten',
    ],
    'gomoku/renju-contest': [
      'Renju (Turnier)',
      'Renju; drei Steine und eine Anzahl, Tausch, so viele Angebote für den fünften Stein',
    ],
    'gomoku/renju-rif': ['Renju (RIF)', 'Renju; drei Steine, Tausch, zwei Angebote für den fünften Stein'],
    'gomoku/yamaguchi': [
      'Yamaguchi',
      'Renju; drei Steine, 1 bis 12 angekündigt, Tausch, so viele Angebote für den fünften Stein',
    ],
    'gomoku/soosorv-8': [
      'Soosorv-8',
      'Renju; drei Steine, Tausch, vierter Stein und 1 bis 8 angekündigt, Tausch, so viele Angebote',
    ],
    'gomoku/taraguchi-10': [
      'Taraguchi-10',
      'Renju; Tausch nach jedem von fünf Steinen nahe der Mitte, oder zehn Angebote für den fünften',
    ],
    'gomoku/swap': ['Swap', 'Standard; der eine setzt drei Steine, der andere wählt die Farbe'],
    'gomoku/swap2': ['Swap2', 'Standard; drei Steine, dann Wahl der Farbe oder zwei weitere Steine'],
    'reversi/standard': ['Standard', 'wie Othello: vier Steine über Kreuz in der Mitte, Schwarz beginnt'],
    'xiangqi/computer': [
      'Computerregeln',
      'Dauerschach und Dauerverfolgung verlieren bei der dritten Wiederholung, 120 Züge ohne Schlagen sind Remis',
    ],
    'bridge/double-dummy': ['offene Karten', 'vier offene Hände mit 1 bis 13 Karten, gespielt um Stiche'],
  },
  variant: (name, size, fifths, game) => {
    const unit = game === 'bridge' ? ' Karten' : ['gomoku', 'reversi'].includes(game) ? ` × ${size}` : '';
    const details = [size !== null && `${size}${unit}`, fifths !== null && `höchstens ${fifths} fünfte Züge`].filter(
      Boolean,
    );
    return details.length === 0 ? name : `${name} (${details.join(', ')})`;
  },
  fifthsSetting: 'wie viele fünfte Steine höchstens angekündigt werden dürfen',
  editor: { put: 'Setzen', sideToMove: 'Am Zug', clear: 'Brett leeren', empty: 'leer' },
  editorSides: { black: 'schwarz', white: 'weiß', red: 'rot' },
  xiangqiMoves: {
    label: 'Züge',
    language: 'wie in der Sprache üblich',
    chinese: 'chinesisch (炮二平五)',
    wxf: 'WXF (C2=5)',
    coordinates: 'Koordinaten (h2e2)',
  },
  appearance: {
    board: 'Brett',
    boards: { wood: 'Holz', paper: 'Papier', slate: 'Schiefer', green: 'Grün' },
    pieces: 'Figuren',
    stones: { flat: 'flach', shaded: 'mit Licht und Schatten' },
    suits: { label: 'Kartenfarben', two: 'zweifarbig', four: 'vierfarbig' },
    xiangqiPieces: { characters: 'Schriftzeichen', letters: 'Buchstaben', pictures: 'Bilder' },
  },
  exactValuesOfBridge: 'Stiche bei offenen Karten',
  tricksOf: (side) => `Stiche von ${side}`,
};
