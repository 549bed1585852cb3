// The border of Sandboard for engines in AssemblyScript: the component model's canonical ABI to the host, and to the
// author a Turn. What is legal, what a line of moves comes to and how much time is left is asked of the host. A line of
// moves is move texts with one space between two, the empty text for none. Texts are UTF-16 on both sides of this file.

// ---- What an author uses ----

/** What an engine says of itself. It plays every variant of its game: the host knows the rules. */
export class About {
  constructor(
    public id: string,
    public name: string,
    public author: string,
    public version: string,
    public game: string,
  ) {}
}

/** A position, and how the game ended where it is over. */
export class View {
  position: string = "";
  toMove: i32 = 0;
  over: bool = false;
  /** A seat of the side that won; -1: drawn, or not over. */
  winner: i32 = -1;
  reason: string = "";

  /** Whether the game ended in favour of this seat's side: a side has every other seat. */
  wonBy(seat: i32): bool {
    return this.over && this.winner >= 0 && this.winner % 2 == seat % 2;
  }
}

/** What one choice may spend beside time; -1 where there is no such limit. */
export class Limits {
  depth: i64 = -1;
  nodes: i64 = -1;
  lines: i32 = 1;
  drawOffered: bool = false;
}

/** All that one choice may use. */
export class Turn {
  constructor(public limits: Limits, private barred: string[], private chance: u64) {}

  /** Units left of this choice, the only clock; 0: return now. */
  left(): u64 {
    return hostLeft();
  }

  /** The legal moves after a line; right here without those that are barred. */
  legal(line: string = ""): string[] {
    hostLegal(changetype<usize>(line), line.length, AREA);
    const moves = answer();
    const all: string[] = moves.length ? moves.split(" ") : [];
    if (line.length || this.barred.length == 0) return all;
    const open: string[] = [];
    for (let i = 0; i < all.length; i++) if (!this.barred.includes(all[i])) open.push(all[i]);
    return open;
  }

  /** The position after a line; `toMove` of the current one is who chooses. */
  look(line: string = ""): View {
    hostLook(changetype<usize>(line), line.length, AREA);
    const view = new View();
    if (load<u8>(AREA)) throw new Error(taken(AREA + lookError));
    view.position = taken(AREA + lookPosition);
    view.toMove = load<u8>(AREA + lookToMove);
    view.over = load<u8>(AREA + lookEnding) != 0;
    if (view.over) {
      if (load<u8>(AREA + lookEndingWinner)) view.winner = load<u8>(AREA + lookEndingWinnerValue);
      view.reason = taken(AREA + lookEndingReason);
    }
    return view;
  }

  /** A number from 0 to `end` - 1 out of the game's seed; the same game, the same numbers (SplitMix64). */
  random(end: i32): i32 {
    this.chance += 0x9e3779b97f4a7c15;
    let z = this.chance;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return end > 0 ? <i32>((z ^ (z >> 31)) % <u64>end) : 0;
  }

  /** Level: 1 warning, 2 info, 3 debug. */
  log(words: string, level: i32 = 2): void {
    hostLog(level, changetype<usize>(words), words.length);
  }

  /** A line found so far; the last one is what the host may play when time runs out. */
  report(line: string, score: i32, depth: u32, nodes: u64, proved: bool = false): void {
    hostReport(1, 1, score, proved ? 3 : 0, depth, nodes, 0, changetype<usize>(line), line.length);
  }
}

/** Makes a function the engine: it returns the next move, or null to resign. */
export function engine(about: About, nextMove: (turn: Turn) => string | null): void {
  itself = about;
  chooser = nextMove;
}

// ---- The border: records lie as engine.wit orders them, a text is a pointer and its UTF-16 units ----

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
@lazy let itself: About = new About("", "", "", "", "");
// @ts-ignore: decorator
@lazy let chooser: (turn: Turn) => string | null = (turn: Turn): string | null => null;
// @ts-ignore: decorator
@lazy let seed: u64 = 0;
// @ts-ignore: decorator
@lazy let plies: u64 = 0;
// @ts-ignore: decorator
@lazy let started: bool = false;
/** What was handed to the host stays where it is until the next call. */
// @ts-ignore: decorator
@lazy let handed: string = "";

