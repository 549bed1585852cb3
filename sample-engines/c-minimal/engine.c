/* A complete engine in one C file, and a template: copy it, change the names below,
 * and write your own `think_of_a_move`.
 *
 * It has no rules of its own. It asks the host for the legal moves and looks one
 * move ahead: it plays a winning move, otherwise a random one. It needs only the
 * header sandboard_engine_v1.h. The same file becomes a native library and a
 * WebAssembly component (docs/c.md). C99 and C++11.
 *
 * Memory rules:
 *   - Arguments are borrowed until the function returns: copy what you keep.
 *   - Results belong to the engine and must not change until the next call on the
 *     same instance.
 *   - All state of an instance is in `engine`, which `engine_drop` frees. There is no
 *     other mutable state, since two instances may run at once on two threads. */

#include <stdlib.h>
#include <string.h>

#include "sandboard_engine_v1.h"

#define ENGINE_ID "c-minimal"
#define ENGINE_NAME "C Minimal"
#define ENGINE_AUTHOR "The Sandboard developers"
#define ENGINE_VERSION "0.1.0"
#define ENGINE_GAME "gomoku"

/* An initializer of an sb_text from a string literal. */
#define TEXT(literal) { literal, sizeof(literal) - 1 }

typedef struct engine {
  const sb_host_v1 *host;   /* borrowed; valid until drop */
  uint64_t seed;
  uint64_t plies;           /* moves played in this game so far */
  char *moves;              /* owned: the legal moves, separated by spaces */
  uint32_t moves_len, moves_cap;
  sb_line line;             /* owned: the search behind the last choice */
  sb_text error;            /* error of the last call: static text, or text in `reason` */
  char reason[1024];        /* owned: a copy of the host's error text */
} engine;

/* ---- Helpers ---- */

static sb_text text_of(const char *words) {
  sb_text text;
  text.ptr = words;
  text.len = (uint32_t)strlen(words);
  return text;
}

