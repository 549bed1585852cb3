/* Makes a WebAssembly component of the source of a native engine, ABI number 1.
 *
 * An engine in C is one file that defines sandboard_engine_v1() as declared in the
 * header abi/include/sandboard_engine_v1.h. Compiled together with this file for
 * wasm32, it becomes the core module of a component of the world `sandboard`
 * (abi/wit/since-v1/engine.wit). This file translates between the canonical ABI
 * of the component model and the C header. It makes no decisions and keeps no
 * state of a game.
 *
 *   clang --target=wasm32 -nostdlib -nostdlibinc -O2 -I abi/include -isystem abi/shim/libc \
 *         -Wl,--no-entry engine.c abi/shim/sandboard_component_v1.c -o engine.core.wasm
 *
 * docs/c.md describes how this becomes a component. The C library functions at
 * the end of this file are all that a freestanding engine can use. To use a real
 * C library instead, define SANDBOARD_HAS_LIBC.
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

void *malloc(size_t size);
void *realloc(void *old, size_t size);
void free(void *old);
void *memcpy(void *to, const void *from, size_t size);
size_t strlen(const char *text);

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

static uint32_t append(char *to, uint32_t at, uint32_t cap, const char *text) {
  for (; *text && at < cap; text++) to[at++] = *text;
  return at;
}

/* Fails with "<before><number><after>". */
__attribute__((noreturn)) static void fail_with_number(const char *before, uint32_t number,
                                                       const char *after) {
  char text[256], digits[11];
  uint32_t n = append(text, 0, sizeof text, before), at = sizeof digits - 1;
  digits[at] = 0;
  do digits[--at] = (char)('0' + number % 10); while (number /= 10);
  n = append(text, n, sizeof text, digits + at);
  trap_with(text, append(text, n, sizeof text, after));
}

__attribute__((noreturn)) static void fail(const char *sentence) {
  trap_with(sentence, (uint32_t)strlen(sentence));
}

/* ---- Memory for parameters and answers ---- */

/* Allocates memory for data that the host passes to the engine. */
EXPORT("cabi_realloc")
void *cabi_realloc(void *old, size_t old_size, size_t align, size_t new_size) {
  void *block;
  if (new_size == 0) return (void *)align;   /* not NULL, never accessed, never freed */
  block = realloc(old_size ? old : NULL, new_size);
  if (!block) __builtin_trap();              /* the host records that it refused memory */
  return block;
}

/* Frees memory that the host allocated with cabi_realloc. */
static void release(void *block, uint32_t bytes) {
  if (bytes) free(block);
}

static void release_text(sb_text text) {
  release((void *)text.ptr, text.len);
}

/* Memory blocks of an answer, newest first. They are freed after the host has read it. */
typedef struct answer_block { struct answer_block *next; uint64_t align; } answer_block;
static answer_block *answer_blocks;

static void *allocate_answer(uint32_t bytes) {
  answer_block *block = (answer_block *)malloc(sizeof(answer_block) + bytes);
  if (!block) fail("has no memory for its answer");
  block->next = answer_blocks;
  answer_blocks = block;
  return block + 1;
}

static void free_answer_blocks(answer_block *down_to) {
  while (answer_blocks != down_to) {
    answer_block *next = answer_blocks->next;
    free(answer_blocks);
    answer_blocks = next;
  }
}

/* ---- Texts of the engine ---- */

/* The length of the first character of p[0..n], valid or not. */
static uint32_t character(const uint8_t *p, uint32_t n, int *good) {
  uint8_t first = p[0], low = 0x80, high = 0xbf;
  uint32_t i, more;
  *good = 1;
  if (first < 0x80) return 1;
  more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  *good = first >= 0xc2 && first <= 0xf4;
  if (!*good) return 1;
  if (first == 0xe0) low = 0xa0;   /* overlong */
  if (first == 0xed) high = 0x9f;  /* surrogates */
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;  /* beyond U+10FFFF */
  for (i = 1; i <= more; i++) {
    *good = i < n && p[i] >= low && p[i] <= high;
    if (!*good) return i;
    low = 0x80;
    high = 0xbf;
  }
  return more + 1;
}

