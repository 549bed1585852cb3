// The English texts of the arena pages.
import type { Format } from '../api/arena';
import type { Duration } from '../arena/statistics';
import { pluralOf } from './plural';

const plural = pluralOf('en');

/** Two players play pairs of games. More play tables, in which each has every seat once. */
const pairsOf = (n: number, players: number): string =>
  players > 2 ? plural(n, 'table', 'tables') : plural(n, 'pair', 'pairs');

function format(format: Format, players: number): string {
  switch (format.format) {
    case 'match':
      return `match of ${pairsOf(format.pairs, players)}`;
    case 'gauntlet':
      return `gauntlet, ${pairsOf(format.cycles, players)} against each ${players > 2 ? 'set of opponents' : 'opponent'}`;
    case 'round-robin':
      return `round robin, ${pairsOf(format.cycles, players)} of every ${players > 2 ? 'set of' : 'two'} players`;
    case 'swiss':
      return `Swiss system, ${plural(format.rounds, 'round', 'rounds')}`;
    case 'knockout':
      return `knockout, ${pairsOf(format.pairs, players)} per match`;
    case 'ladder':
      return `ladder of ${pairsOf(format.pairs, players)}`;
  }
}

function duration({ days, hours, minutes, seconds }: Duration): string {
  const parts = [
    days > 0 && plural(days, 'day', 'days'),
    hours > 0 && `${hours} h`,
    minutes > 0 && `${minutes} min`,
    seconds > 0 && `${seconds} s`,
  ];
  return parts.filter(Boolean).join(' ') || '0 s';
}

