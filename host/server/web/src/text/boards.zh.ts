// The Chinese texts of the boards.
import type { BoardTexts } from './boards.en';
import type { Suit } from '../boards/bridge/notation';
import { rankLabel, type BridgeTexts } from '../boards/bridge/texts';
import type { GenericTexts } from '../boards/generic/texts';
import type { GomokuTexts } from '../boards/gomoku/texts';
import type { ReversiTexts } from '../boards/reversi/texts';
import type { Color, PieceKind } from '../boards/xiangqi/notation';
import type { XiangqiTexts } from '../boards/xiangqi/texts';

const SUITS_ZH: Record<Suit, string> = { S: '黑桃', H: '红心', D: '方块', C: '梅花' };

/** The names of pieces in simplified Chinese. */
const NAMES_ZH: Record<Color, Record<PieceKind, string>> = {
  red: { king: '红帅', advisor: '红仕', elephant: '红相', horse: '红马', rook: '红车', cannon: '红炮', pawn: '红兵' },
  black: { king: '黑将', advisor: '黑士', elephant: '黑象', horse: '黑马', rook: '黑车', cannon: '黑炮', pawn: '黑卒' },
};

const gomoku: GomokuTexts = {
  board: (size) => `棋盘，${size} 路`,
  colors: { black: '黑', white: '白' },
  empty: '空',
  stone: (point, color) => `${point}，${color}`,
  offered: (point, color) => `${color}方提出打点 ${point}`,
  cell: (...parts) => parts.join('，'),
  lastMove: '最后一手',
  hint: '提示',
  offer: (letter) => `打点 ${letter}`,
  moveNumber: (n) => `第 ${n} 手`,
  moveNumbers: '手数',
  forbidden: { overline: '禁手：长连', 'double-four': '禁手：四四', 'double-three': '禁手：三三' },
  foul: (point) => `${point} 犯禁`,
  fifths: (n) => `五手 ${n} 打`,
  questions: {
    opening: '请摆放开局棋子。',
    swap: '是否交换黑白？',
    announce: '五手几打？',
    offer: '请提出第五手的打点。',
    pick: '请选择一个打点。',
  },
  offersMade: (made, all) => `已提出 ${made} / ${all}`,
  buttons: { swap: '交换', keep: '不交换', 'put-two': '再下两子', pass: '停一手' },
  announce: (n) => `${n} 打`,
  announceInstead: (n) => `五手 ${n} 打`,
  decisions: { swap: '交换黑白', keep: '不交换', 'put-two': '再下两子', pass: '停一手' },
  announced: (n) => `五手 ${n} 打`,
  unreadable: '无法显示此局面。',
};

const reversi: ReversiTexts = {
  board: (size) => `棋盘，${size} × ${size}`,
  colors: { black: '黑', white: '白' },
  empty: '空',
  cell: (...parts) => parts.join('，'),
  lastMove: '最后一手',
  hint: '提示',
  flips: (discs) => `翻转 ${discs} 子`,
  count: (color, discs) => `${color} ${discs}`,
  pass: '弃权',
  passes: (color) => `${color}方弃权`,
  mustPass: '无处可下，必须弃权。',
  unreadable: '无法显示此局面。',
};

const xiangqi: XiangqiTexts = {
  board: '象棋棋盘',
  empty: '空',
  piece: ({ color, kind }) => NAMES_ZH[color][kind],
  cell: (...parts) => parts.join('，'),
  move: (piece, from, to) => `${piece} ${from} 到 ${to}`,
  takes: (move, taken) => `${move}，吃${taken}`,
  target: '可走',
  lastMove: '最后一手',
  check: '被将军',
  inCheck: { red: '红方被将军。', black: '黑方被将军。' },
  hint: '提示',
  unreadable: '无法显示此局面。',
};

const bridge: BridgeTexts = {
  board: '桥牌桌',
  seats: ['北', '东', '南', '西'],
  card: (suit, rank) => `${SUITS_ZH[suit]}${rankLabel(rank)}`,
  cell: (...parts) => parts.join('，'),
  hint: (label) => (label ? `提示：${label}` : '提示'),
  value: (tricks) => `${tricks} 墩`,
  best: '最佳',
  strain: (strain) => (strain === 'NT' ? '无将' : `将牌：${SUITS_ZH[strain]}`),
  toPlay: (seat) => `轮到${seat}家`,
  tricks: (northSouth, eastWest) => `墩数：南北 ${northSouth}，东西 ${eastWest}`,
  doubleDummy: (tricks) => `双明手：南北 ${tricks} 墩`,
  valueFromHere: (side, tricks) => `此局面双明手：${side === 0 ? '南北' : '东西'} ${tricks} 墩`,
  unreadable: '无法显示此局面。',
};