/* Normalizes a text: NULL becomes empty; a text that is too long is cut just after `most`
 * bytes, so that the host notices; bytes that are not UTF-8 are replaced, as the host does
 * for native engines. */
static sb_text normalized(sb_text text, uint32_t most) {
  const uint8_t *from = (const uint8_t *)text.ptr;
  uint32_t i, n, bad = 0;
  int good;
  uint8_t *to;
  if (!from || !text.len) {
    text.ptr = "";
    text.len = 0;
    return text;
  }
  if (text.len > most + 4) text.len = most + 4;
  for (i = 0; i < text.len; i += n) {
    n = character(from + i, text.len - i, &good);
    bad += !good;
  }
  if (!bad) return text;
  to = (uint8_t *)allocate_answer(text.len + 2 * bad);  /* three bytes replace at least one */
  text.ptr = (const char *)to;
  for (i = 0; i < text.len; i += n) {
    n = character(from + i, text.len - i, &good);
    memcpy(to, good ? from + i : (const uint8_t *)"\xef\xbf\xbd", good ? n : 3);
    to += good ? n : 3;
  }
  text.len = (uint32_t)(to - (const uint8_t *)text.ptr);
  return text;
}

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

#ifndef SANDBOARD_HAS_LIBC
/* ---- The C library functions that engines need, all weak ----
 *
 * malloc uses about 200 block sizes, eight per power of two. It reuses a freed block of the
 * same size, and allocates new memory at the end only if there is none. Blocks are never
 * split or joined, so each call is short. */

#define WEAK __attribute__((weak))
/* Keeps the compiler from turning memcpy's loop into a call of memcpy. */
#define PLAIN(name) __attribute__((weak, no_builtin(name)))

PLAIN("memcpy") void *memcpy(void *to, const void *from, size_t size) {
  char *t = (char *)to;
  const char *f = (const char *)from;
  for (; size && ((uintptr_t)t & 7); size--) *t++ = *f++;
  for (; size >= 8; size -= 8, t += 8, f += 8) {
    uint64_t word;
    __builtin_memcpy(&word, f, 8);
    __builtin_memcpy(t, &word, 8);
  }
  while (size--) *t++ = *f++;
  return to;
}

PLAIN("memmove") void *memmove(void *to, const void *from, size_t size) {
  char *t = (char *)to;
  const char *f = (const char *)from;
  if (t <= f || t >= f + size) return memcpy(to, from, size);
  while (size--) t[size] = f[size];
  return to;
}

PLAIN("memset") void *memset(void *to, int byte, size_t size) {
  char *t = (char *)to;
  uint64_t word = (uint8_t)byte * UINT64_C(0x0101010101010101);
  for (; size && ((uintptr_t)t & 7); size--) *t++ = (char)byte;
  for (; size >= 8; size -= 8, t += 8) __builtin_memcpy(t, &word, 8);
  while (size--) *t++ = (char)byte;
  return to;
}

PLAIN("memcmp") int memcmp(const void *a, const void *b, size_t size) {
  const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
  for (; size; size--, x++, y++) {
    if (*x != *y) return *x - *y;
  }
  return 0;
}

PLAIN("strlen") size_t strlen(const char *text) {
  const char *end = text;
  while (*end) end++;
  return (size_t)(end - text);
}

PLAIN("strncmp") int strncmp(const char *a, const char *b, size_t size) {
  for (; size; size--, a++, b++) {
    if (*a != *b) return (uint8_t)*a - (uint8_t)*b;
    if (!*a) return 0;
  }
  return 0;
}

PLAIN("strcmp") int strcmp(const char *a, const char *b) {
  return strncmp(a, b, SIZE_MAX);
}

