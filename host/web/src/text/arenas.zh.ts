// The texts of the pages of arenas in Chinese.
import type { Format } from '../api/arena';
import type { arenas as en } from './arenas.en';

function format(of: Format): string {
  switch (of.format) {
    case 'match':
      return `对抗赛，共 ${of.pairs} 对`;
    case 'gauntlet':
      return `擂台赛，每个对手 ${of.folds} 对`;
    case 'round-robin':
      return `循环赛，每两人 ${of.folds} 对`;
    case 'swiss':
      return `瑞士制，共 ${of.rounds} 轮`;
    case 'knockout':
      return `淘汰赛，每场 ${of.pairs} 对`;
    case 'ladder':
      return `天梯赛，共 ${of.pairs} 对`;
  }
}

export const arenas: typeof en = {
  title: '竞技场',
  lead: '本机正在进行或已经进行的引擎对抗赛与循环赛。',
  none: '还没有竞技场。用 `sandboard arena` 可以开始一场。',
  name: '名称',
  format,
  formatHead: '赛制',
  players: '棋手',
  playersAnd: (names, more) => (more === 0 ? names : `${names}，另有 ${more} 名`),
  state: '状态',
  states: { running: '进行中', stopping: '即将停止', open: '已暂停', complete: '已完成' },
  stateIs: (name, state) => `${name}：${state}。`,
  progress: '进度',
  pairs: (counted, all) => `${counted} / ${all} 对`,
  pairsMost: (most) => `最多 ${most} 对`,
  began: (moment) => `开始于 ${moment}`,
  playing: (n) => `${n} 局正在进行`,
  void: (n) => `${n} 组作废：有对局无法进行`,
  waiting: (n) => `${n} 局等前面的下完再计入`,
  amount: (_, shown, moves) => `${shown} 局，${moves} 步`,
  speed: (moves) => `每秒 ${moves} 步`,
  left: (duration) => `大约还需 ${duration}`,
  duration: ({ days, hours, minutes, seconds }) =>
    [days > 0 && `${days} 天`, hours > 0 && `${hours} 小时`, minutes > 0 && `${minutes} 分`, seconds > 0 && `${seconds} 秒`]
      .filter(Boolean)
      .join(' ') || '0 秒',
  old: (why) => `所示内容可能已旧：${why}。正在重试……`,
  firstSeat: (side, elo, low, high) => `先手（${side}）值 ${elo} Elo（${low} 至 ${high}）。`,
  saveAs: '保存',
  files: { report: '报告（HTML）', table: '表格（CSV）', games: '对局（CSV）' },
  stop: '下完在下的棋就停',
  stopSure: '真的不再开始新的对局吗？',

  duel: (first, second) => `${first} 对 ${second}`,
  score: '得分率',
  elo: 'Elo',
  normalized: '归一化 Elo',
  superiority: '更强的可能性',
  to: (low, high) => `${low} 至 ${high}`,
  unbounded: '没有界限',
  pairsBy: '各得分的对数',
  test: '序贯检验',
  testOf: (elo0, elo1, model, alpha, beta) => `${elo0} 对 ${elo1}（${model}），错误率 ${alpha} 与 ${beta}。`,
  models: { logistic: 'Elo', normalized: '归一化 Elo' },
  ratio: (llr, lower, upper) => `对数似然比：${llr}，界限 ${lower} 与 ${upper}。`,
  verdicts: {
    open: () => '尚未判定。',
    lower: (first, elo) => `已判定：${first} 最多强 ${elo}。`,
    upper: (first, elo) => `已判定：${first} 至少强 ${elo}。`,
  },

  standings: '名次',
  columns: {
    place: '名次',
    name: '棋手',
    points: '得分',
    games: '局数',
    wins: '+ = −',
    rating: '等级分',
    glicko: 'Glicko-2',
    faults: '故障',
    time: '每步用时',
    cpu: '每步 CPU',
    fuel: '每步燃料',
    memory: '内存',
    hits: '预想命中',
  },
  winsSaid: '胜、和、负',
  ties: { 'head-to-head': '相互成绩', buchholz: '布赫霍尔茨', 'sonneborn-berger': '索伯', wins: '胜局' },
  byes: (points) => `轮空得 ${points} 分`,
  withdrawn: '已退出',
  unrated: { above: '高于所有有等级分者', below: '低于所有有等级分者', apart: '与其他棋手没有关联', 'no-games': '没有对局' },

  ratings: '等级分',
  ratingsLead: '高出全体平均的 Elo，以及 95 % 区间。',
  glickoLead: '按 Glicko-2 计算的等级分，以及 95 % 区间。',
  ratingsSaid: (players) => `等级分及其区间：${players}。`,
  ratingSaid: (name, elo, low, high) => `${name} ${elo}，${low} 至 ${high}`,
  course: '等级分随计入的对数而变',
  firstMost: (n) => `名次表的前 ${n} 名。`,
  courseSaid: (pairs, players) => `计入 ${pairs} 对期间的等级分；最后：${players}。`,
  noRatings: '还没有人有等级分。',

  cross: '相互成绩',
  crossLead: '该行棋手的得分；下面是胜、和、负的局数。点击可看这些对局。',
  crossCell: (player, opponent) => `${player} 对 ${opponent}：`,

  bySeat: '按先后手',
  all: '全部',
  byOpening: '按开局',
  opening: '开局',
  start: '初始局面',
  share: (side) => `${side}得分率`,
  margins: ['1–1', '1½–½', '2–0'],
  marginsSaid: (margin) => `以 ${margin} 结束的对数`,
  gamesOfOpening: (n) => `开局 ${n} 的对局`,
  noOpenings: '没有从开局出发且已计入的对局。',
  more: '更多',

  faults: '故障',
  noFaults: '没有引擎出错。',
  fault: '故障',
  firstGame: '首次出现',
  atMove: (n) => `第 ${n} 步`,

  who: '参赛者',
  engine: '引擎',
  budget: '用时',
  options: '选项',
  module: 'SHA-256',

  filter: '只计一部分对局',
  filtered: '表中只计了一部分对局；进度、故障和引擎用量仍是全部对局的。',
  filterPlayers: '这些棋手的对局',
  filterPlayersLead: '不选：全部棋手；否则只计所选棋手相互之间的对局，至少选两名。',
  round: '轮次',
  withoutFaults: '不计因故障而结束的对局',
  apply: '显示',
  clear: '全部计入',

  games: '对局',
  latest: '最近的对局',
  allGames: '全部对局',
  gamesOf: (arena) => `${arena} 的对局`,
  anybody: '不限',
  player: '棋手',
  opponent: '对手',
  onlyFaults: '只看因故障而结束的',
  noGames: '没有找到对局。',
  gameFacts: (pair, round) => `第 ${pair} 对，第 ${round} 轮`,
  openingFacts: (n) => `开局 ${n}`,
  back: (arena) => `回到竞技场 ${arena}`,
  backToIt: '回到竞技场',

  wall: '正在进行',
  wallNone: '此刻没有正在进行的对局。',
  wallMore: (n, of) => `显示 ${of} 局中的 ${n} 局。`,
  hold: '让棋盘静止',
  lastMove: (move) => `上一步：${move}`,
  says: (score) => `评价 ${score}`,
};
