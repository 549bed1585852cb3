/* Makes a WebAssembly component of the source of a native engine, ABI number 1.
 *
 * An engine in C is one file that defines sandboard_engine_v1() as declared in the
 * header abi/include/sandboard_engine_v1.h. Compiled together with this file for
 * wasm32, it becomes the core module of a component of the world `sandboard`
 * (abi/wit/since-v1/engine.wit). This file translates between the canonical ABI
 * of the component model and the C header. It makes no decisions and keeps no
 * state of a game. sandboard_support_v1.h, beside this file, is a part of it.
 *
 *   clang --target=wasm32 -nostdlib -nostdlibinc -O2 -I abi/include -isystem abi/shim/libc \
 *         -Wl,--no-entry engine.c abi/shim/sandboard_component_v1.c -o engine.core.wasm
 *
 * docs/c.md describes how this becomes a component. The C library functions
 * at the end of sandboard_support_v1.h are all that a freestanding engine can use.
 * To use a real C library instead, define SANDBOARD_HAS_LIBC.
 *
 * One component instance is one engine instance. drop() is never called: the
 * instance and all its memory are discarded together. C99 for clang. */

#include <stddef.h>
#include <stdint.h>

#include "sandboard_engine_v1.h"

#define EXPORT(name) __attribute__((export_name(name)))
#define ENGINE(function) EXPORT("sandboard:engine/engine@1.0.0#" function)
#define POST(function) EXPORT("cabi_post_sandboard:engine/engine@1.0.0#" function)
#define HOST(function) \
  __attribute__((import_module("sandboard:engine/host@1.0.0"), import_name(function)))

/* ---- Limits of the host: abi/src/limits.rs ---- */

enum {
  LIST_MAX = 256,               /* number of games, options, variants or picks */
  LINE_BYTES = 64 * 1024,
  LOG_BYTES = 4096,
  REASON_BYTES = 1024,
  NAME_BYTES = 4096,            /* maximum for texts of a description */
  ASSET_BYTES = 64 * 1024       /* per read, so that a large asset needs no second large buffer */
};

/* ---- Memory layout of the canonical ABI ----
 * Records have the layout of C structs; texts and lists are pointer and length.
 * So these structs mirror the WIT's records and variants field by field. A variant
 * is a one-byte discriminant followed by the largest of its cases. */

typedef struct { uint8_t some; uint64_t value; } wit_some64;
typedef struct { uint8_t some; uint32_t value; } wit_some32;

typedef struct {
  sb_text game, variant, start, moves;
  uint8_t *seats; uint32_t n_seats;
  uint64_t seed;
  sb_setting *options; uint32_t n_options;   /* list<tuple<string, string>> */
  uint64_t memory_bytes;
  uint16_t threads, helper, helpers;
  uint64_t table_slots;
} wit_setup;

typedef struct {
  uint8_t unit;
  wit_some64 call_max, game_left;
  uint64_t increment;
  wit_some32 moves_to_go;
  uint64_t grace;
  wit_some32 depth;
  wit_some64 nodes;
  uint16_t lines;
  sb_seat_left *others; uint32_t n_others;   /* list<tuple<u8, u64>>: the seat is one byte */
  uint8_t draw_offered;
  /* The second parameter of choose: too large to flatten, so both are in one block. */
  struct { sb_barred *list; uint32_t n; } barred __attribute__((aligned(8)));
} wit_choose;

typedef struct {
  uint16_t rank;
  struct { uint8_t some; int32_t value; uint8_t bound; } score;
  uint32_t depth;
  uint64_t nodes, spent;
  sb_text moves;
} wit_line;

/* result<choice, string> */
typedef struct {
  uint8_t failed;
  union {
    sb_text error;
    struct {
      struct { uint8_t is; sb_text move; } decision;
      uint8_t offers_draw;
      struct { uint8_t some; wit_line value; } line;
    } choice;
  } u;
} wit_choose_result;

