/* The interface between a Sandboard host and a native engine, ABI number 1.
 *
 * A shared library exports one symbol, sandboard_engine_v1, which returns the
 * engine's function table. The host passes its own table to start. The names
 * correspond to abi/wit/since-v1/engine.wit, which documents every field and has
 * a glossary. C99 and C++11.
 *
 * Ownership: neither side frees memory of the other. Inputs are borrowed for the
 * duration of the call. What a function returns or writes to *out belongs to the
 * engine and must stay unchanged until the next call on the same instance
 * (sb_description: forever). The host copies what it keeps.
 * Threads: the host makes one call at a time per instance, not always on the
 * same thread; two instances may run at once. Host functions may be called from
 * any thread of the engine, but only during a call into that instance.
 * Texts are UTF-8, not terminated by NUL; ptr may be NULL if len is 0. The same
 * holds for arrays. A line of moves is move texts separated by one space.
 * Sizes: the side that makes a struct with a field size sets it to its sizeof.
 * The side that reads the struct uses no field beyond it. Structs without size
 * are elements of arrays and never change within ABI 1. */
#ifndef SANDBOARD_ENGINE_V1_H
#define SANDBOARD_ENGINE_V1_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SB_ABI 1u
#define SB_NONE UINT64_MAX        /* an absent optional number */
#define SB_SEATS 16               /* maximum number of seats of a game */

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
  uint32_t text_max;              /* SB_TEXT: maximum length in bytes */
} sb_option;

/* An empty list of variants covers all of them. */
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
  sb_text start;                  /* position text; empty for the variant's own start */
  sb_text moves;                  /* the line of moves played since start */
  uint64_t seed;
  const sb_setting *options; uint32_t n_options;
  uint16_t threads, helper, helpers, reserved;
  uint64_t memory_bytes;          /* 0: not limited */
  uint64_t table_slots;           /* 0: there is no table */
} sb_setup;

typedef struct sb_seat_left { uint32_t seat; uint32_t reserved; uint64_t left; } sb_seat_left;

typedef struct sb_limits {
  uint32_t size, unit;
  uint64_t call_max, game_left;   /* SB_NONE: absent */
  uint64_t increment, grace;
  uint64_t moves_to_go, depth, nodes;  /* SB_NONE: absent */
  const sb_seat_left *others; uint32_t n_others;
  uint32_t draw_offered;          /* 0 or 1 */
  uint32_t lines;                 /* requested number in reports, at least 1 */
  uint32_t reserved;
} sb_limits;

typedef struct sb_barred { sb_text move, reason; } sb_barred;

typedef struct sb_line {
  uint32_t size;
  uint32_t rank;                  /* 1: the best of several lines */
  int32_t score; uint32_t bound;  /* SB_UNSCORED: there is no score */
  uint32_t depth; uint32_t reserved;
  uint64_t nodes, spent;
  sb_text moves;
} sb_line;

typedef struct sb_choice {
  uint32_t size;                  /* set by the host; the engine writes no field beyond it */
  uint32_t decision;              /* SB_PLAY … */
  sb_text move;                   /* for SB_PLAY */
  uint32_t offers_draw, reserved;
  const sb_line *line;            /* the line of the search; NULL: none */
} sb_choice;

typedef struct sb_view {
  uint32_t size;                  /* set by the engine before the call */
  uint32_t to_move;               /* 255: chance is next */
  uint32_t over;                  /* 1: the game is over there */
  uint32_t n_scores;              /* number of seats; 0: the game is not over */
  int32_t scores[SB_SEATS];       /* result of each seat, in the game's unit; higher is better */
} sb_view;

/* The host's functions; valid until drop returns. */
typedef struct sb_host_v1 {
  uint32_t size;                  /* check it before using a later field */
  void *ctx;                      /* first argument of every function below */
  /* Reports a line found in this call. The host copies it. */
  void (*report)(void *ctx, const sb_line *line);
  /* Logs a text. The host copies it and truncates it at its limit. */
  void (*log)(void *ctx, uint32_t level, sb_text text);
  /* Remaining units of this choose call; the only clock. 0: return now. UINT64_MAX: no
   * limit, or another call. */
  uint64_t (*left)(void *ctx);
  /* The legal moves after a line of moves from the current position. Writes at most cap
   * bytes to out and returns the length of the whole answer. If a move of the line is
   * illegal, writes the reason and returns -1 - its length. out may be NULL if cap is 0. */
  int64_t (*legal)(void *ctx, sb_text moves, char *out, uint32_t cap);
  /* The position after a line of moves: its text as in legal, the rest in *view (may be
   * NULL). If the game is over, the text is "position\nreason of the end". */
  int64_t (*look)(void *ctx, sb_text moves, sb_view *view, char *out, uint32_t cap);
  /* Copies bytes of an asset to out and returns their number, less than cap only at the
   * end of the file; -1: no such asset. */
  int64_t (*asset)(void *ctx, sb_text name, uint64_t offset, uint8_t *out, uint32_t cap);
  /* The table and the 64 atomic cells that an engine's helpers share in a bout. */
  uint64_t (*probe)(void *ctx, uint64_t key);
  void (*store)(void *ctx, uint64_t key, uint64_t value);
  int64_t (*cell)(void *ctx, uint32_t index, uint32_t op, int64_t value);
} sb_host_v1;

/* The engine's functions; static. Results: SB_OK, or SB_ERROR or SB_CRASHED with the reason
 * in error(); anything else is a fault. After a result other than SB_OK the host calls
 * only error() and drop(). */
typedef struct sb_engine_v1 {
  uint32_t size, abi;             /* sizeof(sb_engine_v1), SB_ABI */
  /* Returns static data. Called before any start, from any thread. */
  const sb_description *(*describe)(void);
  /* Creates an instance in *self. If the result is negative, *self may be NULL or an
   * instance on which only error() and drop() are called. host is valid until drop. */
  int32_t (*start)(const sb_setup *setup, const sb_host_v1 *host, void **self);
  int32_t (*played)(void *self, sb_text move);
  int32_t (*taken_back)(void *self, uint32_t plies);
  /* barred has n elements and is NULL if n is 0. */
  int32_t (*choose)(void *self, const sb_limits *limits, const sb_barred *barred, uint32_t n, sb_choice *out);
  /* Thinks on the opponent's time, or helps a search, until left() is 0. */
  int32_t (*think)(void *self);
  /* Why the last call on self failed. If self is NULL: why the last start on this thread
   * failed; that text must stay unchanged until the next start on this thread. */
  sb_text (*error)(void *self);
  /* Joins the engine's threads, which must not call the host afterwards, and frees the
   * instance. NULL is allowed and has no effect. */
  void (*drop)(void *self);
} sb_engine_v1;

/* The exported symbol. Returns the same table at every call, never NULL. */
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
