// The border of Sandboard for engines in JavaScript: what the host calls, and to the author a Turn. What is legal, what
// a line of moves comes to and how much time is left is asked of the host. A line of moves is move texts with one space
// between two, the empty text for none. There is no system beneath: no files, no network, no timers, no clock but
// `left`, no randomness but `random`: Math.random and Date are as they were when the engine was built.

import * as host from "sandboard:engine/host@1.0.0";

/** A position, and how the game ended where it is over. */
class View {
  constructor({ position, toMove, ending }) {
    this.position = position;
    this.toMove = toMove;
    this.over = ending != null;
    /** A seat of the side that won; null: drawn, or not over. */
    this.winner = ending?.winner ?? null;
    this.reason = ending?.reason ?? "";
  }

  /** Whether the game ended in favour of this seat's side: a side has every other seat. */
  wonBy(seat) {
    return this.winner !== null && this.winner % 2 === seat % 2;
  }
}

/** All that one choice may use. */
class Turn {
  #barred;
  #chance;

  constructor(limits, barred, chance) {
    /** What the budget admits beside time: depth and nodes (a BigInt; undefined: no limit), lines, drawOffered. */
    this.limits = limits;
    this.#barred = new Set(barred.map((one) => one.move));
    this.#chance = chance;
  }

  /** Units left of this choice, the only clock; 0: return now. A number: exact below 2 ** 53. */
  left() {
    return Number(host.left());
  }

  /** The legal moves after a line; right here without those that are barred. */
  legal(line = "") {
    const words = host.legal(line);
    const moves = words === "" ? [] : words.split(" ");
    return line === "" ? moves.filter((move) => !this.#barred.has(move)) : moves;
  }

  /** The position after a line; `toMove` of the current one is who chooses. */
  look(line = "") {
    return new View(host.look(line));
  }

  /** A whole number below `end`, at most 2 ** 32, out of the game's seed (Mulberry32); the same game, the same numbers. */
  random(end) {
    this.#chance = (this.#chance + 0x6d2b79f5) >>> 0;
    let z = this.#chance;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return Math.floor((((z ^ (z >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  /** Level: "warning", "info" or "debug". */
  log(text, level = "info") {
    host.log(level, String(text));
  }

  /** A line found so far; the last one is what the host may play when time runs out. */
  report({ moves, score, bound = "estimate", depth = 0, nodes = 0, rank = 1 }) {
    const told = score === undefined ? undefined : { value: score, bound };
    host.report({ rank, score: told, depth, nodes: BigInt(nodes), spent: 0n, moves });
  }
}

/** What is thrown becomes the engine's reason, with its place. */
function asked(question) {
  try {
    return question();
  } catch (error) {
    throw error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
  }
}

/** The engine that the host calls, over one function of a Turn: the next move, or null to resign. */
export function makeEngine(about, nextMove) {
  let seed = 0;
  let plies = 0;
  return {
    describe() {
      const { game, ...itself } = about;
      const abilities = { ponders: false, helpers: false, proves: false };
      // No list of variants: all of them.
      return { ...itself, games: [{ game, variants: [] }], options: [], abilities };
    },
    start(setup) {
      if (setup.game !== about.game) throw `plays nothing but ${about.game}`;
      if (setup.options.length > 0) throw "has no options";
      // The host's rules know every variant and position, and say what is wrong with one.
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
      // Mixed with the ply, a move that was taken back comes again.
      const turn = new Turn(limits, barred, (seed + Math.imul(plies, 0x9e3779b1)) >>> 0);
      const move = asked(() => nextMove(turn));
      const decision = move == null || move === "" ? { tag: "resign" } : { tag: "play", val: move };
      return { decision, offersDraw: false, line: undefined };
    },
    think() {},
  };
}