/* result<_, string>; also result<string, string> and result<list<u8>, string>, which have the
 * same layout. */
typedef struct { uint8_t failed; sb_text text; } wit_result;

/* result<view, string> */
typedef struct {
  uint8_t failed;
  union {
    sb_text error;
    struct {
      sb_text position;
      uint8_t to_move;
      struct {
        uint8_t some;
        struct { int32_t *scores; uint32_t n_scores; sb_text reason; } value;
      } ending;
    } view;
  } u;
} wit_look_result;

typedef struct { sb_text game; sb_text *variants; uint32_t n_variants; } wit_game;

typedef struct {
  sb_text name, about;
  struct {
    uint8_t is;
    union {
      struct { int64_t min, max; } whole;
      struct { double min, max; } real;
      struct { sb_text *list; uint32_t n; } pick;
      uint32_t text_max;
    } u;
  } kind;
  sb_text initial;
  uint8_t tunable;
} wit_option;

typedef struct {
  sb_text id, name, author, version;
  wit_game *games; uint32_t n_games;
  wit_option *options; uint32_t n_options;
  uint8_t abilities;
} wit_description;

#define CHECK_SIZE(type, size) typedef char type##_has_size[sizeof(type) == (size) ? 1 : -1]
CHECK_SIZE(sb_text, 8);
CHECK_SIZE(sb_setting, 16);
CHECK_SIZE(sb_barred, 16);
CHECK_SIZE(sb_seat_left, 16);
CHECK_SIZE(wit_setup, 80);
CHECK_SIZE(wit_choose, 112);
CHECK_SIZE(wit_line, 48);
CHECK_SIZE(wit_choose_result, 80);
CHECK_SIZE(wit_result, 12);
CHECK_SIZE(wit_look_result, 36);
CHECK_SIZE(wit_game, 16);
CHECK_SIZE(wit_option, 56);
CHECK_SIZE(wit_description, 52);

/* ---- Host functions: flattened parameters; larger results through a last pointer ---- */

HOST("report") void host_report(uint32_t rank, uint32_t scored, int32_t score, uint32_t bound,
                                uint32_t depth, uint64_t nodes, uint64_t spent,
                                const char *moves, uint32_t n_moves);
HOST("log") void host_log(uint32_t level, const char *text, uint32_t n);
HOST("left") uint64_t host_left(void);
HOST("legal") void host_legal(const char *moves, uint32_t n, wit_result *out);
HOST("look") void host_look(const char *moves, uint32_t n, wit_look_result *out);
HOST("asset") void host_asset(const char *name, uint32_t n, uint64_t offset, uint32_t length,
                              wit_result *out);
HOST("probe") uint64_t host_probe(uint64_t key);
HOST("store") void host_store(uint64_t key, uint64_t value);
HOST("cell") int64_t host_cell(uint32_t index, uint32_t op, int64_t value);

/* ---- Failing: the text becomes the sentence of the fault ---- */

__attribute__((noreturn)) static void trap_with(const char *text, uint32_t n) {
  host_log(SB_FATAL, text, n);
  __builtin_trap();
}

#include "sandboard_support_v1.h"

/* Converts a line. The host checks its length. */
static wit_line converted_line(const sb_line *line) {
  wit_line out = {0};
  if (line->size < sizeof *line) {
    fail_with_number("sent a line of size ", line->size, "; it is too small");
  }
  if (line->bound > SB_UNSCORED) {
    fail_with_number("sent a score of the unknown bound ", line->bound, "");
  }
  out.rank = line->rank > UINT16_MAX ? UINT16_MAX : (uint16_t)line->rank;
  if (line->bound != SB_UNSCORED) {
    out.score.some = 1;
    out.score.value = line->score;
    out.score.bound = (uint8_t)line->bound;
  }
  out.depth = line->depth;
  out.nodes = line->nodes;
  out.spent = line->spent;
  out.moves = normalized(line->moves, LINE_BYTES);
  return out;
}

