// The Chinese texts of the arena pages.
import type { Format } from '../api/arena';
import type { arenas as en } from './arenas.en';

/** 两人对局以“对局组”计；多人对局以“桌”计，每人各坐一次每个座位。 */
const unitOf = (players: number) => (players > 2 ? '桌' : '个对局组');

function format(format: Format, players: number): string {
  const unit = unitOf(players);
  switch (format.format) {
    case 'match':
      return `对抗赛，共 ${format.pairs} ${unit}`;
    case 'gauntlet':
      return `擂台赛，与每${players > 2 ? '组' : '个'}对手 ${format.cycles} ${unit}`;
    case 'round-robin':
      return `循环赛，每${players > 2 ? '组' : '两名'}棋手 ${format.cycles} ${unit}`;
    case 'swiss':
      return `瑞士制，共 ${format.rounds} 轮`;
    case 'knockout':
      return `淘汰赛，每场 ${format.pairs} ${unit}`;
    case 'ladder':
      return `天梯赛，共 ${format.pairs} ${unit}`;
  }
}

export const arenas: typeof en = {
  title: '竞技场',
  lead: '本机上的引擎对抗赛和锦标赛。',
  none: '还没有竞技场。',
  newArena: '新建竞技场',
  newArenaLead: '让引擎在本机上进行对抗赛或锦标赛。',
  arenaName: '名称（留空：由棋手名生成）',
  formatLabel: '赛制',
  formats: {
    match: '对抗赛：相同的棋手反复对局',
    'round-robin': '循环赛：所有棋手互相对局',
    gauntlet: '擂台赛：第一名棋手与其他所有棋手对局',
    swiss: '瑞士制：积分相近的棋手对局',
    knockout: '淘汰赛：负者出局',
    ladder: '天梯赛：实力相近的棋手对局',
  },
  counts: {
    match: '对局组数',
    'round-robin': '每两名棋手的对局组数',
    gauntlet: '与每个对手的对局组数',
    swiss: '轮数',
    knockout: '每场的对局组数',
    ladder: '对局组数',
  },
  countLead: '一个对局组是两名棋手从同一开局交换先后手各下一局。',
  playersHead: '棋手',
  playerNumber: (n) => `棋手 ${n}`,
  addPlayer: '添加棋手',
  removePlayer: (n) => `移除棋手 ${n}`,
  ownBudget: '单独设定用时',
  budgetOfAll: '每名棋手的用时',
  openingsHead: '开局',
  openingsFile: '从文件读取开局',
  openingsText: '每行一个开局：着法或局面',
  openingsLead: '没有开局时，每个对局组都从初始局面开始。',
  test: '以序贯检验（SPRT）结束',
  testLead: '一旦能判定棋手 1 最多强前一数值，或至少强后一数值，检验即结束。',
  elo0: '最多（Elo）',
  elo1: '至少（Elo）',
  gamesAtOnce: '同时进行的对局数',
  gamesAtOnceLead: (free, max) => `共 ${max}，空闲 ${free}。竞技场对局的优先级低于房间，但与房间共用处理器核心。`,
  startArena: '开始',
  startingArena: '正在开始……',
  fieldIsWrong: (field, why) => `${field}：${why}`,
  pausedLead: '目前没有对局在进行。已结束的对局都已保存；未下完的对局将重新开始。',
  lastRunFailed: (why) => `上次运行出错：${why}`,
  resume: '继续',
  stopLead: '进行中的对局会下完，不再开始新的对局。之后可以继续。',
  format,
  playersAndMore: (names, more) => (more === 0 ? names : `${names}，另有 ${more} 名`),
  states: { running: '进行中', stopping: '正在停止', open: '已暂停', complete: '已完成' },
  stateIs: (name, state) => `${name}：${state}。`,
  progress: '进度',
  pairs: (counted, all, players) => `${counted} / ${all} ${unitOf(players)}`,
  maxPairs: (max) => `最多 ${max}`,
  started: (date) => `开始于 ${date}`,
  gamesInProgress: (n) => `${n} 局进行中`,
  voidPairs: (n, players) => `${n} ${unitOf(players)}作废（有对局无法进行）`,
  gamesWaiting: (n) => `${n} 局等待前面的对局`,
  gamesAndMoves: (_, shown, moves) => `${shown} 局，${moves} 步`,
  speed: (moves) => `每秒 ${moves} 步`,
  timeLeft: (duration) => `大约还需 ${duration}`,
  longGame: (pair, duration, times) => `第 ${pair} 对的一局已持续 ${duration}，是平均时长的 ${times} 倍`,
  duration: ({ days, hours, minutes, seconds }) =>
    [
      days > 0 && `${days} 天`,
      hours > 0 && `${hours} 小时`,
      minutes > 0 && `${minutes} 分`,
      seconds > 0 && `${seconds} 秒`,
    ]
      .filter(Boolean)
      .join(' ') || '0 秒',
  outOfDate: (why) => `数据可能不是最新的：${why}。正在重试……`,
  firstSeatAdvantage: (side, elo, low, high) => `先手（${side}）优势：${elo} Elo（${low} 至 ${high}）。`,
  save: '保存',
  files: { report: '报告（HTML）', table: '表格（CSV）', games: '对局（CSV）' },
  stop: '当前对局结束后停止',
  stopQuestion: '确定不再开始新的对局吗？',

  match: (first, second) => `${first} 对 ${second}`,
  score: '得分率',
  elo: 'Elo',
  normalized: '归一化 Elo',
  superiority: '更强的概率',
  to: (low, high) => `${low} 至 ${high}`,
  unbounded: '无界',
  pairsBy: '按得分的对局组数',
  sequentialTest: '序贯检验',
  testSettings: (elo0, elo1, model, alpha, beta) => `${elo0} 对 ${elo1}（${model}），错误率 ${alpha} 与 ${beta}。`,
  models: { logistic: 'Elo', normalized: '归一化 Elo' },
  likelihoodRatio: (llr, lower, upper) => `对数似然比：${llr}，界限 ${lower} 与 ${upper}。`,
  verdicts: {
    open: () => '尚未判定。',
    lower: (first, elo) => `已判定：${first} 最多强 ${elo}。`,
    upper: (first, elo) => `已判定：${first} 至少强 ${elo}。`,
  },

  standings: '名次表',
  columns: {
    place: '名次',
    name: '棋手',
    points: '得分',
    games: '局数',
    wins: '+ = −',
    rating: '等级分',
    glicko: 'Glicko-2',
    skill: '实力',
    score: '平均分',
    duplicate: '复式得分',
    faults: '故障',
    time: '每步用时',
    cpu: '每步 CPU',
    fuel: '每步燃料',
    memory: '内存',
    hits: '预测命中率',
  },
  winsDrawsLosses: '胜、和、负',
  tieBreaks: { 'head-to-head': '相互成绩', buchholz: '布赫霍尔茨', 'sonneborn-berger': '索伯', wins: '胜局' },
  byes: (points) => `轮空得 ${points} 分`,
  withdrawn: '已退出',
  unrated: {
    above: '高于所有有等级分的棋手',
    below: '低于所有有等级分的棋手',
    unconnected: '与其他棋手没有关联',
    'no-games': '没有对局',
  },

  ratings: '等级分',
  ratingsLead: '相对于全体平均的 Elo，附 95 % 置信区间。',
  glickoLead: 'Glicko-2 等级分，附 95 % 置信区间。',
  ratingsSummary: (players) => `等级分及其区间：${players}。`,
  ratingSummary: (name, elo, low, high) => `${name} ${elo}，${low} 至 ${high}`,
  ratingHistory: '等级分走势',
  topOnly: (n) => `仅显示前 ${n} 名。`,
  historySummary: (pairs, players) => `计入 ${pairs} 个对局组期间的等级分走势；最新等级分：${players}。`,
  noRatings: '还没有等级分。',

  crossTable: '交叉表',
  crossTableLead: '该行棋手的得分，下方为胜、和、负。点击单元格可查看双方的对局。',
  crossCell: (player, opponent) => `${player} 对 ${opponent}：`,

  bySeat: '按先后手',
  seat: (place) => `${place} 号位`,
  total: '合计',
  byOpening: '按开局',
  opening: '开局',
  startPosition: '起始局面',
  scoreOf: (side) => `${side}得分率`,
  margins: ['1–1', '1½–½', '2–0'],
  pairsWithMargin: (margin) => `以 ${margin} 结束的对局组数`,
  gamesOfOpening: (n) => `开局 ${n} 的对局`,
  noOpenings: '没有从指定开局开始的对局。',
  more: '更多',

  faults: '故障',
  noFaults: '没有故障。',
  fault: '故障',
  faultCodes: {
    load: '无法加载',
    start: '启动失败',
    timeout: '超时',
    fuel: '燃料用尽',
    memory: '内存超限',
    stack: '栈溢出',
    crash: '崩溃',
    protocol: '协议错误',
    flood: '输出过多',
    error: '引擎报错',
    'illegal-move': '违规着法',
    cpu: 'CPU 时间用尽',
    host: '主机故障',
  },
  firstGame: '首次出现',
  atMove: (n) => `第 ${n} 步`,

  playerSettings: '参赛引擎与设置',
  engine: '引擎',
  budget: '用时',
  options: '选项',
  module: 'SHA-256',

  filter: '筛选对局',
  filtered: '表格只统计筛选出的对局；进度、故障和资源用量包括全部对局。',
  filterPlayers: '这些棋手之间的对局',
  filterPlayersLead: '不选表示全部棋手；否则至少选择两名。',
  round: '轮次',
  excludeFaults: '排除因故障结束的对局',
  apply: '应用',
  clear: '清除筛选',

  games: '对局',
  latestGames: '最近的对局',
  allGames: '全部对局',
  gamesOf: (arena) => `${arena} 的对局`,
  anyPlayer: '任意棋手',
  player: '棋手',
  opponent: '对手',
  onlyFaults: '只看因故障结束的对局',
  noGames: '没有找到对局。',
  pairAndRound: (pair, round, players) => `第 ${pair} ${unitOf(players)}，第 ${round} 轮`,
  openingNumber: (n) => `开局 ${n}`,
  backTo: (arena) => `返回竞技场 ${arena}`,
  backToArena: '返回竞技场',

  liveGames: '进行中的对局',
  noLiveGames: '目前没有进行中的对局。',
  showingGames: (n, all) => `显示 ${all} 局中的 ${n} 局。`,
  freeze: '冻结棋盘',
  lastMove: (move) => `上一步：${move}`,
  evaluation: (score) => `评估 ${score}`,
};
