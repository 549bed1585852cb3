// A search for engines in C++17 with sandboard.hpp: Search is an alpha-beta search over any board type, HostBoard a
// board that gets the rules from the host.
#ifndef SANDBOARD_SEARCH_HPP
#define SANDBOARD_SEARCH_HPP

#include "sandboard.hpp"

namespace sandboard {

// A board for Search in any game, which gets the rules from the host. Slow, but always correct.
class HostBoard {
 public:
  using Move = uint32_t;

  explicit HostBoard(Turn &turn) : turn(turn) {}

  // Lists the legal moves and returns their number. A move is its index in the host's order.
  uint32_t moves(List<Move> &out) {
    out.clear();
    uint32_t count = turn.legal(line.text()).size();
    for (uint32_t i = 0; i < count; i++) out.push(i);
    return count;
  }
  void make(Move move) {
    const List<Text> &all = turn.legal(line.text());
    line.push(all[move]);
  }
  void unmake(Move) { line.pop(); }
  // The side to move, 0 or 1. In some games a side may move twice.
  uint32_t side() { return turn.look(line.text()).to_move % 2; }
  // Whether the game is over, and its result for the side to move: 1, 0 or -1.
  bool over(int &result) {
    View view = turn.look(line.text());
    result = view.result_for(view.to_move);
    return view.over;
  }
  // The static score for the side to move: always 0.
  int32_t score() { return 0; }
  void write(Move move, Line &out) {
    const List<Text> &all = turn.legal(line.text());
    out.push(all[move]);
  }

 private:
  Turn &turn;
  Line line;
};

// Iterative deepening alpha-beta over a board with the functions of HostBoard. A board with rules of its own is a
// thousand times as fast as HostBoard. Scores are in the game's unit; a forced win in n plies is 30000 - n.
template <class Board> class Search {
 public:
  enum : int32_t { WIN = 30000, INFINITE = 32000 };

  Search(Turn &turn, Board &board) : turn(turn), board(board) {}

  // Finds the best move of the deepest finished search, at most `deepest` plies deep. Returns false if there is no move,
  // or no time to search one ply. Stops after half of the time (with a game clock: after an even share of it), when the
  // host stops it, or at the node limit.
  bool run(uint32_t deepest, typename Board::Move &best) {
    uint64_t begun = turn.left();
    uint64_t share = begun / 2;
    if (turn.limits.game_left != SB_NONE) {
      uint64_t to_go = turn.limits.moves_to_go;
      if (to_go == SB_NONE || !to_go) to_go = 30;
      uint64_t even = turn.limits.game_left / to_go + turn.limits.increment / 2;
      if (even < share) share = even;
    }
    stop_at = begun - share;
    if (turn.limits.depth != SB_NONE && turn.limits.depth < deepest) deepest = (uint32_t)turn.limits.depth;
    bool has_result = false;
    for (uint32_t depth = 1; depth <= deepest; depth++) {
      int32_t score = root(depth);
      if (stopped) break;
      if (!has_best) return false;
      best = best_move;
      has_result = true;
      Line line;
      board.write(best, line);
      bool proved = score > WIN - 1000 || score < -WIN + 1000;
      turn.report(line.text(), score, depth, nodes, proved ? (uint32_t)SB_EXACT : (uint32_t)SB_ESTIMATE);
      if (proved) break;
    }
    return has_result;
  }

  uint64_t nodes = 0;

 private:
  int32_t root(uint32_t depth) {
    List<typename Board::Move> moves;
    board.moves(moves);
    has_best = moves.size() > 0;
    // A random order, so that the choice among equal moves is random.
    for (uint32_t i = moves.size(); i > 1; i--) {
      uint32_t other = (uint32_t)turn.random(i);
      typename Board::Move swapped = moves[i - 1];
      moves[i - 1] = moves[other];
      moves[other] = swapped;
    }
    int32_t alpha = -INFINITE;
    uint32_t side = board.side();
    for (typename Board::Move move : moves) {
      int32_t score = after(move, side, depth, alpha, INFINITE, 0);
      if (stopped) break;
      if (score > alpha) {
        alpha = score;
        best_move = move;
      }
    }
    return alpha;
  }

  // The score of a move for the side that makes it, which may be to move again.
  int32_t after(typename Board::Move move, uint32_t side, uint32_t depth, int32_t alpha, int32_t beta, int32_t ply) {
    board.make(move);
    int32_t score = board.side() == side ? below(depth - 1, alpha, beta, ply + 1)
                                         : -below(depth - 1, -beta, -alpha, ply + 1);
    board.unmake(move);
    return score;
  }

  int32_t below(uint32_t depth, int32_t alpha, int32_t beta, int32_t ply) {
    nodes++;
    if (turn.left() <= stop_at) stopped = true;
    if (turn.limits.nodes != SB_NONE && nodes > turn.limits.nodes) stopped = true;
    int result = 0;
    if (stopped) return 0;
    if (board.over(result)) return result * (WIN - ply);
    if (depth == 0) return board.score();
    List<typename Board::Move> moves;
    board.moves(moves);
    uint32_t side = board.side();
    for (typename Board::Move move : moves) {
      int32_t score = after(move, side, depth, alpha, beta, ply);
      if (stopped) return 0;
      if (score > alpha) alpha = score;
      if (alpha >= beta) break;
    }
    return alpha;
  }

  Turn &turn;
  Board &board;
  uint64_t stop_at = 0;
  bool stopped = false, has_best = false;
  typename Board::Move best_move{};
};

}  // namespace sandboard

#endif