/* The header of each block; 16 bytes, so that blocks are aligned for every type. */
typedef struct block {
  uint32_t size_class, capacity;
  struct block *next;              /* only in a free block */
  uint32_t unused;
} block;
typedef char block_is_16_bytes[sizeof(block) == 16 ? 1 : -1];

enum { PAGE_BYTES = 65536, SMALL_BYTES = 128, SIZE_CLASSES = 8 + (31 - 7) * 8 };
static const size_t SIZE_LIMIT = (size_t)1 << 31;

extern char __heap_base;           /* from the linker: the end of data and stack */
static block *freed[SIZE_CLASSES];

/* The class of a size from 1 to SIZE_LIMIT, and the capacity of blocks of this class. */
static uint32_t size_class(uint32_t size, uint32_t *capacity) {
  uint32_t power, step;
  if (size <= SMALL_BYTES) {
    *capacity = (size + 15) & ~15u;
    return *capacity / 16 - 1;
  }
  power = 31u - (uint32_t)__builtin_clz(size - 1);     /* 2^power < size <= 2^(power + 1) */
  step = (size - 1 - (1u << power)) >> (power - 3);    /* index of the eighth */
  *capacity = (1u << power) + ((step + 1) << (power - 3));
  return 8 + (power - 7) * 8 + step;
}

/* Allocates new memory after all that was ever allocated; NULL if there is no more. */
static void *allocate_new(uint32_t bytes) {
  static uintptr_t top;
  uint64_t end = (uint64_t)__builtin_wasm_memory_size(0) * PAGE_BYTES, wanted;
  if (!top) top = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
  wanted = (uint64_t)top + bytes;
  if (wanted > UINT32_MAX) return NULL;
  if (wanted > end) {
    size_t pages = (size_t)((wanted - end + PAGE_BYTES - 1) / PAGE_BYTES);
    if (__builtin_wasm_memory_grow(0, pages) == SIZE_MAX) return NULL;
  }
  top = (uintptr_t)wanted;
  return (void *)(uintptr_t)(wanted - bytes);
}

PLAIN("malloc") void *malloc(size_t size) {
  uint32_t capacity, c;
  block *b;
  if (size > SIZE_LIMIT) return NULL;
  c = size_class(size ? size : 1, &capacity);
  b = freed[c];
  if (b) {
    freed[c] = b->next;
    return b + 1;
  }
  b = (block *)allocate_new(capacity + (uint32_t)sizeof *b);
  if (!b) return NULL;
  b->size_class = c;
  b->capacity = capacity;
  return b + 1;
}

PLAIN("free") void free(void *old) {
  block *b = (block *)old - 1;
  if (!old) return;
  b->next = freed[b->size_class];
  freed[b->size_class] = b;
}

PLAIN("calloc") void *calloc(size_t count, size_t size) {
  void *out;
  if (size && count > SIZE_LIMIT / size) return NULL;
  out = malloc(count * size);
  if (out) memset(out, 0, count * size);
  return out;
}

PLAIN("realloc") void *realloc(void *old, size_t size) {
  uint32_t capacity = old ? ((block *)old - 1)->capacity : 0;
  void *out;
  if (old && size <= capacity) return old;
  out = malloc(size);
  if (out && old) memcpy(out, old, capacity);
  if (out) free(old);
  return out;
}

WEAK __attribute__((noreturn)) void abort(void) {
  fail("aborted");
}

/* Called by assert.h. */
WEAK __attribute__((noreturn)) void sandboard_assert_failed(const char *what, const char *file,
                                                            uint32_t line) {
  char text[256];
  uint32_t n = append(text, 0, sizeof text - 1, "assertion failed: ");
  n = append(text, n, sizeof text - 1, what);
  n = append(text, n, sizeof text - 1, ", ");
  n = append(text, n, sizeof text - 1, file);
  n = append(text, n, sizeof text - 1, ":");
  text[n] = 0;
  fail_with_number(text, line, "");
}
#endif
