// An engine in C++: one function, the next move. sandboard.hpp is the interface to the host and describes Turn;
// sandboard_search.hpp has the search.

#include "sandboard.hpp"
#include "sandboard_search.hpp"

using namespace sandboard;

// Members of this class keep their values from move to move, for one game.
class Mine : public BaseEngine<Mine> {
 public:
  static About about() { return {"cpp-simple", "C++ Simple", "The Sandboard developers", "0.1.0", "gomoku"}; }

  // Returns the best move of a search of two plies, as far as time permits, otherwise a random one. An empty text
  // resigns.
  Text next_move(Turn &turn) {
    const List<Text> &moves = turn.legal();
    if (moves.size() == 0) return Text();
    uint32_t best = (uint32_t)turn.random(moves.size());
    // HostBoard gets the rules from the host, which is slow. Replace it with a board of your own for a real search.
    HostBoard board(turn);
    Search<HostBoard> search(turn, board);
    search.run(2, best);
    return turn.legal()[best];
  }
};

SANDBOARD_ENGINE(Mine)
