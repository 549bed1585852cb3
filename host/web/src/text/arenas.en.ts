// The texts of the pages of arenas in English.
import type { Format } from '../api/arena';
import type { Duration } from '../arena/figures';
import { plural } from './plural';

function format(of: Format): string {
  switch (of.format) {
    case 'match':
      return `match of ${plural(of.pairs, 'pair', 'pairs')}`;
    case 'gauntlet':
      return `gauntlet, ${plural(of.folds, 'pair', 'pairs')} with each opponent`;
    case 'round-robin':
      return `round robin, ${plural(of.folds, 'pair', 'pairs')} of each two`;
    case 'swiss':
      return `Swiss system, ${plural(of.rounds, 'round', 'rounds')}`;
    case 'knockout':
      return `knockout, ${plural(of.pairs, 'pair', 'pairs')} a meeting`;
    case 'ladder':
      return `ladder of ${plural(of.pairs, 'pair', 'pairs')}`;
  }
}

function duration({ days, hours, minutes, seconds }: Duration): string {
  const parts = [days > 0 && plural(days, 'day', 'days'), hours > 0 && `${hours} h`, minutes > 0 && `${minutes} min`, seconds > 0 && `${seconds} s`];
  return parts.filter(Boolean).join(' ') || '0 s';
}

export const arenas = {
  title: 'Arenas',
  lead: 'Matches and tournaments of engines that this machine plays, or has played.',
  none: 'There are no arenas yet. `sandboard arena` begins one.',
  name: 'Name',
  format,
  formatHead: 'Format',
  players: 'Players',
  playersAnd: (names: string, more: number) => (more === 0 ? names : `${names} and ${more} more`),
  state: 'State',
  states: { running: 'running', stopping: 'coming to an end', open: 'paused', complete: 'complete' },
  stateIs: (name: string, state: string) => `${name}: ${state}.`,
  progress: 'Progress',
  pairs: (counted: string, all: string) => `${counted} of ${all} pairs`,
  pairsMost: (most: string) => `at most ${most}`,
  began: (moment: string) => `began ${moment}`,
  playing: (n: number) => `${plural(n, 'game', 'games')} in play`,
  void: (n: number) => `${plural(n, 'pair is', 'pairs are')} void: a game could not be played`,
  waiting: (n: number) => `${plural(n, 'game waits', 'games wait')} for one before to be counted`,
  amount: (games: number, shown: string, moves: string) => `${plural(games, 'game', 'games', shown)}, ${moves} moves`,
  speed: (moves: string) => `${moves} moves a second`,
  left: (duration: string) => `about ${duration} left`,
  duration,
  old: (why: string) => `What is shown may be old: ${why}. Trying again …`,
  firstSeat: (side: string, elo: string, low: string, high: string) => `${side}, the first seat, is worth ${elo} Elo (${low} to ${high}).`,
  saveAs: 'Save',
  files: { report: 'Report (HTML)', table: 'Table (CSV)', games: 'Games (CSV)' },
  stop: 'Stop after the games in play',
  stopSure: 'Really begin no more games?',

  duel: (first: string, second: string) => `${first} against ${second}`,
  score: 'Score',
  elo: 'Elo',
  normalized: 'Normalised Elo',
  superiority: 'Likely the stronger',
  to: (low: string, high: string) => `${low} to ${high}`,
  unbounded: 'not bounded',
  pairsBy: 'Pairs by points',
  test: 'Sequential test',
  testOf: (elo0: string, elo1: string, model: string, alpha: string, beta: string) =>
    `${elo0} against ${elo1} ${model}, errors of ${alpha} and ${beta}.`,
  models: { logistic: 'Elo', normalized: 'normalised Elo' },
  ratio: (llr: string, lower: string, upper: string) => `Logarithm of the likelihood ratio: ${llr}, between ${lower} and ${upper}.`,
  verdicts: {
    open: () => 'Not decided yet.',
    lower: (first: string, elo: string) => `Decided: ${first} is no more than ${elo} stronger.`,
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
    faults: 'Faults',
    time: 'Time a move',
    cpu: 'CPU a move',
    fuel: 'Fuel a move',
    memory: 'Memory',
    hits: 'Ponder hits',
  } as Record<string, string>,
  winsSaid: 'Won, drawn, lost',
  ties: {
    'head-to-head': 'Head to head',
    buchholz: 'Buchholz',
    'sonneborn-berger': 'Sonneborn–Berger',
    wins: 'Wins',
  } as Record<string, string>,
  byes: (points: string) => `${points} from byes`,
  withdrawn: 'withdrawn',
  unrated: {
    above: 'above all who are rated',
    below: 'below all who are rated',
    apart: 'not connected with the others',
    'no-games': 'no games',
  },

  ratings: 'Ratings',
  ratingsLead: 'Elo above the mean of all, with the 95 % interval.',
  glickoLead: 'Ratings by Glicko-2, with the 95 % interval.',
  ratingsSaid: (players: string) => `Ratings with their intervals: ${players}.`,
  ratingSaid: (name: string, elo: string, low: string, high: string) => `${name} ${elo}, ${low} to ${high}`,
  course: 'Ratings over the counted pairs',
  firstMost: (n: number) => `The first ${n} of the table.`,
  courseSaid: (pairs: string, players: string) => `Ratings over ${pairs} counted pairs; at the end: ${players}.`,
  noRatings: 'Nobody has a rating yet.',

  cross: 'Who against whom',
  crossLead: 'Points of the player of the row; below them games won, drawn and lost. Each leads to its games.',
  crossCell: (player: string, opponent: string) => `${player} against ${opponent}:`,

  bySeat: 'By seat',
  all: 'all',
  byOpening: 'By opening',
  opening: 'Opening',
  start: 'start position',
  share: (side: string) => `Share of ${side}`,
  margins: ['1–1', '1½–½', '2–0'] as [string, string, string],
  marginsSaid: (margin: string) => `Pairs that ended ${margin}`,
  gamesOfOpening: (n: number) => `Games of opening ${n}`,
  noOpenings: 'No game from an opening is counted.',
  more: 'More',

  faults: 'Faults',
  noFaults: 'No engine did anything wrong.',
  fault: 'Fault',
  firstGame: 'First game',
  atMove: (n: number) => `at move ${n}`,

  who: 'Who plays',
  engine: 'Engine',
  budget: 'Time',
  options: 'Options',
  module: 'SHA-256',

  filter: 'Count only some games',
  filtered: 'The tables count only some of the games. Progress, faults and what engines spent are of all.',
  filterPlayers: 'Games of these players',
  filterPlayersLead: 'None: of all. Otherwise those against each other, so two at least.',
  round: 'Round',
  withoutFaults: 'without games that ended by a fault',
  apply: 'Show',
  clear: 'Count all',

  games: 'Games',
  latest: 'Latest games',
  allGames: 'All games',
  gamesOf: (arena: string) => `Games of ${arena}`,
  anybody: 'anybody',
  player: 'Player',
  opponent: 'Opponent',
  onlyFaults: 'only those that ended by a fault',
  noGames: 'No games are found.',
  gameFacts: (pair: number, round: number) => `pair ${pair}, round ${round}`,
  openingFacts: (n: number) => `opening ${n}`,
  back: (arena: string) => `To the arena ${arena}`,
  backToIt: 'To the arena',

  wall: 'In play',
  wallNone: 'No game is in play at this moment.',
  wallMore: (n: number, of: number) => `${n} of ${of} games are shown.`,
  hold: 'Hold the boards still',
  lastMove: (move: string) => `last: ${move}`,
  says: (score: string) => `says ${score}`,
};