export const arenas = {
  title: 'Arenas',
  lead: 'Engine matches and tournaments on this machine.',
  none: 'There are no arenas yet.',
  newArena: 'New arena',
  newArenaLead: 'Let engines play a match or a tournament on this machine.',
  arenaName: 'Name (blank: made from the players)',
  formatLabel: 'Kind',
  formats: {
    match: 'Match: the same players meet again and again',
    'round-robin': 'Round robin: all meet all',
    gauntlet: 'Gauntlet: the first player meets all others',
    swiss: 'Swiss system: players with similar scores meet',
    knockout: 'Knockout: losers are eliminated',
    ladder: 'Ladder: players of similar strength meet',
  },
  counts: {
    match: 'Pairs of games',
    'round-robin': 'Pairs of every two players',
    gauntlet: 'Pairs with each opponent',
    swiss: 'Rounds',
    knockout: 'Pairs in each meeting',
    ladder: 'Pairs of games',
  },
  countLead: 'In a pair, two players meet twice from one opening, with the seats exchanged.',
  playersHead: 'Players',
  playerNumber: (n: number) => `Player ${n}`,
  addPlayer: 'Add player',
  removePlayer: (n: number) => `Remove player ${n}`,
  ownBudget: 'a time of its own',
  budgetOfAll: 'Time of each player',
  openingsHead: 'Openings',
  openingsFile: 'Openings from a file',
  openingsText: 'One opening in each line: moves, or a position',
  openingsLead: 'Without openings, every pair begins from the start position.',
  test: 'end by a sequential test (SPRT)',
  testLead: 'Ends as soon as it is clear whether player 1 is stronger by at most the first, or by at least the second.',
  elo0: 'At most, in Elo',
  elo1: 'At least, in Elo',
  gamesAtOnce: 'Games at once',
  gamesAtOnceLead: (free: number, max: number) =>
    `${free} of ${max} are free. Games of arenas have a lower priority than rooms, but share the cores with them.`,
  startArena: 'Start arena',
  startingArena: 'Starting …',
  fieldIsWrong: (field: string, why: string) => `${field}: ${why}`,
  pausedLead: 'Nothing is played at the moment. All finished games are kept; games that were in progress begin again.',
  lastRunFailed: (why: string) => `The last run ended with an error: ${why}`,
  resume: 'Resume',
  stopLead: 'Games in progress are finished, no further game begins. You can resume the arena later.',
  format,
  playersAndMore: (names: string, more: number) => (more === 0 ? names : `${names} and ${more} more`),
  states: { running: 'running', stopping: 'stopping', open: 'paused', complete: 'complete' },
  stateIs: (name: string, state: string) => `${name}: ${state}.`,
  progress: 'Progress',
  pairs: (counted: string, all: string, players: number) => `${counted} of ${all} ${players > 2 ? 'tables' : 'pairs'}`,
  maxPairs: (max: string) => `at most ${max}`,
  started: (date: string) => `started ${date}`,
  gamesInProgress: (n: number) => `${plural(n, 'game', 'games')} in progress`,
  voidPairs: (n: number, players: number) =>
    `${players > 2 ? plural(n, 'void table', 'void tables') : plural(n, 'void pair', 'void pairs')} with a game that could not be played`,
  gamesWaiting: (n: number) => `${plural(n, 'game', 'games')} waiting for an earlier game`,
  gamesAndMoves: (games: number, shown: string, moves: string) =>
    `${plural(games, 'game', 'games', shown)}, ${moves} moves`,
  speed: (moves: string) => `${moves} moves per second`,
  timeLeft: (duration: string) => `about ${duration} left`,
  longGame: (pair: number, duration: string, times: number) =>
    `a game of pair ${pair} has lasted ${duration}, ${times} times the mean`,
  duration,
  outOfDate: (why: string) => `The data may be out of date: ${why}. Trying again …`,
  firstSeatAdvantage: (side: string, elo: string, low: string, high: string) =>
    `Advantage of the first seat (${side}): ${elo} Elo (${low} to ${high}).`,
  save: 'Save',
  files: { report: 'Report (HTML)', table: 'Table (CSV)', games: 'Games (CSV)' },
  stop: 'Stop after the current games',
  stopQuestion: 'Really start no more games?',

  match: (first: string, second: string) => `${first} against ${second}`,
  score: 'Score',
  elo: 'Elo',
  normalized: 'Normalised Elo',
  superiority: 'Likelihood of superiority',
  to: (low: string, high: string) => `${low} to ${high}`,
  unbounded: 'unbounded',
  pairsBy: 'Pairs by points',
  sequentialTest: 'Sequential test',
  testSettings: (elo0: string, elo1: string, model: string, alpha: string, beta: string) =>
    `${elo0} against ${elo1} ${model}; error rates ${alpha} and ${beta}.`,
  models: { logistic: 'Elo', normalized: 'normalised Elo' },
  likelihoodRatio: (llr: string, lower: string, upper: string) =>
    `Log-likelihood ratio: ${llr}, between ${lower} and ${upper}.`,
  verdicts: {
    open: () => 'Undecided.',
    lower: (first: string, elo: string) => `Decided: ${first} is at most ${elo} stronger.`,
    upper: (first: string, elo: string) => `Decided: ${first} is at least ${elo} stronger.`,
  },

  standings: 'Standings',
  columns: {
    place: 'Place',
    name: 'Player',
    points: 'Points',
    games: 'Games',
    wins: '+ = −',
    rating: 'Rating',
    glicko: 'Glicko-2',
    skill: 'Skill',
    score: 'Mean score',
    duplicate: 'Duplicate',
    faults: 'Faults',
    time: 'Time per move',
    cpu: 'CPU per move',
    fuel: 'Fuel per move',
    memory: 'Memory',
    hits: 'Ponder hits',
  } as Record<string, string>,
  winsDrawsLosses: 'Wins, draws, losses',
  tieBreaks: {
    'head-to-head': 'Head to head',
    buchholz: 'Buchholz',
    'sonneborn-berger': 'Sonneborn–Berger',
    wins: 'Wins',
  } as Record<string, string>,
  byes: (points: string) => `${points} from byes`,
  withdrawn: 'withdrawn',
  unrated: {
    above: 'above all rated players',
    below: 'below all rated players',
    unconnected: 'not connected with the other players',
    'no-games': 'no games',
  },

  ratings: 'Ratings',
  ratingsLead: 'Elo relative to the mean of all players, with 95 % intervals.',
  glickoLead: 'Glicko-2 ratings, with 95 % intervals.',
  ratingsSummary: (players: string) => `Ratings with their intervals: ${players}.`,
  ratingSummary: (name: string, elo: string, low: string, high: string) => `${name} ${elo}, ${low} to ${high}`,
  ratingHistory: 'Rating history',
  topOnly: (n: number) => `Only the top ${n}.`,
  historySummary: (pairs: string, players: string) =>
    `Rating history over ${pairs} counted pairs. Latest ratings: ${players}.`,
  noRatings: 'No ratings yet.',

  crossTable: 'Crosstable',
  crossTableLead:
    'The points of the row’s player; below them wins, draws and losses. Each cell links to the games of the two players.',
  crossCell: (player: string, opponent: string) => `${player} against ${opponent}:`,

  bySeat: 'By seat',
  seat: (place: number) => `Seat ${place}`,
  total: 'total',
  byOpening: 'By opening',
  opening: 'Opening',
  startPosition: 'start position',
  scoreOf: (side: string) => `Score of ${side}`,
  margins: ['1–1', '1½–½', '2–0'] as [string, string, string],
  pairsWithMargin: (margin: string) => `Pairs that ended ${margin}`,
  gamesOfOpening: (n: number) => `Games of opening ${n}`,
  noOpenings: 'No counted games from openings.',
  more: 'More',

  faults: 'Faults',
  noFaults: 'No faults.',
  fault: 'Fault',
  /** The kinds of faults, by their codes. */
  faultCodes: {
    load: 'load',
    start: 'start',
    timeout: 'timeout',
    fuel: 'fuel',
    memory: 'memory',
    stack: 'stack',
    crash: 'crash',
    protocol: 'protocol',
    flood: 'flood',
    error: 'error',
    'illegal-move': 'illegal move',
    cpu: 'cpu',
    host: 'host',
  } as Record<string, string>,
  firstGame: 'First game',
  atMove: (n: number) => `at move ${n}`,

  playerSettings: 'Players and their settings',
  engine: 'Engine',
  budget: 'Time',
  options: 'Options',
  module: 'SHA-256',

  filter: 'Filter games',
  filtered: 'The tables count only the filtered games. Progress, faults and resource use are of all games.',
  filterPlayers: 'Games between these players',
  filterPlayersLead: 'None selected: all players. Otherwise select at least two.',
  round: 'Round',
  excludeFaults: 'exclude games that ended by a fault',
  apply: 'Apply',
  clear: 'Remove the filter',

  games: 'Games',
  latestGames: 'Latest games',
  allGames: 'All games',
  gamesOf: (arena: string) => `Games of ${arena}`,
  anyPlayer: 'any player',
  player: 'Player',
  opponent: 'Opponent',
  onlyFaults: 'only games that ended by a fault',
  noGames: 'No games found.',
  pairAndRound: (pair: number, round: number, players: number) =>
    `${players > 2 ? 'table' : 'pair'} ${pair}, round ${round}`,
  openingNumber: (n: number) => `opening ${n}`,
  backTo: (arena: string) => `Back to the arena ${arena}`,
  backToArena: 'Back to the arena',

  liveGames: 'Live games',
  noLiveGames: 'No games in progress.',
  showingGames: (n: number, all: number) => `${n} of ${all} games are shown.`,
  freeze: 'Freeze the boards',
  lastMove: (move: string) => `last move: ${move}`,
  evaluation: (score: string) => `evaluation ${score}`,
};
