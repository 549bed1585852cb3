// The interface of Sandboard for engines in JavaScript: it implements the functions that the host calls, and gives the
// author a Turn. The host has the legal moves, the position after a line of moves, and the time left. A line of moves is
// move texts separated by single spaces, or the empty text. There is no operating system: no files, no network, no timers,
// no clock except `left`, no random numbers except `random`. `console` writes to the engine's log. Math.random and Date are frozen at the time of the build.

import * as host from "sandboard:engine/host@1.0.0";

/** A position, with the result if the game is over. */
class View {
  constructor({ position, toMove, ending }) {
    this.position = position;
    this.toMove = toMove;
    this.over = ending != null;
    /** The result of each seat, in the game's unit; empty if the game is not over. */
    this.scores = Array.from(ending?.scores ?? []);
    this.reason = ending?.reason ?? "";
  }

  /** Whether the game ended with a win of this seat: no score is higher, and one is lower. */
  wonBy(seat) {
    const own = this.scores[seat];
    return this.scores.every((score) => score <= own) && this.scores.some((score) => score < own);
  }
}

/** One request for a move. */
class Turn {
  #barred;
  #randomState;

  constructor(limits, barred, randomSeed) {
    /** The limits beside time: depth and nodes (a BigInt; undefined: no limit), lines, drawOffered. */
    this.limits = limits;
    this.#barred = new Set(barred.map((one) => one.move));
    this.#randomState = randomSeed;
  }

  /** Units left for this choice, in the unit of its limits, exact below 2 ** 53; 0: return now. The only clock. */
  left() {
    return Number(host.left());
  }

  /** The legal moves after a line; after the empty line, without the barred ones. */
  legal(line = "") {
    const words = host.legal(line);
    const moves = words === "" ? [] : words.split(" ");
    return line === "" ? moves.filter((move) => !this.#barred.has(move)) : moves;
  }

  /** The position after a line. In the current position, `toMove` is the seat that chooses. */
  look(line = "") {
    return new View(host.look(line));
  }

  /** A random whole number below `end`, at most 2 ** 32, from the game's seed (Mulberry32); repeatable in the same game. */
  random(end) {
    this.#randomState = (this.#randomState + 0x6d2b79f5) >>> 0;
    let z = this.#randomState;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return Math.floor((((z ^ (z >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  /** Writes to the engine's log. Level: "warning", "info" or "debug". */
  log(text, level = "info") {
    host.log(level, String(text));
  }

  /** Reports the best line so far. If time runs out, the host may play the move of the last report. */
  report({ moves, score, bound = "estimate", depth = 0, nodes = 0, rank = 1 }) {
    const scored = score === undefined ? undefined : { value: score, bound };
    host.report({ rank, score: scored, depth, nodes: BigInt(nodes), spent: 0n, moves });
  }
}

/** An exception in one line, with the innermost place in a module of the author. */
function reason(error) {
  if (!(error instanceof Error)) return String(error);
  const frames = String(error.stack).split("\n").map((frame) => /([^@]*):(\d+):\d+$/.exec(frame));
  const own = frames.find((frame) => frame !== null && !frame[1].endsWith("sandboard.js"));
  const words = String(error.message).split(/\s+/).join(" ");
  return `${error.name}${own ? ` at ${own[1]}:${own[2]}` : ""}${words ? `: ${words}` : ""}`;
}

/** Calls the author's code; an exception becomes the error text, with its place. */
function guarded(call) {
  try {
    return call();
  } catch (error) {
    throw reason(error);
  }
}

/** The value as `console.log` shows it: texts as they are, anything else as JSON if it can be. */
function shown(value) {
  if (typeof value === "string") return value;
  if (value instanceof Error) return reason(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/** Lets `console` write to the engine's log. Not before the first choice, because the build runs without a host. */
function replaceConsole() {
  const writer = (level) => (...values) => {
    for (const line of values.map(shown).join(" ").split("\n")) host.log(level, line);
  };
  const levels = { log: "info", info: "info", debug: "debug", trace: "debug", warn: "warning", error: "warning" };
  for (const [name, level] of Object.entries(levels)) console[name] = writer(level);
}

/** Makes the engine of a function from a Turn to the next move, or null to resign. */
export function makeEngine(about, nextMove) {
  let seed = 0;
  let plies = 0;
  return {
    describe() {
      const { game, ...description } = about;
      const abilities = { ponders: false, helpers: false, proves: false };
      // No list of variants means all of them.
      return { ...description, games: [{ game, variants: [] }], options: [], abilities };
    },
    start(setup) {
      if (setup.game !== about.game) throw `plays nothing but ${about.game}`;
      if (setup.options.length > 0) throw "has no options";
      // The host's rules check variant, position and moves, and throw the error text.
      host.look("");
      seed = Number((setup.seed ^ (setup.seed >> 32n)) & 0xffffffffn);
      plies = setup.moves === "" ? 0 : setup.moves.split(" ").length;
    },
    played() {
      plies += 1;
    },
    takenBack(count) {
      plies -= count;
    },
    choose(limits, barred) {
      // Seed and ply give the same random numbers again after a move was taken back.
      const turn = new Turn(limits, barred, (seed + Math.imul(plies, 0x9e3779b1)) >>> 0);
      replaceConsole();
      const move = guarded(() => nextMove(turn));
      const decision = move == null || move === "" ? { tag: "resign" } : { tag: "play", val: move };
      return { decision, offersDraw: false, line: undefined };
    },
    think() {},
  };
}
