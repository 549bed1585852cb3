// The interface of Sandboard for engines in AssemblyScript: it calls the host by the component model's canonical ABI, and
// gives the author a Turn. The host has the legal moves, the position after a line of moves, and the time left. A line of
// moves is move texts separated by single spaces, or the empty text. Texts are UTF-16 on both sides of this file.

// ---- For authors ----

/** The description of an engine. It plays every variant of its game, since the host has the rules. */
export class About {
  constructor(
    public id: string,
    public name: string,
    public author: string,
    public version: string,
    public game: string,
  ) {}
}

/** A position, with the result if the game is over. */
export class View {
  position: string = "";
  toMove: i32 = 0;
  over: bool = false;
  /** The result of each seat, in the game's unit; empty if the game is not over. */
  scores: i32[] = [];
  reason: string = "";

  /** Whether the game ended with a win of this seat: no score is higher, and one is lower. */
  wonBy(seat: i32): bool {
    let won = false;
    for (let i = 0; i < this.scores.length; i++) {
      if (this.scores[i] > this.scores[seat]) return false;
      if (this.scores[i] < this.scores[seat]) won = true;
    }
    return won;
  }
}

/** The limits of one choice beside time; a missing limit is -1. */
export class Limits {
  depth: i64 = -1;
  nodes: i64 = -1;
  lines: i32 = 1;
  drawOffered: bool = false;
}

/** One request for a move. */
export class Turn {
  constructor(public limits: Limits, private barred: string[], private randomState: u64) {}

  /** Units left for this choice, in the unit of its limits; 0: return now. The only clock. */
  left(): u64 {
    return hostLeft();
  }

  /** The legal moves after a line; after the empty line, without the barred ones. */
  legal(line: string = ""): string[] {
    hostLegal(changetype<usize>(line), line.length, AREA);
    const moves = answer();
    const all: string[] = moves.length ? moves.split(" ") : [];
    if (line.length || this.barred.length == 0) return all;
    const open: string[] = [];
    for (let i = 0; i < all.length; i++) if (!this.barred.includes(all[i])) open.push(all[i]);
    return open;
  }

  /** The position after a line. In the current position, `toMove` is the seat that chooses. */
  look(line: string = ""): View {
    hostLook(changetype<usize>(line), line.length, AREA);
    const view = new View();
    if (load<u8>(AREA)) throw new Error(takeText(AREA + lookError));
    view.position = takeText(AREA + lookPosition);
    view.toMove = load<u8>(AREA + lookToMove);
    view.over = load<u8>(AREA + lookEnding) != 0;
    if (view.over) {
      view.scores = takeScores();
      view.reason = takeText(AREA + lookEndingReason);
    }
    return view;
  }

  /** A random number from 0 to `end` - 1 from the game's seed; the same game gives the same numbers (SplitMix64). */
  random(end: i32): i32 {
    this.randomState += 0x9e3779b97f4a7c15;
    let z = this.randomState;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return end > 0 ? <i32>((z ^ (z >> 31)) % <u64>end) : 0;
  }

  /** Writes to the engine's log. Level: 1 warning, 2 info, 3 debug. */
  log(words: string, level: i32 = 2): void {
    hostLog(level, changetype<usize>(words), words.length);
  }

  /** Reports the best line so far. If time runs out, the host may play the move of the last report. */
  report(line: string, score: i32, depth: u32, nodes: u64, proved: bool = false): void {
    hostReport(1, 1, score, proved ? 3 : 0, depth, nodes, 0, changetype<usize>(line), line.length);
  }
}

/** Sets the engine's function, which returns the next move, or null to resign. */
export function engine(about: About, nextMove: (turn: Turn) => string | null): void {
  description = about;
  moveFunction = nextMove;
}

// ---- The ABI: records have the layout of engine.wit; a text is a pointer and its length in UTF-16 units ----

// @ts-ignore: decorator
@external("sandboard:engine/host@1.0.0", "report")
declare function hostReport(rank: u32, scored: u32, score: i32, bound: u32, depth: u32, nodes: u64, spent: u64,
                            moves: usize, units: u32): void;
