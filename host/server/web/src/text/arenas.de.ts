// The German texts of the arena pages.
import type { Format } from '../api/arena';
import type { arenas as en } from './arenas.en';
import { pluralOf } from './plural';

const plural = pluralOf('de');

/** Zwei Spieler spielen Paare von Partien; mehr spielen Tische, an denen jeder jeden Platz einmal hat. */
const pairsOf = (n: number, players: number): string =>
  players > 2 ? plural(n, 'Tisch', 'Tische') : plural(n, 'Paar', 'Paare');

function format(format: Format, players: number): string {
  switch (format.format) {
    case 'match':
      return `Wettkampf, ${pairsOf(format.pairs, players)}`;
    case 'gauntlet':
      return `Gauntlet, ${pairsOf(format.cycles, players)} gegen ${players > 2 ? 'jede Gruppe von Gegnern' : 'jeden Gegner'}`;
    case 'round-robin':
      return `Rundenturnier, ${pairsOf(format.cycles, players)} für ${players > 2 ? 'jede Gruppe von Spielern' : 'je zwei Spieler'}`;
    case 'swiss':
      return `Schweizer System, ${plural(format.rounds, 'Runde', 'Runden')}`;
    case 'knockout':
      return `K.-o.-System, ${pairsOf(format.pairs, players)} je Begegnung`;
    case 'ladder':
      return `Rangliste, ${pairsOf(format.pairs, players)}`;
  }
}

