// The interface of Sandboard for engines in C++17, header only. BaseEngine implements the ABI; the author's one function
// gets a Turn. An engine needs no rules: the host has the legal moves (`Turn::legal`) and the position after a line of
// moves (`Turn::look`). sandboard_search.hpp has a search.
//
// It does not use the C++ library, which only native builds have. `new` and virtual functions work in both builds,
// exceptions and typeid only in native ones. An uncaught exception ends the game, with its text as the reason.
//
// Memory: a Text is borrowed. A Text from a Turn is valid until the next call of the same function of that Turn; a Text
// from a Line, as long as the Line.
#ifndef SANDBOARD_HPP
#define SANDBOARD_HPP

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sandboard_engine_v1.h"

#ifdef __cpp_exceptions
#include <exception>
#endif

#ifdef __wasm__
__attribute__((weak)) void *operator new(size_t size) {
  void *block = malloc(size);
  if (!block) abort();
  return block;
}
__attribute__((weak)) void *operator new[](size_t size) { return operator new(size); }
__attribute__((weak)) void operator delete(void *old) noexcept { free(old); }
__attribute__((weak)) void operator delete[](void *old) noexcept { free(old); }
__attribute__((weak)) void operator delete(void *old, size_t) noexcept { free(old); }
__attribute__((weak)) void operator delete[](void *old, size_t) noexcept { free(old); }
extern "C" __attribute__((weak)) void __cxa_pure_virtual() { abort(); }
#endif

namespace sandboard {

// A borrowed text.
struct Text : sb_text {
  Text() : sb_text{"", 0} {}
  Text(sb_text text) : sb_text(text) {}
  Text(const char *words) : sb_text{words, (uint32_t)strlen(words)} {}
  Text(const char *at, uint32_t bytes) : sb_text{at, bytes} {}

  bool empty() const { return len == 0; }
  bool operator==(const Text &other) const {
    return len == other.len && (len == 0 || memcmp(ptr, other.ptr, len) == 0);
  }
  bool operator!=(const Text &other) const { return !(*this == other); }
};

// A growing list of trivially copyable elements.
template <class T> class List {
 public:
  List() = default;
  List(const List &) = delete;
  List &operator=(const List &) = delete;
  ~List() { free(items); }

  uint32_t size() const { return count; }
  T &operator[](uint32_t at) { return items[at]; }
  const T &operator[](uint32_t at) const { return items[at]; }
  T *begin() { return items; }
  T *end() { return items + count; }
  void clear() { count = 0; }
  void pop() { --count; }
  void push(const T &item) {
    T kept = item;
    reserve(count + 1);
    items[count++] = kept;
  }
  // Makes room for this many elements; elements and count stay.
  void reserve(uint32_t wanted) {
    if (wanted <= room) return;
    uint32_t larger = room < 8 ? 16 : room * 2;
    if (larger < wanted) larger = wanted;
    T *moved = (T *)realloc(items, larger * sizeof(T));
    if (!moved) abort();
    items = moved;
    room = larger;
  }
  // Sets the count; the caller writes new elements.
  void resize(uint32_t size) {
    reserve(size);
    count = size;
  }

 private:
  T *items = nullptr;
  uint32_t count = 0, room = 0;
};

// A line of moves, in the notation of the ABI.
class Line {
 public:
  Text text() const { return count ? Text(&words[0], words.size()) : Text(); }
  uint32_t size() const { return count; }
  void clear() {
    words.clear();
    count = 0;
  }
  void push(Text move) {
    if (count++) words.push(' ');
    for (uint32_t i = 0; i < move.len; i++) words.push(move.ptr[i]);
  }
  void pop() {
    uint32_t end = words.size();
    while (end && words[end - 1] != ' ') --end;
    words.resize(end ? end - 1 : 0);
    --count;
  }
  void copy(const Line &other) {
    clear();
    words.resize(other.words.size());
    for (uint32_t i = 0; i < words.size(); i++) words[i] = other.words[i];
    count = other.count;
  }

 private:
  List<char> words;
  uint32_t count = 0;
};

// Splits a line into its moves, which are Texts into the line.
inline void split(Text line, List<Text> &out) {
  out.clear();
  for (uint32_t begin = 0, end = 0; begin < line.len; begin = end + 1) {
    for (end = begin; end < line.len && line.ptr[end] != ' ';) ++end;
    out.push(Text(line.ptr + begin, end - begin));
  }
}

// A position. Its texts are valid until the next call of look.
struct View {
  Text position, reason;
  uint32_t to_move = 0;
  bool legal = true, over = false;
  // The result of each seat, in the game's unit; n_scores is 0 if the game is not over.
  uint32_t n_scores = 0;
  int32_t scores[SB_SEATS] = {};