const generic: GenericTexts = {
  board: '棋盘',
  empty: '空',
  cell: (...parts) => parts.join('，'),
  colors: {
    black: '黑',
    white: '白',
    red: '红',
    blue: '蓝',
    green: '绿',
    yellow: '黄',
    orange: '橙',
    purple: '紫',
    brown: '棕',
    gray: '灰',
  },
  disc: (color) => color,
  piece: (color, text) => `${color} ${text}`,
  plainPiece: '棋子',
  faceDown: (count) => (count === 1 ? '牌，背面朝上' : `${count} 张牌，背面朝上`),
  times: (count, piece) => `${count} × ${piece}`,
  highlights: { last: '最后一手', target: '标记', threat: '受威胁', win: '获胜' },
  selected: '已选',
  canMove: '可移动',
  target: '可走',
  hint: '提示',
  choose: '选择哪一着？',
  moveFromTo: (piece, from, to) => `${piece} ${from} 到 ${to}`,
};

export const boards: BoardTexts = {
  gomoku,
  reversi,
  xiangqi,
  bridge,
  generic,
  names: { gomoku: '五子棋与连珠', reversi: '黑白棋', xiangqi: '象棋', bridge: '桥牌（双明手打牌）' },
  sides: { black: '黑方', white: '白方', red: '红方', NS: '南北', EW: '东西' },
  variants: {
    'gomoku/freestyle': ['自由规则', '五子或更多连成一线即胜'],
    'gomoku/standard': ['标准规则', '恰好五子连成一线才胜，长连无效'],
    'gomoku/caro': ['卡罗规则', '恰好五连且两端没有都被堵住才胜'],
    'gomoku/renju': ['连珠', '白方五连或长连即胜；黑方须恰好五连，且有禁手'],
    'gomoku/renju-contest': ['连珠（竞赛开局）', '连珠；摆三子并宣布打点数，交换，再提出第五手打点'],
    'gomoku/renju-rif': ['连珠（国际连珠规则）', '连珠；摆三子，交换，第五手两打'],
    'gomoku/yamaguchi': ['山口规则', '连珠；摆三子并宣布 1 至 12 打，交换，再提出同样多的第五手打点'],
    'gomoku/soosorv-8': ['索索夫-8', '连珠；摆三子，交换，第四手并宣布 1 至 8 打，交换，再提出同样多的打点'],
    'gomoku/taraguchi-10': ['塔拉山口-10', '连珠；前五手逐手在中心附近落子并可交换，或第五手十打'],
    'gomoku/swap': ['三手交换', '标准规则；一方摆三子，另一方选择执黑或执白'],
    'gomoku/swap2': ['三手交换 2', '标准规则；摆三子，另一方选择颜色，或再摆两子'],
    'reversi/standard': ['标准规则', '与奥赛罗棋相同：中央交叉摆四子，黑方先行'],
    'xiangqi/computer': ['电脑比赛规则', '同一局面第三次出现时，长将、长捉判负；120 步未吃子判和'],
    'bridge/double-dummy': ['双明手', '双明手：四家明牌，每家 1 至 13 张，以墩数论胜负'],
  },
  variant: (name, size, fifths, game) => {
    const unit = game === 'bridge' ? ' 张' : ['gomoku', 'reversi'].includes(game) ? ' 路' : '';
    const details = [size !== null && `${size}${unit}`, fifths !== null && `最多五手 ${fifths} 打`].filter(Boolean);
    return details.length === 0 ? name : `${name}（${details.join('，')}）`;
  },
  fifthsSetting: '第五手最多可宣布的打点数',
  editor: { put: '放置', sideToMove: '轮到', clear: '清空棋盘', empty: '清除' },
  editorSides: { black: '黑', white: '白', red: '红' },
  xiangqiMoves: {
    label: '记谱',
    language: '随语言（中文记谱）',
    chinese: '中文（炮二平五）',
    wxf: 'WXF（C2=5）',
    coordinates: '坐标（h2e2）',
  },
  appearance: {
    board: '棋盘',
    boards: { wood: '木纹', paper: '纸面', slate: '石板', green: '绿色' },
    pieces: '棋子',
    stones: { flat: '平面', shaded: '立体' },
    suits: { label: '花色', two: '两种颜色', four: '四种颜色' },
    xiangqiPieces: { characters: '汉字', letters: '字母', pictures: '图案' },
  },
  exactValuesOfBridge: '双明手墩数',
  tricksOf: (side) => `${side}的墩数`,
};
