/* The border between a Sandboard host and a native engine, ABI number 1.
 *
 * A shared library exports one symbol, sandboard_engine_v1, which returns the
 * table of its functions; the host hands it a table of its own at start. The
 * words mean what they mean in abi/wit/since-v1/engine.wit, which explains
 * every field. C99 and C++11.
 *
 * Who frees what: nobody frees what the other side gave. Inputs are borrowed
 * for the call that brings them; what a function returns or writes into *out
 * stays its engine's, untouched, until the next call on the same instance
 * (sb_description: for ever). The host copies what it wants to keep.
 * Threads: the host makes one call at a time per instance, not always from the
 * same thread; two instances may run at once. Host functions may be called
 * from any thread of the engine, but only during a call into that instance.
 * Texts are UTF-8, not ended by NUL; ptr may be NULL where len is 0. Arrays
 * likewise. A line of moves is move texts separated by one space.
 * Sizes: whoever makes a struct that has a field size sets it to its sizeof;
 * whoever reads the struct uses no field beyond it. Structs without size, which
 * are elements of arrays, never change within ABI 1. */
#ifndef SANDBOARD_ENGINE_V1_H
#define SANDBOARD_ENGINE_V1_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SB_ABI 1u
#define SB_NONE UINT64_MAX        /* an optional number that is absent */
#define SB_NO_SEAT UINT32_MAX     /* an optional seat that is absent */

typedef struct sb_text { const char *ptr; uint32_t len; } sb_text;

enum { SB_UNLIMITED = 0, SB_WALL = 1, SB_CPU = 2, SB_FUEL = 3 };               /* unit */
enum { SB_TOGGLE = 0, SB_WHOLE = 1, SB_REAL = 2, SB_PICK = 3, SB_TEXT = 4 };   /* kind */
enum { SB_PONDERS = 1, SB_HELPERS = 2, SB_PROVES = 4 };                        /* abilities, or-ed */
enum { SB_ESTIMATE = 0, SB_AT_LEAST = 1, SB_AT_MOST = 2, SB_EXACT = 3, SB_UNSCORED = 4 };  /* bound */
enum { SB_PLAY = 0, SB_RESIGN = 1, SB_ACCEPT_DRAW = 2 };                       /* decision */
enum { SB_FATAL = 0, SB_WARNING = 1, SB_INFO = 2, SB_DEBUG = 3 };              /* level */
enum { SB_GET = 0, SB_PUT = 1, SB_ADD = 2, SB_MAX = 3 };                       /* cell op */
enum { SB_OK = 0, SB_ERROR = -1, SB_CRASHED = -2 };                            /* result of a call */

typedef struct sb_option {
  sb_text name, about, initial;
  uint32_t kind;                  /* SB_TOGGLE … */
  uint32_t tunable;               /* 0 or 1 */
  int64_t whole_min, whole_max;   /* SB_WHOLE */
  double real_min, real_max;      /* SB_REAL */
  const sb_text *picks; uint32_t n_picks;  /* SB_PICK */
  uint32_t text_max;              /* SB_TEXT: longest text in bytes */
} sb_option;

/* No variants: all of them. */
typedef struct sb_game { sb_text game; const sb_text *variants; uint32_t n_variants; } sb_game;

typedef struct sb_description {
  uint32_t size;                  /* sizeof(sb_description): fields beyond it are absent */
  uint32_t abilities;
  sb_text id, name, author, version;
  const sb_game *games;     uint32_t n_games;
  const sb_option *options; uint32_t n_options;
} sb_description;

typedef struct sb_setting { sb_text name, value; } sb_setting;

typedef struct sb_setup {
  uint32_t size;
  uint32_t n_seats; const uint8_t *seats;
  sb_text game, variant;
  sb_text start;                  /* position text; empty: the variant's own start */
  sb_text moves;                  /* the line of moves played since */
  uint64_t seed;
  const sb_setting *options; uint32_t n_options;
  uint16_t threads, helper, helpers, reserved;
  uint64_t memory_bytes;          /* 0: not limited */
  uint64_t table_slots;           /* 0: probe and store do nothing */
} sb_setup;

typedef struct sb_seat_left { uint32_t seat; uint32_t reserved; uint64_t left; } sb_seat_left;