  // The result for a seat: 1 if no score is higher and one is lower, 0 if all are equal or the game is not over, else -1.
  int result_for(uint32_t seat) const {
    int result = 0;
    for (uint32_t i = 0; seat < n_scores && i < n_scores; ++i) {
      if (scores[i] > scores[seat]) return -1;
      if (scores[i] < scores[seat]) result = 1;
    }
    return result;
  }
  bool won_by(uint32_t seat) const { return result_for(seat) > 0; }
};

// One request for a move. The functions that ask the host take a line of moves from the current position, by default
// an empty one.
class Turn {
 public:
  Turn(const sb_host_v1 *host, const sb_limits &limits, uint64_t random_seed)
      : limits(limits), host(host), random_state(random_seed) {}

  // The limits of the choice: depth, nodes, lines, and whether a draw is offered.
  const sb_limits &limits;

  // Units left for this choice, in the unit of its limits; 0: return now. The only clock.
  uint64_t left() const { return host->left(host->ctx); }

  // The legal moves after a line; after the empty line, without the barred ones. Valid until the next call.
  const List<Text> &legal(Text line = Text()) {
    ask([&](char *out, uint32_t room) { return host->legal(host->ctx, line, out, room); }, moves_text);
    split(text_of(moves_text), moves);
    uint32_t kept = 0;
    for (Text move : moves) {
      bool open = true;
      for (uint32_t i = 0; line.empty() && i < n_barred; i++) open = open && move != Text(barred[i].move);
      if (open) moves[kept++] = move;
    }
    moves.resize(kept);
    return moves;
  }

  // The position after a line; `legal` is false if the line is illegal. In the current position, `to_move` is the seat
  // that chooses.
  View look(Text line = Text()) {
    sb_view view = {};
    view.size = sizeof view;
    bool legal = ask([&](char *out, uint32_t room) { return host->look(host->ctx, line, &view, out, room); }, position_text);
    View result;
    result.legal = legal;
    result.position = text_of(position_text);
    result.to_move = view.to_move;
    result.over = view.over != 0;
    if (result.over) {
      result.n_scores = view.n_scores;
      for (uint32_t i = 0; i < view.n_scores; ++i) result.scores[i] = view.scores[i];
      uint32_t before = 0;
      while (before < result.position.len && result.position.ptr[before] != '\n') ++before;
      if (before < result.position.len) result.reason = Text(result.position.ptr + before + 1, result.position.len - before - 1);
      result.position.len = before;
    }
    return result;
  }

  // A random number below `end` from the game's seed; the same game gives the same numbers (SplitMix64, Steele et al.
  // 2014).
  uint64_t random(uint64_t end) {
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return end ? (z ^ (z >> 31)) % end : 0;
  }

  void log(Text words, uint32_t level = SB_INFO) const { host->log(host->ctx, level, words); }

  // Reports the best line so far. If time runs out, the host may play the move of the last report.
  void report(Text line, int32_t score, uint32_t depth, uint64_t nodes, uint32_t bound = SB_ESTIMATE) const {
    sb_line reported = {};
    reported.size = sizeof reported;
    reported.rank = 1;
    reported.score = score;
    reported.bound = bound;
    reported.depth = depth;
    reported.nodes = nodes;
    reported.moves = line;
    host->report(host->ctx, &reported);
  }

  const sb_barred *barred = nullptr;
  uint32_t n_barred = 0;

 private:
  static Text text_of(const List<char> &bytes) { return bytes.size() ? Text(&bytes[0], bytes.size()) : Text(); }

  // Calls the host with a larger buffer until the answer fits. Returns false for an error; the text is empty then.
  template <class F> static bool ask(F question, List<char> &out) {
    for (;;) {
      uint32_t room = out.size();
      int64_t bytes = question(room ? &out[0] : nullptr, room);
      if (bytes <= (int64_t)room) {
        out.resize(bytes < 0 ? 0 : (uint32_t)bytes);
        return bytes >= 0;
      }
      out.resize((uint32_t)bytes);
    }
  }

  const sb_host_v1 *host;
  uint64_t random_state;
  List<char> moves_text, position_text;
  List<Text> moves;
};

// The description of an engine. It plays every variant of its game, since the host has the rules.
struct About {
  const char *id, *name, *author, *version, *game;
};

// The error text of a call, cut to LONGEST bytes.
class Reason {
 public:
  enum : uint32_t { LONGEST = 512 };

  Text text() const { return Text(words, count); }
  void say(Text first, Text second = Text()) {
    count = 0;
    const Text parts[] = {first, second};
    for (const Text &part : parts) {
      for (uint32_t i = 0; i < part.len && count < LONGEST; i++) words[count++] = part.ptr[i];
    }
  }