// @ts-ignore: decorator
@external("sandboard:engine/host@1.0.0", "log")
declare function hostLog(level: u32, text: usize, units: u32): void;
// @ts-ignore: decorator
@external("sandboard:engine/host@1.0.0", "left")
declare function hostLeft(): u64;
// @ts-ignore: decorator
@external("sandboard:engine/host@1.0.0", "legal")
declare function hostLegal(line: usize, units: u32, out: usize): void;
// @ts-ignore: decorator
@external("sandboard:engine/host@1.0.0", "look")
declare function hostLook(line: usize, units: u32, out: usize): void;

// @ts-ignore: decorator
@lazy let description: About = new About("", "", "", "", "");
// @ts-ignore: decorator
@lazy let moveFunction: (turn: Turn) => string | null = (turn: Turn): string | null => null;
// @ts-ignore: decorator
@lazy let seed: u64 = 0;
// @ts-ignore: decorator
@lazy let plies: u64 = 0;
// @ts-ignore: decorator
@lazy let started: bool = false;
/** The text handed to the host, kept until the next call. */
// @ts-ignore: decorator
@lazy let resultText: string = "";

// Offsets of fields in the records of engine.wit, in bytes. A list is an address and a length. An option begins with a
// byte that is 1 if there is a value, a result with a byte that is 1 for an error.
const legalValue: usize = 4;
const legalError: usize = 4;
const lookError: usize = 4;
const lookPosition: usize = 4;
const lookToMove: usize = 12;
const lookEnding: usize = 16;
const lookEndingScoresAt: usize = 20;
const lookEndingScoresLength: usize = 24;
const lookEndingReason: usize = 28;
const descriptionId: usize = 0;
const descriptionName: usize = 8;
const descriptionAuthor: usize = 16;
const descriptionVersion: usize = 24;
const descriptionGamesAt: usize = 32;
const descriptionGamesLength: usize = 36;
const descriptionOptionsLength: usize = 44;
const descriptionAbilities: usize = 48;
const gameSpecGame: usize = 0;
const gameSpecVariantsLength: usize = 12;
const gameSpecSize: usize = 16;
const setupGame: usize = 0;
const setupVariant: usize = 8;
const setupStart: usize = 16;
const setupMoves: usize = 24;
const setupSeatsAt: usize = 32;
const setupSeatsLength: usize = 36;
const setupSeed: usize = 40;
const setupOptionsLength: usize = 52;
const startError: usize = 4;
const limitsDepth: usize = 64;
const limitsDepthValue: usize = 68;
const limitsNodes: usize = 72;
const limitsNodesValue: usize = 80;
const limitsLines: usize = 88;
const limitsOthersLeftAt: usize = 92;
const limitsOthersLeftLength: usize = 96;
const limitsDrawOffered: usize = 100;
const barredAt: usize = 104;
const barredLength: usize = 108;
const barredMove: usize = 0;
const barredReason: usize = 8;
const barredSize: usize = 16;
const chooseError: usize = 8;
const chooseDecision: usize = 8;
const chooseDecisionPlay: usize = 12;
const chooseSize: usize = 80;

/** The area for results of host calls and of the engine's functions; a choice is the largest. */
const AREA: usize = memory.data(<i32>chooseSize, 8);
const GAME: usize = memory.data(<i32>gameSpecSize, 8);

/** Allocates memory for texts and lists of the host; `takeText` and `takeScores` free it. */
export function cabi_realloc(old: usize, oldBytes: usize, align: usize, bytes: usize): usize {
  // An empty block is never freed.
  if (!bytes) return align;
  return old ? heap.realloc(old, bytes) : heap.alloc(bytes);
}

/** The scores of `hostLook`; frees the host's list. */
function takeScores(): i32[] {
  const list = load<usize>(AREA + lookEndingScoresAt), count = load<u32>(AREA + lookEndingScoresLength);
  const scores = new Array<i32>(count);
  for (let i: u32 = 0; i < count; i++) scores[i] = load<i32>(list + ((<usize>i) << 2));
  if (count) heap.free(list);
  return scores;
}

/** A copy of the host's text whose pointer and length are here; frees the original. */
function takeText(at: usize): string {
  const text = load<usize>(at), units = load<u32>(at, 4);
  if (!units) return "";
  const copy = String.UTF16.decodeUnsafe(text, <usize>units << 1);
  heap.free(text);
  return copy;
}

