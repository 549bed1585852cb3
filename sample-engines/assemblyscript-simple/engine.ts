// An engine in AssemblyScript: one function, the next move. sandboard.ts is the interface to the host and describes Turn.

import { About, Turn, engine } from "./sandboard";
// The functions that the host calls.
export { cabi_realloc, engineDescribe, engineStart, enginePlayed, engineTakenBack, engineChoose, engineThink } from "./sandboard";

const about = new About("assemblyscript-simple", "AssemblyScript Simple", "The Sandboard developers", "0.1.0", "gomoku");

// Returns a move that wins at once, as far as time permits, otherwise a random one. Null resigns.
function nextMove(turn: Turn): string | null {
  const moves = turn.legal();
  if (moves.length == 0) return null;
  const seat = turn.look().toMove;
  for (let i = 0; i < moves.length && turn.left() > 0; i++) {
    if (turn.look(moves[i]).wonBy(seat)) {
      turn.report(moves[i], 29999, 1, i + 1, true);
      return moves[i];
    }
  }
  return moves[turn.random(moves.length)];
}

engine(about, nextMove);
