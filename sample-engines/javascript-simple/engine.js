// An engine in JavaScript: one function, the next move. sandboard.js is the interface to the host and describes Turn.

import { makeEngine } from "./sandboard.js";

const about = {
  id: "javascript-simple",
  name: "JavaScript Simple",
  author: "The Sandboard developers",
  version: "0.1.0",
  game: "gomoku",
};

// Returns a move that wins at once, as far as time permits, otherwise a random one. Null resigns.
function nextMove(turn) {
  const moves = turn.legal();
  if (moves.length === 0) return null;
  const seat = turn.look().toMove;
  for (const move of moves) {
    if (turn.left() === 0) break;
    if (turn.look(move).wonBy(seat)) {
      turn.report({ moves: move, score: 29999, bound: "exact", depth: 1 });
      return move;
    }
  }
  return moves[turn.random(moves.length)];
}

export const engine = makeEngine(about, nextMove);