/** Reads a result<string, string>. */
function answer(): string {
  if (load<u8>(AREA)) throw new Error(takeText(AREA + legalError));
  return takeText(AREA + legalValue);
}

function put(at: usize, text: string): void {
  store<usize>(at, changetype<usize>(text));
  store<u32>(at, text.length, 4);
}

function done(error: string = ""): usize {
  store<u8>(AREA, error.length ? 1 : 0);
  resultText = error;
  put(AREA + startError, resultText);
  return AREA;
}

export function engineDescribe(): usize {
  put(AREA + descriptionId, description.id);
  put(AREA + descriptionName, description.name);
  put(AREA + descriptionAuthor, description.author);
  put(AREA + descriptionVersion, description.version);
  put(GAME + gameSpecGame, description.game);
  // No list of variants means all of them.
  store<u32>(GAME + gameSpecVariantsLength, 0);
  store<usize>(AREA + descriptionGamesAt, GAME);
  store<u32>(AREA + descriptionGamesLength, 1);
  store<u32>(AREA + descriptionOptionsLength, 0);
  store<u8>(AREA + descriptionAbilities, 0);
  return AREA;
}

export function engineStart(setup: usize): usize {
  const game = takeText(setup + setupGame);
  takeText(setup + setupVariant);
  takeText(setup + setupStart);
  const moves = takeText(setup + setupMoves);
  if (load<u32>(setup + setupSeatsLength)) heap.free(load<usize>(setup + setupSeatsAt));
  seed = load<u64>(setup + setupSeed);
  const options = load<u32>(setup + setupOptionsLength);
  heap.free(setup);
  if (started) return done("started a second time");
  if (game != description.game) return done("plays nothing but " + description.game);
  if (options) return done("has no options");
  // The host's rules check variant, position and moves, and have the error text.
  hostLook(0, 0, AREA);
  if (load<u8>(AREA)) return done(takeText(AREA + lookError));
  takeText(AREA + lookPosition);
  if (load<u8>(AREA + lookEnding)) {
    takeScores();
    takeText(AREA + lookEndingReason);
  }
  plies = moves.length ? moves.split(" ").length : 0;
  started = true;
  return done();
}

export function enginePlayed(move: usize, units: u32): usize {
  if (units) heap.free(move);
  plies++;
  return done();
}

export function engineTakenBack(count: u32): usize {
  plies -= count;
  return done();
}

export function engineThink(): usize {
  return done();
}

export function engineChoose(block: usize): usize {
  const limits = new Limits();
  if (load<u8>(block + limitsDepth)) limits.depth = load<u32>(block + limitsDepthValue);
  if (load<u8>(block + limitsNodes)) limits.nodes = load<i64>(block + limitsNodesValue);
  limits.lines = load<u16>(block + limitsLines);
  limits.drawOffered = load<u8>(block + limitsDrawOffered) != 0;
  if (load<u32>(block + limitsOthersLeftLength)) heap.free(load<usize>(block + limitsOthersLeftAt));
  const barred: string[] = [];
  const list = load<usize>(block + barredAt), count = load<u32>(block + barredLength);
  for (let i: u32 = 0; i < count; i++) {
    const entry = list + <usize>i * barredSize;
    barred.push(takeText(entry + barredMove));
    takeText(entry + barredReason);
  }
  if (count) heap.free(list);
  heap.free(block);
  if (!started) {
    store<u8>(AREA, 1);
    put(AREA + chooseError, "called before start");
    return AREA;
  }
  // Seed and ply give the same random numbers again after a move was taken back.
  const move = moveFunction(new Turn(limits, barred, seed + plies * 0xd1342543de82ef95));
  memory.fill(AREA, 0, chooseSize);
  if (move === null || move.length == 0) {
    store<u8>(AREA + chooseDecision, 1);
  } else {
    resultText = move;
    put(AREA + chooseDecisionPlay, resultText);
  }
  return AREA;
}

/** The language's abort function: logs the error and traps. */
export function abortEngine(message: string | null, file: string | null, line: u32, column: u32): void {
  const words = (message === null ? "aborted" : message) + " (" + (file === null ? "" : file) + ":" + line.toString() + ")";
  hostLog(0, changetype<usize>(words), words.length);
  unreachable();
}