// Where things lie in the records of engine.wit, in bytes. A list has an address and a length, an option a byte that
// says whether there is a value, a result one at 0 that says whether it is an error.
const legalValue: usize = 4;
const legalError: usize = 4;
const lookError: usize = 4;
const lookPosition: usize = 4;
const lookToMove: usize = 12;
const lookEnding: usize = 16;
const lookEndingWinner: usize = 20;
const lookEndingWinnerValue: usize = 21;
const lookEndingReason: usize = 24;
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

/** What the host writes its answers to, and what it reads ours from: a choice is the largest. */
const AREA: usize = memory.data(chooseSize, 8);
const GAME: usize = memory.data(gameSpecSize, 8);

/** Memory for what the host brings; `taken` gives it back. */
export function cabi_realloc(old: usize, oldBytes: usize, align: usize, bytes: usize): usize {
  // Of what is empty nothing is given back.
  if (!bytes) return align;
  return old ? heap.realloc(old, bytes) : heap.alloc(bytes);
}

/** The text whose pointer and length lie here; it was brought, and its memory is given back. */
function taken(at: usize): string {
  const text = load<usize>(at), units = load<u32>(at, 4);
  if (!units) return "";
  const copy = String.UTF16.decodeUnsafe(text, <usize>units << 1);
  heap.free(text);
  return copy;
}

/** A result<string, string>. */
function answer(): string {
  if (load<u8>(AREA)) throw new Error(taken(AREA + legalError));
  return taken(AREA + legalValue);
}

function put(at: usize, text: string): void {
  store<usize>(at, changetype<usize>(text));
  store<u32>(at, text.length, 4);
}

function done(error: string = ""): usize {
  store<u8>(AREA, error.length ? 1 : 0);
  handed = error;
  put(AREA + startError, handed);
  return AREA;
}

export function engineDescribe(): usize {
  put(AREA + descriptionId, itself.id);
  put(AREA + descriptionName, itself.name);
  put(AREA + descriptionAuthor, itself.author);
  put(AREA + descriptionVersion, itself.version);
  put(GAME + gameSpecGame, itself.game);
  // No list of variants: all of them.
  store<u32>(GAME + gameSpecVariantsLength, 0);
  store<usize>(AREA + descriptionGamesAt, GAME);
  store<u32>(AREA + descriptionGamesLength, 1);
  store<u32>(AREA + descriptionOptionsLength, 0);
  store<u8>(AREA + descriptionAbilities, 0);
  return AREA;
}

export function engineStart(setup: usize): usize {
  const game = taken(setup + setupGame);
  taken(setup + setupVariant);
  taken(setup + setupStart);
  const moves = taken(setup + setupMoves);
  if (load<u32>(setup + setupSeatsLength)) heap.free(load<usize>(setup + setupSeatsAt));
  seed = load<u64>(setup + setupSeed);
  const options = load<u32>(setup + setupOptionsLength);
  heap.free(setup);
  if (started) return done("started a second time");
  if (game != itself.game) return done("plays nothing but " + itself.game);
  if (options) return done("has no options");
  // The host's rules know every variant and position, and say what is wrong with one.
  hostLook(0, 0, AREA);
  if (load<u8>(AREA)) return done(taken(AREA + lookError));
  taken(AREA + lookPosition);
  if (load<u8>(AREA + lookEnding)) taken(AREA + lookEndingReason);
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
    barred.push(taken(list + i * barredSize + barredMove));
    taken(list + i * barredSize + barredReason);
  }
  if (count) heap.free(list);
  heap.free(block);
  if (!started) {
    store<u8>(AREA, 1);
    put(AREA + chooseError, "called before start");
    return AREA;
  }
  // Mixed with the ply, a move that was taken back comes again.
  const move = chooser(new Turn(limits, barred, seed + plies * 0xd1342543de82ef95));
  memory.fill(AREA, 0, chooseSize);
  if (move === null || move.length == 0) {
    store<u8>(AREA + chooseDecision, 1);
  } else {
    handed = move;
    put(AREA + chooseDecisionPlay, handed);
  }
  return AREA;
}

/** What the language calls before it gives up. */
export function abortEngine(message: string | null, file: string | null, line: u32, column: u32): void {
  const words = (message === null ? "aborted" : message) + " (" + (file === null ? "" : file) + ":" + line.toString() + ")";
  hostLog(0, changetype<usize>(words), words.length);
  unreachable();
}