export const arenas: typeof en = {
  title: 'Arenen',
  lead: 'Wettkämpfe und Turniere von Engines auf diesem Rechner.',
  none: 'Noch gibt es keine Arenen.',
  newArena: 'Neue Arena',
  newArenaLead: 'Engines spielen auf diesem Rechner einen Wettkampf oder ein Turnier.',
  arenaName: 'Name (leer: aus den Spielern gebildet)',
  formatLabel: 'Art',
  formats: {
    match: 'Wettkampf: dieselben Spieler treffen immer wieder aufeinander',
    'round-robin': 'Rundenturnier: alle gegen alle',
    gauntlet: 'Gauntlet: der erste Spieler gegen alle anderen',
    swiss: 'Schweizer System: Spieler mit ähnlichem Punktestand treffen aufeinander',
    knockout: 'K.-o.-System: Verlierer scheiden aus',
    ladder: 'Rangliste: Spieler ähnlicher Stärke treffen aufeinander',
  },
  counts: {
    match: 'Paare von Partien',
    'round-robin': 'Paare je zweier Spieler',
    gauntlet: 'Paare mit jedem Gegner',
    swiss: 'Runden',
    knockout: 'Paare je Begegnung',
    ladder: 'Paare von Partien',
  },
  countLead:
    'In einem Paar treffen zwei Spieler nach derselben Eröffnung zweimal mit vertauschten Plätzen aufeinander.',
  playersHead: 'Spieler',
  playerNumber: (n) => `Spieler ${n}`,
  addPlayer: 'Spieler hinzufügen',
  removePlayer: (n) => `Spieler ${n} entfernen`,
  ownBudget: 'eigene Zeit',
  budgetOfAll: 'Zeit jedes Spielers',
  openingsHead: 'Eröffnungen',
  openingsFile: 'Eröffnungen aus einer Datei',
  openingsText: 'Eine Eröffnung je Zeile: Züge oder eine Stellung',
  openingsLead: 'Ohne Eröffnungen beginnt jedes Paar in der Ausgangsstellung.',
  test: 'mit einem sequentiellen Test (SPRT) beenden',
  testLead:
    'Endet, sobald feststeht, ob Spieler 1 höchstens um den ersten oder mindestens um den zweiten Wert stärker ist.',
  elo0: 'Höchstens, in Elo',
  elo1: 'Mindestens, in Elo',
  gamesAtOnce: 'Partien gleichzeitig',
  gamesAtOnceLead: (free, max) =>
    `${free} von ${max} sind frei. Partien von Arenen haben Nachrang vor Räumen, teilen sich aber die Kerne mit ihnen.`,
  startArena: 'Arena starten',
  startingArena: 'Wird gestartet …',
  fieldIsWrong: (field, why) => `${field}: ${why}`,
  pausedLead:
    'Zurzeit wird nicht gespielt. Alle beendeten Partien bleiben erhalten; begonnene Partien fangen von vorn an.',
  lastRunFailed: (why) => `Der letzte Lauf endete mit einem Fehler: ${why}`,
  resume: 'Fortsetzen',
  stopLead: 'Laufende Partien werden zu Ende gespielt, keine weitere beginnt. Die Arena lässt sich später fortsetzen.',
  format,
  playersAndMore: (names, more) => (more === 0 ? names : `${names} und ${more} weitere`),
  states: { running: 'läuft', stopping: 'hält an', open: 'angehalten', complete: 'beendet' },
  stateIs: (name, state) => `${name}: ${state}.`,
  progress: 'Fortschritt',
  pairs: (counted, all, players) => `${counted} von ${all} ${players > 2 ? 'Tischen' : 'Paaren'}`,
  maxPairs: (max) => `höchstens ${max}`,
  started: (date) => `begonnen ${date}`,
  gamesInProgress: (n) => `${plural(n, 'Partie läuft', 'Partien laufen')}`,
  voidPairs: (n, players) =>
    `${players > 2 ? plural(n, 'ungültiger Tisch', 'ungültige Tische') : plural(n, 'ungültiges Paar', 'ungültige Paare')} mit einer Partie, die nicht gespielt werden konnte`,
  gamesWaiting: (n) => `${plural(n, 'Partie wartet', 'Partien warten')} auf eine frühere`,
  gamesAndMoves: (games, shown, moves) => `${plural(games, 'Partie', 'Partien', shown)}, ${moves} Züge`,
  speed: (moves) => `${moves} Züge je Sekunde`,
  timeLeft: (duration) => `noch etwa ${duration}`,
  longGame: (pair, duration, times) =>
    `eine Partie von Paar ${pair} dauert schon ${duration}, ${times}-mal so lange wie im Mittel`,
  duration: ({ days, hours, minutes, seconds }) =>
    [
      days > 0 && plural(days, 'Tag', 'Tage'),
      hours > 0 && `${hours} h`,
      minutes > 0 && `${minutes} min`,
      seconds > 0 && `${seconds} s`,
    ]
      .filter(Boolean)
      .join(' ') || '0 s',
  outOfDate: (why) => `Die Daten sind vielleicht veraltet: ${why}. Neuer Versuch …`,
  firstSeatAdvantage: (side, elo, low, high) =>
    `Vorteil des ersten Platzes (${side}): ${elo} Elo (${low} bis ${high}).`,
  save: 'Speichern',
  files: { report: 'Bericht (HTML)', table: 'Tabelle (CSV)', games: 'Partien (CSV)' },
  stop: 'Nach den laufenden Partien anhalten',
  stopQuestion: 'Wirklich keine Partie mehr beginnen?',

  match: (first, second) => `${first} gegen ${second}`,
  score: 'Punkte',
  elo: 'Elo',
  normalized: 'Normiertes Elo',
  superiority: 'Wahrscheinlichkeit, stärker zu sein',
  to: (low, high) => `${low} bis ${high}`,
  unbounded: 'unbeschränkt',
  pairsBy: 'Paare nach Punkten',
  sequentialTest: 'Sequenzieller Test',
  testSettings: (elo0, elo1, model, alpha, beta) => `${elo0} gegen ${elo1} ${model}; Fehlerraten ${alpha} und ${beta}.`,
  models: { logistic: 'Elo', normalized: 'normiertes Elo' },
  likelihoodRatio: (llr, lower, upper) => `Log-Likelihood-Quotient: ${llr}, zwischen ${lower} und ${upper}.`,
  verdicts: {
    open: () => 'Unentschieden.',
    lower: (first, elo) => `Entschieden: ${first} ist höchstens ${elo} stärker.`,
    upper: (first, elo) => `Entschieden: ${first} ist mindestens ${elo} stärker.`,
  },

  standings: 'Stand',
  columns: {
    place: 'Platz',
    name: 'Spieler',
    points: 'Punkte',
    games: 'Partien',
    wins: '+ = −',
    rating: 'Wertung',
    glicko: 'Glicko-2',
    skill: 'Stärke',
    score: 'Mittlere Punkte',
    duplicate: 'Duplikat',
    faults: 'Fehler',
    time: 'Zeit je Zug',
    cpu: 'CPU je Zug',
    fuel: 'Treibstoff je Zug',
    memory: 'Speicher',
    hits: 'Richtig vorausgedacht',
  },
  winsDrawsLosses: 'Siege, Remis, Niederlagen',
  tieBreaks: {
    'head-to-head': 'Direkter Vergleich',
    buchholz: 'Buchholz',
    'sonneborn-berger': 'Sonneborn–Berger',
    wins: 'Siege',
  },
  byes: (points) => `${points} durch Freilose`,
  withdrawn: 'zurückgezogen',
  unrated: {
    above: 'über allen gewerteten Spielern',
    below: 'unter allen gewerteten Spielern',
    unconnected: 'ohne Verbindung zu den anderen Spielern',
    'no-games': 'keine Partien',
  },

  ratings: 'Wertungen',
  ratingsLead: 'Elo relativ zum Mittel aller Spieler, mit 95-%-Intervallen.',
  glickoLead: 'Wertungen nach Glicko-2, mit 95-%-Intervallen.',
  ratingsSummary: (players) => `Wertungen mit ihren Intervallen: ${players}.`,
  ratingSummary: (name, elo, low, high) => `${name} ${elo}, ${low} bis ${high}`,
  ratingHistory: 'Verlauf der Wertungen',
  topOnly: (n) => `Nur die ersten ${n}.`,
  historySummary: (pairs, players) => `Verlauf über ${pairs} gezählte Paare. Letzte Wertungen: ${players}.`,
  noRatings: 'Noch keine Wertungen.',

  crossTable: 'Kreuztabelle',
  crossTableLead:
    'Die Punkte des Spielers der Zeile; darunter Siege, Remis und Niederlagen. Jede Zelle führt zu den Partien der beiden.',
  crossCell: (player, opponent) => `${player} gegen ${opponent}:`,

  bySeat: 'Nach Platz',
  seat: (place) => `Platz ${place}`,
  total: 'gesamt',
  byOpening: 'Nach Eröffnung',
  opening: 'Eröffnung',
  startPosition: 'Anfangsstellung',
  scoreOf: (side) => `Punkte von ${side}`,
  margins: ['1–1', '1½–½', '2–0'],
  pairsWithMargin: (margin) => `Paare, die ${margin} endeten`,
  gamesOfOpening: (n) => `Partien der Eröffnung ${n}`,
  noOpenings: 'Keine gezählten Partien mit Eröffnungen.',
  more: 'Mehr',

  faults: 'Fehler',
  noFaults: 'Keine Fehler.',
  fault: 'Fehler',
  faultCodes: {
    load: 'nicht ladbar',
    start: 'Start misslungen',
    timeout: 'Zeit überschritten',
    fuel: 'Treibstoff verbraucht',
    memory: 'zu viel Speicher',
    stack: 'Stapel übergelaufen',
    crash: 'Absturz',
    protocol: 'Protokollfehler',
    flood: 'zu viel Ausgabe',
    error: 'Fehlermeldung der Engine',
    'illegal-move': 'unerlaubter Zug',
    cpu: 'CPU-Zeit verbraucht',
    host: 'Fehler des Hosts',
  },
  firstGame: 'Erste Partie',
  atMove: (n) => `bei Zug ${n}`,

  playerSettings: 'Spieler und ihre Einstellungen',
  engine: 'Engine',
  budget: 'Zeit',
  options: 'Optionen',
  module: 'SHA-256',

  filter: 'Partien filtern',
  filtered:
    'Die Tabellen zählen nur die gefilterten Partien. Fortschritt, Fehler und Verbrauch sind die aller Partien.',
  filterPlayers: 'Partien zwischen diesen Spielern',
  filterPlayersLead: 'Keiner gewählt: alle Spieler. Sonst wähle mindestens zwei.',
  round: 'Runde',
  excludeFaults: 'Partien ausschließen, die durch einen Fehler endeten',
  apply: 'Anwenden',
  clear: 'Filter entfernen',

  games: 'Partien',
  latestGames: 'Letzte Partien',
  allGames: 'Alle Partien',
  gamesOf: (arena) => `Partien von ${arena}`,
  anyPlayer: 'alle Spieler',
  player: 'Spieler',
  opponent: 'Gegner',
  onlyFaults: 'nur Partien, die durch einen Fehler endeten',
  noGames: 'Keine Partien gefunden.',
  pairAndRound: (pair, round, players) => `${players > 2 ? 'Tisch' : 'Paar'} ${pair}, Runde ${round}`,
  openingNumber: (n) => `Eröffnung ${n}`,
  backTo: (arena) => `Zurück zur Arena ${arena}`,
  backToArena: 'Zurück zur Arena',

  liveGames: 'Laufende Partien',
  noLiveGames: 'Gerade läuft keine Partie.',
  showingGames: (n, all) => `${n} von ${all} Partien werden gezeigt.`,
  freeze: 'Bretter einfrieren',
  lastMove: (move) => `letzter Zug: ${move}`,
  evaluation: (score) => `Bewertung ${score}`,
};