/* ---- The host's function table, called by the engine ---- */

static void on_report(void *ctx, const sb_line *line) {
  answer_block *mark = answer_blocks;
  wit_line l;
  (void)ctx;
  if (!line) return;
  l = converted_line(line);
  host_report(l.rank, l.score.some, l.score.value, l.score.bound, l.depth, l.nodes, l.spent,
              l.moves.ptr, l.moves.len);
  free_answer_blocks(mark);
}

static void on_log(void *ctx, uint32_t level, sb_text text) {
  answer_block *mark = answer_blocks;
  (void)ctx;
  text = normalized(text, LOG_BYTES);
  host_log(level > SB_DEBUG ? SB_DEBUG : level, text.ptr, text.len);
  free_answer_blocks(mark);
}

static uint64_t on_left(void *ctx) {
  (void)ctx;
  return host_left();
}

static uint32_t copy(char *out, uint32_t cap, uint32_t at, sb_text text) {
  if (out && at < cap) memcpy(out + at, text.ptr, text.len < cap - at ? text.len : cap - at);
  return at + text.len;
}

/* Copies a text of the host, or an error reason, to the engine, and frees it. */
static int64_t return_text(int failed, sb_text text, char *out, uint32_t cap) {
  int64_t bytes = copy(out, cap, 0, text);
  release_text(text);
  return failed ? -1 - bytes : bytes;
}

static int64_t on_legal(void *ctx, sb_text moves, char *out, uint32_t cap) {
  answer_block *mark = answer_blocks;
  wit_result answer;
  (void)ctx;
  moves = normalized(moves, LINE_BYTES);
  host_legal(moves.ptr, moves.len, &answer);
  free_answer_blocks(mark);
  return return_text(answer.failed, answer.text, out, cap);
}

static int64_t on_look(void *ctx, sb_text moves, sb_view *view, char *out, uint32_t cap) {
  static const sb_text newline = {"\n", 1};
  answer_block *mark = answer_blocks;
  wit_look_result seen;
  uint32_t bytes;
  int over;
  (void)ctx;
  moves = normalized(moves, LINE_BYTES);
  host_look(moves.ptr, moves.len, &seen);
  free_answer_blocks(mark);
  if (seen.failed) return return_text(1, seen.u.error, out, cap);
  over = seen.u.view.ending.some;
  if (view && view->size >= sizeof *view) {
    view->size = sizeof *view;
    view->to_move = seen.u.view.to_move;
    view->over = (uint32_t)over;
    view->n_scores = 0;
    while (over && view->n_scores < seen.u.view.ending.value.n_scores && view->n_scores < SB_SEATS) {
      view->scores[view->n_scores] = seen.u.view.ending.value.scores[view->n_scores];
      view->n_scores++;
    }
  }
  bytes = copy(out, cap, 0, seen.u.view.position);
  release_text(seen.u.view.position);
  if (over) {
    bytes = copy(out, cap, bytes, newline);
    bytes = copy(out, cap, bytes, seen.u.view.ending.value.reason);
    release_text(seen.u.view.ending.value.reason);
    release(seen.u.view.ending.value.scores, seen.u.view.ending.value.n_scores);
  }
  return bytes;
}

static int64_t on_asset(void *ctx, sb_text name, uint64_t offset, uint8_t *out, uint32_t cap) {
  answer_block *mark = answer_blocks;
  uint32_t done = 0, part;
  wit_result read;
  (void)ctx;
  name = normalized(name, LINE_BYTES);
  if (!out) cap = 0;
  do {
    part = cap - done < ASSET_BYTES ? cap - done : ASSET_BYTES;
    host_asset(name.ptr, name.len, offset + done, part, &read);
    if (!read.failed) done = copy((char *)out, cap, done, read.text);
    release_text(read.text);
  } while (!read.failed && part && read.text.len == part);
  free_answer_blocks(mark);
  return read.failed ? -1 : (int64_t)done;
}

