// An engine in C++: its one function is the next move. sandboard.hpp is the rest, and says what a Turn can do;
// sandboard_search.hpp has the search.

#include "sandboard.hpp"
#include "sandboard_search.hpp"

using namespace sandboard;

// What is a member here is kept in mind from move to move, for one game.
class Mine : public BaseEngine<Mine> {
 public:
  static About about() { return {"cpp-simple", "C++ Simple", "The Sandboard developers", "0.1.0", "gomoku"}; }

  // A move that wins at once or does not lose in two plies, as far as time admits; else any. The empty text resigns.
  Text next_move(Turn &turn) {
    const List<Text> &moves = turn.legal();
    if (moves.size() == 0) return Text();
    uint32_t best = (uint32_t)turn.random(moves.size());
    // Rules come from the host here. A board of your own in HostBoard's place makes this a search worth the name.
    HostBoard board(turn);
    Search<HostBoard> search(turn, board);
    search.run(2, best);
    return turn.legal()[best];
  }
};

SANDBOARD_ENGINE(Mine)