static int same(sb_text a, sb_text b) {
  return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static int32_t fail(engine *e, const char *why) {
  e->error = text_of(why);
  return SB_ERROR;
}

/* The next move of a line of moves, from *at on; empty at the end. */
static sb_text next_move(const char *moves, uint32_t len, uint32_t *at) {
  sb_text move;
  uint32_t begin = *at;
  while (*at < len && moves[*at] != ' ') ++*at;
  move.ptr = moves + begin;
  move.len = *at - begin;
  if (*at < len) ++*at;
  return move;
}

/* A random number from the seed and the ply, so that it is the same again after a
 * move was taken back (SplitMix64, Steele et al. 2014). */
static uint64_t random_number(const engine *e) {
  uint64_t z = e->seed + (e->plies + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static int is_barred(sb_text move, const sb_barred *barred, uint32_t n) {
  uint32_t i;
  for (i = 0; i < n; i++) {
    if (same(move, barred[i].move)) return 1;
  }
  return 0;
}

/* ---- Playing ---- */

/* Reads the legal moves into the engine's buffer, which grows until they fit. */
static int32_t read_moves(engine *e) {
  sb_text here = TEXT("");
  for (;;) {
    int64_t bytes = e->host->legal(e->host->ctx, here, e->moves, e->moves_cap);
    char *larger;
    if (bytes < 0) return fail(e, "the host knows no legal moves here");
    e->moves_len = (uint32_t)bytes;
    if (e->moves_len <= e->moves_cap) return SB_OK;
    larger = (char *)realloc(e->moves, e->moves_len);
    if (!larger) return fail(e, "no memory for the legal moves");
    e->moves = larger;
    e->moves_cap = e->moves_len;
  }
}

/* Whether this move ends the game with a win of `seat`'s side. A side has every other
 * seat. */
static int wins(const engine *e, sb_text move, uint32_t seat) {
  sb_view view;
  uint32_t i, beaten = 0;
  view.size = sizeof view;
  if (e->host->look(e->host->ctx, move, &view, NULL, 0) < 0 || seat >= view.n_scores) return 0;
  for (i = 0; i < view.n_scores; i++) {
    if (view.scores[i] > view.scores[seat]) return 0;
    beaten += view.scores[i] < view.scores[seat];
  }
  return beaten > 0;
}

/* A winning move, if one is found in time, otherwise a random one; empty if all moves are
 * barred. */
static sb_text think_of_a_move(engine *e, const sb_barred *barred, uint32_t n) {
  sb_text move, found = TEXT(""), here = TEXT("");
  uint64_t count = 0, pick;
  uint32_t at;
  sb_view view;
  view.size = sizeof view;
  view.to_move = 0;
  e->host->look(e->host->ctx, here, &view, NULL, 0);
  for (at = 0; at < e->moves_len;) {
    move = next_move(e->moves, e->moves_len, &at);
    if (is_barred(move, barred, n)) continue;
    count++;
    /* left() is the only clock; 0: return now. */
    if (e->host->left(e->host->ctx) == 0 || !wins(e, move, view.to_move)) continue;
    e->line.score = 29999; /* a forced win in one ply */
    e->line.bound = SB_EXACT;
    e->line.nodes = count;
    return move;
  }
  e->line.bound = SB_UNSCORED;
  e->line.nodes = count;
  if (count == 0) return found;
  pick = random_number(e) % count;
  for (at = 0; at < e->moves_len;) {
    move = next_move(e->moves, e->moves_len, &at);
    if (is_barred(move, barred, n)) continue;
    found = move;
    if (pick-- == 0) break;
  }
  return found;
}

/* Checks the game with the host's rules, which know every variant, position and line of
 * moves. The host's error text, copied, becomes the engine's error. */
static int32_t check_game(engine *e) {
  sb_text here = TEXT("");
  int64_t bytes = e->host->look(e->host->ctx, here, NULL, e->reason, sizeof e->reason);
  if (bytes >= 0) return SB_OK;
  bytes = -1 - bytes;
  e->error.ptr = e->reason;
  e->error.len = bytes < (int64_t)sizeof e->reason ? (uint32_t)bytes : sizeof e->reason;
  return SB_ERROR;
}

/* ---- The functions of the ABI ---- */

static int32_t engine_start(const sb_setup *setup, const sb_host_v1 *host, void **self) {
  static const sb_text game = TEXT(ENGINE_GAME);
  engine *e = (engine *)calloc(1, sizeof *e);
  uint32_t at = 0;
  *self = e;
  if (!e) return SB_ERROR; /* error(NULL) has the text */
  /* From here on, after a failure the host reads the instance's error and drops the
   * instance. */
  if (!same(setup->game, game)) return fail(e, "plays nothing but " ENGINE_GAME);
  if (setup->n_options > 0) return fail(e, "has no options");
  e->host = host;
  if (check_game(e) != SB_OK) return SB_ERROR;
  e->seed = setup->seed;
  e->line.size = sizeof e->line;
  e->line.rank = 1;
  e->line.depth = 1;
  while (at < setup->moves.len) {
    next_move(setup->moves.ptr, setup->moves.len, &at);
    e->plies++;
  }
  return SB_OK;
}

static int32_t engine_played(void *self, sb_text move) {
  (void)move; /* borrowed: an engine with its own board plays it here */
  ((engine *)self)->plies++;
  return SB_OK;
}

static int32_t engine_taken_back(void *self, uint32_t plies) {
  ((engine *)self)->plies -= plies;
  return SB_OK;
}

static int32_t engine_choose(void *self, const sb_limits *limits, const sb_barred *barred,
                             uint32_t n, sb_choice *out) {
  engine *e = (engine *)self;
  sb_text move;
  (void)limits; /* a search would keep to depth and nodes; left() has the time */
  if (read_moves(e) != SB_OK) return SB_ERROR;
  move = think_of_a_move(e, barred, n);
  out->decision = move.len ? SB_PLAY : SB_RESIGN;
  out->move = move; /* points into e->moves, which stays unchanged until the next call */
  out->offers_draw = 0;
  e->line.moves = move;
  out->line = move.len ? &e->line : NULL;
  return SB_OK;
}

/* The host calls it only if the engine's abilities include it. */
static int32_t engine_think(void *self) {
  (void)self;
  return SB_OK;
}

static sb_text engine_error(void *self) {
  return self ? ((engine *)self)->error : text_of("no memory for an instance");
}

static void engine_drop(void *self) {
  engine *e = (engine *)self;
  if (!e) return;
  free(e->moves);
  free(e);
}

static const sb_description *engine_describe(void) {
  /* No list of variants means all of them; the host has the rules. */
  static const sb_game games[] = { { TEXT(ENGINE_GAME), NULL, 0 } };
  static const sb_description description = {
    sizeof(sb_description), 0,
    TEXT(ENGINE_ID), TEXT(ENGINE_NAME), TEXT(ENGINE_AUTHOR), TEXT(ENGINE_VERSION),
    games, sizeof games / sizeof *games,
    NULL, 0 /* options */
  };
  return &description;
}

const sb_engine_v1 *sandboard_engine_v1(void) {
  static const sb_engine_v1 table = {
    sizeof(sb_engine_v1), SB_ABI,
    engine_describe, engine_start, engine_played, engine_taken_back, engine_choose,
    engine_think, engine_error, engine_drop
  };
  return &table;
}