static uint64_t on_probe(void *ctx, uint64_t key) {
  (void)ctx;
  return host_probe(key);
}

static void on_store(void *ctx, uint64_t key, uint64_t value) {
  (void)ctx;
  host_store(key, value);
}

static int64_t on_cell(void *ctx, uint32_t index, uint32_t op, int64_t value) {
  (void)ctx;
  /* The WIT has one byte for the index: a larger index must not wrap. */
  if (index > UINT8_MAX) fail_with_number("asked for cell ", index, "; there are cells 0 to 63");
  if (op > SB_MAX) fail_with_number("asked for the unknown cell operation ", op, "");
  return host_cell(index, op, value);
}

static const sb_host_v1 HOST_TABLE = {
  sizeof(sb_host_v1), NULL, on_report, on_log, on_left, on_legal, on_look, on_asset,
  on_probe, on_store, on_cell
};

/* ---- The engine's function table ---- */

void __wasm_call_ctors(void);

static const sb_engine_v1 *table;

static const char *missing_function(void) {
  if (!table->describe) return "has no function `describe` in its table";
  if (!table->start) return "has no function `start` in its table";
  if (!table->played) return "has no function `played` in its table";
  if (!table->taken_back) return "has no function `taken_back` in its table";
  if (!table->choose) return "has no function `choose` in its table";
  if (!table->think) return "has no function `think` in its table";
  if (!table->error) return "has no function `error` in its table";
  if (!table->drop) return "has no function `drop` in its table";
  return NULL;
}

/* Called first in every call from the host. Checks the table as the host does for native
 * libraries. */
static void enter(void) {
  free_answer_blocks(NULL);
  if (table) return;
  __wasm_call_ctors();             /* constructs the global objects of C++ */
  table = sandboard_engine_v1();
  if (!table) fail("returns NULL instead of its table");
  if (table->abi != SB_ABI) {
    fail_with_number("is built for ABI ", table->abi, "; this is ABI 1");
  }
  if (table->size < sizeof *table) {
    fail_with_number("has a table of ", table->size, " bytes; it is too small");
  }
  if (missing_function()) fail(missing_function());
}

/* The engine's only instance. */
static void *self;
static int started, playing;

/* Whether a call failed; then the engine's reason is set. An engine that crashed traps here. */
static int failed(int32_t result, sb_text *reason) {
  if (result == SB_OK) return 0;
  if (result != SB_ERROR && result != SB_CRASHED) {
    char minus = result < 0;
    fail_with_number(minus ? "returned the unknown result -" : "returned the unknown result ",
                     minus ? 0u - (uint32_t)result : (uint32_t)result, "");
  }
  *reason = normalized(table->error(self), REASON_BYTES);
  if (result == SB_CRASHED) trap_with(reason->ptr, reason->len);
  return 1;
}

static wit_result *answer(int32_t result) {
  static wit_result area;
  area.failed = (uint8_t)failed(result, &area.text);
  return &area;
}

static wit_result *answer_not_started(void) {
  static const char reason[] = "called before start";
  static wit_result area = {1, {reason, sizeof reason - 1}};
  return &area;
}

/* ---- The six calls ---- */

static sb_text *texts(const sb_text *list, uint32_t *n) {
  sb_text *out;
  uint32_t i;
  if (!list) *n = 0;
  if (*n > LIST_MAX) {
    fail_with_number("describes itself with a list of ", *n, "; at most 256 are admitted");
  }
  out = (sb_text *)allocate_answer(*n * sizeof *out);
  for (i = 0; i < *n; i++) out[i] = normalized(list[i], NAME_BYTES);
  return out;
}