 private:
  char words[LONGEST] = {};
  uint32_t count = 0;
};

// Implements the ABI for a class `Engine` with the function `Text next_move(Turn &)`, which returns a move, or an empty
// text to resign. Each game has an instance of `Engine`, made by its default constructor. `Engine` may hide the functions
// `void played(Text move)` and `void taken_back(uint32_t plies)` of this class.
template <class Engine> class BaseEngine {
 public:
  void played(Text) {}
  void taken_back(uint32_t) {}

  static const sb_engine_v1 *table() {
    static const sb_engine_v1 functions = {sizeof(sb_engine_v1), SB_ABI, describe, start, on_played, on_taken_back,
                                           choose, think, error, drop};
    return &functions;
  }

 private:
  struct Instance {
    Engine engine;
    const sb_host_v1 *host = nullptr;
    uint64_t seed = 0, plies = 0;
    Line move;
    Reason reason;
  };

  static Instance &of(void *self) { return *(Instance *)self; }

  // The error of a failed start that left no instance, for this thread.
  static Reason &unstarted() {
    static thread_local Reason reason;
    return reason;
  }

  // Calls the author's code and catches all exceptions.
  template <class F> static int32_t guarded([[maybe_unused]] Reason &reason, F call) {
#ifdef __cpp_exceptions
    try {
      call();
      return SB_OK;
    } catch (const std::exception &thrown) {
      reason.say("uncaught exception: ", thrown.what());
    } catch (...) {
      reason.say("uncaught exception that is no std::exception");
    }
    return SB_CRASHED;
#else
    call();
    return SB_OK;
#endif
  }

  static int32_t fail(Instance &instance, Text why) {
    instance.reason.say(why);
    return SB_ERROR;
  }

  static const sb_description *describe() {
    static Reason thrown;
    static About about = {"", "", "", "", ""};
    // If `about` throws, the name is the error text; a start will fail with the same text.
    static const bool described = guarded(thrown, [] { about = Engine::about(); }) == SB_OK;
    static const Text name = described ? Text(about.name) : thrown.text();
    static const sb_game game = {Text(about.game), nullptr, 0};
    static const sb_description description = {
        sizeof(sb_description), 0, Text(about.id), name, Text(about.author), Text(about.version), &game, 1, nullptr, 0};
    return &description;
  }

  static int32_t start(const sb_setup *setup, const sb_host_v1 *host, void **self) {
    *self = nullptr;
    unstarted().say("no memory for an instance");
    if (guarded(unstarted(), [&] { *self = new Instance; }) != SB_OK) return SB_CRASHED;
    Instance &instance = of(*self);
    instance.host = host;
    instance.seed = setup->seed;
    int32_t begun = SB_OK;
    int32_t ended = guarded(instance.reason, [&] { begun = begin(instance, *setup); });
    return ended == SB_OK ? begun : ended;
  }

  static int32_t begin(Instance &instance, const sb_setup &setup) {
    if (Text(setup.game) != Text(Engine::about().game)) return fail(instance, "plays another game");
    if (setup.n_options) return fail(instance, "has no options");
    // The host's rules check variant, position and moves, and have the error text.
    char reason[Reason::LONGEST];
    int64_t bytes = instance.host->look(instance.host->ctx, Text(), nullptr, reason, sizeof reason);
    if (bytes < 0) {
      bytes = -1 - bytes;
      return fail(instance, Text(reason, bytes < (int64_t)sizeof reason ? (uint32_t)bytes : sizeof reason));
    }
    List<Text> moves;
    split(setup.moves, moves);
    for (Text move : moves) {
      if (on_played(&instance, move) != SB_OK) return SB_CRASHED;
    }
    return SB_OK;
  }

  static int32_t on_played(void *self, sb_text move) {
    return guarded(of(self).reason, [&] {
      of(self).plies++;
      of(self).engine.played(Text(move));
    });
  }

  static int32_t on_taken_back(void *self, uint32_t plies) {
    return guarded(of(self).reason, [&] {
      of(self).plies -= plies;
      of(self).engine.taken_back(plies);
    });
  }

  static int32_t choose(void *self, const sb_limits *limits, const sb_barred *barred, uint32_t n, sb_choice *out) {
    Instance &instance = of(self);
    return guarded(instance.reason, [&] {
      // Seed and ply give the same random numbers again after a move was taken back.
      Turn turn(instance.host, *limits, instance.seed + instance.plies * UINT64_C(0xd1342543de82ef95));
      turn.barred = barred;
      turn.n_barred = n;
      Text move = instance.engine.next_move(turn);
      instance.move.clear();
      if (!move.empty()) instance.move.push(move);
      out->decision = move.empty() ? SB_RESIGN : SB_PLAY;
      out->move = instance.move.text();
    });
  }

  static int32_t think(void *) { return SB_OK; }
  static sb_text error(void *self) { return (self ? of(self).reason : unstarted()).text(); }

  static void drop(void *self) { delete (Instance *)self; }
};

}  // namespace sandboard

// Exports a class as the engine.
#define SANDBOARD_ENGINE(Engine) \
  extern "C" const sb_engine_v1 *sandboard_engine_v1(void) { return sandboard::BaseEngine<Engine>::table(); }

#endif