typedef struct sb_limits {
  uint32_t size, unit;
  uint64_t call_max, game_left;   /* SB_NONE: absent */
  uint64_t increment, grace;
  uint64_t moves_to_go, depth, nodes;  /* SB_NONE: absent */
  const sb_seat_left *others; uint32_t n_others;
  uint32_t draw_offered;          /* 0 or 1 */
  uint32_t lines;                 /* how many are wanted in reports, at least 1 */
  uint32_t reserved;
} sb_limits;

typedef struct sb_barred { sb_text move, reason; } sb_barred;

typedef struct sb_line {
  uint32_t size;
  uint32_t rank;                  /* 1: the best of several */
  int32_t score; uint32_t bound;  /* SB_UNSCORED: there is no score */
  uint32_t depth; uint32_t reserved;
  uint64_t nodes, spent;
  sb_text moves;
} sb_line;

typedef struct sb_choice {
  uint32_t size;                  /* set by the host; an engine writes nothing beyond it */
  uint32_t decision;              /* SB_PLAY … */
  sb_text move;                   /* with SB_PLAY */
  uint32_t offers_draw, reserved;
  const sb_line *line;            /* the search behind it; NULL: none */
} sb_choice;

typedef struct sb_view {
  uint32_t size;                  /* set by the engine before the call */
  uint32_t to_move;
  uint32_t over;                  /* 1: the game has ended there */
  uint32_t winner;                /* a seat; SB_NO_SEAT: drawn, or not over */
} sb_view;

/* The host's; lives until drop returns. */
typedef struct sb_host_v1 {
  uint32_t size;                  /* test before using a later field */
  void *ctx;                      /* first argument of every function below */
  /* The host copies the line. */
  void (*report)(void *ctx, const sb_line *line);
  /* The host copies the text and cuts it at its limit. */
  void (*log)(void *ctx, uint32_t level, sb_text text);
  /* Units left of this choose, the only clock; 0: return now; UINT64_MAX: no limit, or another call. */
  uint64_t (*left)(void *ctx);
  /* Legal moves after a line of moves from the current position. Returns the bytes
   * of the whole answer and writes as many as cap admits; the reason instead, and
   * -1 - its bytes, where a move of the line is not legal. out may be NULL with cap 0. */
  int64_t (*legal)(void *ctx, sb_text moves, char *out, uint32_t cap);
  /* The position after a line: text as in legal, the rest in *view (may be NULL).
   * Where the game is over the text is "position\nreason of the end". */
  int64_t (*look)(void *ctx, sb_text moves, sb_view *view, char *out, uint32_t cap);
  /* Bytes copied to out, fewer than cap only at the file's end; -1: no such asset. */
  int64_t (*asset)(void *ctx, sb_text name, uint64_t offset, uint8_t *out, uint32_t cap);
  /* The table and the 64 cells that this engine's helpers in this bout share. */
  uint64_t (*probe)(void *ctx, uint64_t key);
  void (*store)(void *ctx, uint64_t key, uint64_t value);
  int64_t (*cell)(void *ctx, uint32_t index, uint32_t op, int64_t value);
} sb_host_v1;

/* The engine's; static. Results: SB_OK, or SB_ERROR or SB_CRASHED and error() says
 * why; anything else is a fault. After a result that is not SB_OK the host calls
 * nothing but error() and drop(). */
typedef struct sb_engine_v1 {
  uint32_t size, abi;             /* sizeof(sb_engine_v1), SB_ABI */
  /* Static data; callable before any start, from any thread. */
  const sb_description *(*describe)(void);
  /* Makes an instance in *self. Negative: *self may be NULL, or an instance that
   * only error() and drop() are called on. host stays valid until drop. */
  int32_t (*start)(const sb_setup *setup, const sb_host_v1 *host, void **self);
  int32_t (*played)(void *self, sb_text move);
  int32_t (*taken_back)(void *self, uint32_t plies);
  /* barred is NULL where n is 0. */
  int32_t (*choose)(void *self, const sb_limits *limits, const sb_barred *barred, uint32_t n, sb_choice *out);
  /* Ponders or helps until left() is 0. */
  int32_t (*think)(void *self);
  /* Why the last call on self failed; self NULL: why the last start on this thread
   * failed, untouched until the next one on this thread. */
  sb_text (*error)(void *self);
  /* Joins the engine's threads, which must not call the host after it, and frees the
   * instance; NULL is allowed and does nothing. */
  void (*drop)(void *self);
} sb_engine_v1;

/* The one exported symbol. Never NULL; the same table at every call. */
#if defined(_WIN32)
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const sb_engine_v1 *sandboard_engine_v1(void);

#ifdef __cplusplus
}
#endif
#endif