static void write_option(wit_option *out, const sb_option *option) {
  out->name = normalized(option->name, NAME_BYTES);
  out->about = normalized(option->about, NAME_BYTES);
  out->initial = normalized(option->initial, NAME_BYTES);
  out->tunable = option->tunable != 0;
  out->kind.is = (uint8_t)option->kind;
  switch (option->kind) {
    case SB_TOGGLE: break;
    case SB_WHOLE:
      out->kind.u.whole.min = option->whole_min;
      out->kind.u.whole.max = option->whole_max;
      break;
    case SB_REAL:
      out->kind.u.real.min = option->real_min;
      out->kind.u.real.max = option->real_max;
      break;
    case SB_PICK:
      out->kind.u.pick.n = option->n_picks;
      out->kind.u.pick.list = texts(option->picks, &out->kind.u.pick.n);
      break;
    case SB_TEXT: out->kind.u.text_max = option->text_max; break;
    default: fail_with_number("describes an option of the unknown kind ", option->kind, "");
  }
}

ENGINE("describe")
wit_description *component_describe(void) {
  static wit_description out;
  const sb_description *d;
  uint32_t i;
  enter();
  d = table->describe();
  if (!d) fail("describes itself as NULL");
  if (d->size < sizeof *d) fail("describes itself in a struct that is too small");
  out.id = normalized(d->id, NAME_BYTES);
  out.name = normalized(d->name, NAME_BYTES);
  out.author = normalized(d->author, NAME_BYTES);
  out.version = normalized(d->version, NAME_BYTES);
  out.abilities = d->abilities & (SB_PONDERS | SB_HELPERS | SB_PROVES);
  out.n_games = d->games ? d->n_games : 0;
  out.n_options = d->options ? d->n_options : 0;
  if (out.n_games > LIST_MAX || out.n_options > LIST_MAX) {
    fail_with_number("describes itself with a list of ",
                     out.n_games > LIST_MAX ? out.n_games : out.n_options,
                     "; at most 256 are admitted");
  }
  out.games = (wit_game *)allocate_answer(out.n_games * sizeof *out.games);
  for (i = 0; i < out.n_games; i++) {
    out.games[i].game = normalized(d->games[i].game, NAME_BYTES);
    out.games[i].n_variants = d->games[i].n_variants;
    out.games[i].variants = texts(d->games[i].variants, &out.games[i].n_variants);
  }
  out.options = (wit_option *)allocate_answer(out.n_options * sizeof *out.options);
  for (i = 0; i < out.n_options; i++) write_option(&out.options[i], &d->options[i]);
  return &out;
}

static void release_setup(wit_setup *in) {
  uint32_t i;
  for (i = 0; i < in->n_options; i++) {
    release_text(in->options[i].name);
    release_text(in->options[i].value);
  }
  release(in->options, in->n_options);
  release(in->seats, in->n_seats);
  release_text(in->moves);
  release_text(in->start);
  release_text(in->variant);
  release_text(in->game);
  free(in);
}

ENGINE("start")
wit_result *component_start(wit_setup *in) {
  static const char again[] = "started a second time";
  static wit_result area = {1, {again, sizeof again - 1}};
  sb_setup setup = {0};
  int32_t result;
  enter();
  if (started) {
    release_setup(in);
    return &area;
  }
  started = 1;
  setup.size = sizeof setup;
  setup.n_seats = in->n_seats;
  setup.seats = in->seats;
  setup.game = in->game;
  setup.variant = in->variant;
  setup.start = in->start;
  setup.moves = in->moves;
  setup.seed = in->seed;
  setup.options = in->options;
  setup.n_options = in->n_options;
  setup.threads = in->threads;
  setup.helper = in->helper;
  setup.helpers = in->helpers;
  setup.memory_bytes = in->memory_bytes;
  setup.table_slots = in->table_slots;
  result = table->start(&setup, &HOST_TABLE, &self);
  release_setup(in);
  playing = result == SB_OK;
  if (playing && !self) fail("started without an instance");
  return answer(result);
}

ENGINE("played")
wit_result *component_played(char *move, uint32_t n) {
  sb_text text;
  int32_t result;
  enter();
  text.ptr = move;
  text.len = n;
  if (!playing) {
    release_text(text);
    return answer_not_started();
  }
  result = table->played(self, text);
  release_text(text);
  return answer(result);
}

ENGINE("taken-back")
wit_result *component_taken_back(uint32_t plies) {
  enter();
  return playing ? answer(table->taken_back(self, plies)) : answer_not_started();
}

ENGINE("think")
wit_result *component_think(void) {
  enter();
  return playing ? answer(table->think(self)) : answer_not_started();
}

static uint64_t or_none(int some, uint64_t value) {
  return some ? value : SB_NONE;
}

static void read_limits(wit_choose *in, sb_limits *limits) {
  uint32_t i;
  /* The seat is one byte in the WIT; the other bytes of the number are undefined. */
  for (i = 0; i < in->n_others; i++) {
    in->others[i].seat = *(const uint8_t *)&in->others[i];
    in->others[i].reserved = 0;
  }
  limits->size = sizeof *limits;
  limits->unit = in->unit;
  limits->call_max = or_none(in->call_max.some, in->call_max.value);
  limits->game_left = or_none(in->game_left.some, in->game_left.value);
  limits->increment = in->increment;
  limits->grace = in->grace;
  limits->moves_to_go = or_none(in->moves_to_go.some, in->moves_to_go.value);
  limits->depth = or_none(in->depth.some, in->depth.value);
  limits->nodes = or_none(in->nodes.some, in->nodes.value);
  limits->others = in->others;
  limits->n_others = in->n_others;
  limits->draw_offered = in->draw_offered;
  limits->lines = in->lines;
  limits->reserved = 0;
}

static void release_choose(wit_choose *in) {
  uint32_t i;
  for (i = 0; i < in->barred.n; i++) {
    release_text(in->barred.list[i].move);
    release_text(in->barred.list[i].reason);
  }
  release(in->barred.list, in->barred.n);
  release(in->others, in->n_others);
  free(in);
}

ENGINE("choose")
wit_choose_result *component_choose(wit_choose *in) {
  static wit_choose_result out;
  sb_choice choice = {0};
  sb_limits limits;
  int32_t result = SB_OK;
  enter();
  out.failed = !playing;
  if (playing) {
    choice.size = sizeof choice;
    choice.decision = UINT32_MAX;  /* detects an engine that writes no decision */
    read_limits(in, &limits);
    result = table->choose(self, &limits, in->barred.n ? in->barred.list : NULL, in->barred.n,
                           &choice);
  } else {
    out.u.error = answer_not_started()->text;
  }
  release_choose(in);
  if (out.failed) return &out;
  out.failed = (uint8_t)failed(result, &out.u.error);
  if (out.failed) return &out;
  if (choice.decision > SB_ACCEPT_DRAW) {
    fail_with_number("made the unknown decision ", choice.decision, "");
  }
  out.u.choice.decision.is = (uint8_t)choice.decision;
  if (choice.decision == SB_PLAY) {
    out.u.choice.decision.move = normalized(choice.move, LINE_BYTES);
  }
  out.u.choice.offers_draw = choice.offers_draw != 0;
  out.u.choice.line.some = choice.line != NULL;
  if (choice.line) out.u.choice.line.value = converted_line(choice.line);
  return &out;
}

/* Called after the host has read an answer. Texts of the engine are not freed. */
static void after_answer(void) {
  free_answer_blocks(NULL);
}

POST("describe") void after_describe(wit_description *out) { (void)out; after_answer(); }
POST("start") void after_start(wit_result *out) { (void)out; after_answer(); }
POST("played") void after_played(wit_result *out) { (void)out; after_answer(); }
POST("taken-back") void after_taken_back(wit_result *out) { (void)out; after_answer(); }
POST("think") void after_think(wit_result *out) { (void)out; after_answer(); }
POST("choose") void after_choose(wit_choose_result *out) { (void)out; after_answer(); }
