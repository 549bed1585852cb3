/* An engine for tests: its option `fault` selects what it does in choose, start or
 * played. `echo` logs all its input and fills every field of its output; `query-host`
 * makes the same host calls as the Rust sample engine `faulty` and logs the same texts.
 * Values are logged in the format of Rust's Debug. */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sandboard_engine_v1.h"

#define TEXT(literal) { literal, sizeof(literal) - 1 }

typedef struct words { char text[16384]; uint32_t len; } words;

typedef struct engine {
  const sb_host_v1 *host;
  char fault[32];
  char *board;          /* the last answer of the host */
  uint32_t cap;
  words words;          /* what is being written */
  sb_line line;
  sb_text error;
} engine;

static sb_text text_of(const char *chars) {
  sb_text text;
  text.ptr = chars;
  text.len = (uint32_t)strlen(chars);
  return text;
}

static int is(const engine *e, const char *fault) { return strcmp(e->fault, fault) == 0; }

static void put_text(words *w, sb_text text) {
  uint32_t room = (uint32_t)sizeof w->text - w->len;
  if (text.len > room) text.len = room;
  if (text.len) memcpy(w->text + w->len, text.ptr, text.len);
  w->len += text.len;
}

static void put(words *w, const char *chars) { put_text(w, text_of(chars)); }

static void put_number(words *w, uint64_t number) {
  char digits[21];
  int at = 20;
  digits[at] = 0;
  do digits[--at] = (char)('0' + number % 10); while (number /= 10);
  put(w, digits + at);
}

static void put_quoted(words *w, sb_text text) {
  uint32_t i;
  put(w, "\"");
  for (i = 0; i < text.len; i++) {
    sb_text c;
    c.ptr = text.ptr + i;
    c.len = 1;
    if (*c.ptr == '"' || *c.ptr == '\\') put(w, "\\");
    put_text(w, c);
  }
  put(w, "\"");
}

static void put_some(words *w, uint64_t number) {
  if (number == SB_NONE) {
    put(w, "None");
    return;
  }
  put(w, "Some(");
  put_number(w, number);
  put(w, ")");
}

static void say(engine *e) {
  sb_text text;
  text.ptr = e->words.text;
  text.len = e->words.len;
  e->host->log(e->host->ctx, SB_INFO, text);
  e->words.len = 0;
}

/* ---- echo ---- */

static void field(words *w, const char *name, sb_text text) {
  put(w, name);
  put_quoted(w, text);
}

static void echo_setup(engine *e, const sb_setup *setup) {
  words *w = &e->words;
  uint32_t i;
  field(w, "Setup { game: ", setup->game);
  field(w, ", variant: ", setup->variant);
  field(w, ", start: ", setup->start);
  field(w, ", moves: ", setup->moves);
  put(w, ", seats: [");
  for (i = 0; i < setup->n_seats; i++) {
    if (i) put(w, ", ");
    put_number(w, setup->seats[i]);
  }
  put(w, "], seed: ");
  put_number(w, setup->seed);
  put(w, ", options: [");
  for (i = 0; i < setup->n_options; i++) {
    field(w, i ? ", (" : "(", setup->options[i].name);
    field(w, ", ", setup->options[i].value);
    put(w, ")");
  }
  put(w, "], memory_bytes: ");
  put_number(w, setup->memory_bytes);
  put(w, ", threads: ");
  put_number(w, setup->threads);
  put(w, ", helper: ");
  put_number(w, setup->helper);
  put(w, ", helpers: ");
  put_number(w, setup->helpers);
  put(w, ", table_slots: ");
  put_number(w, setup->table_slots);
  put(w, " }");
  say(e);
}

static void echo_limits(engine *e, const sb_limits *limits) {
  static const char *units[] = { "Unlimited", "Wall", "Cpu", "Fuel" };
  words *w = &e->words;
  uint32_t i;
  put(w, "Limits { unit: ");
  put(w, units[limits->unit]);
  put(w, ", call_max: ");
  put_some(w, limits->call_max);
  put(w, ", game_left: ");
  put_some(w, limits->game_left);
  put(w, ", increment: ");
  put_number(w, limits->increment);
  put(w, ", moves_to_go: ");
  put_some(w, limits->moves_to_go);
  put(w, ", grace: ");
  put_number(w, limits->grace);
  put(w, ", depth: ");
  put_some(w, limits->depth);
  put(w, ", nodes: ");
  put_some(w, limits->nodes);
  put(w, ", lines: ");
  put_number(w, limits->lines);
  put(w, ", others_left: [");
  for (i = 0; i < limits->n_others; i++) {
    put(w, i ? ", (" : "(");
    put_number(w, limits->others[i].seat);
    put(w, ", ");
    put_number(w, limits->others[i].left);
    put(w, ")");
  }
  put(w, "], draw_offered: ");
  put(w, limits->draw_offered ? "true }" : "false }");
  say(e);
}

static void echo_barred(engine *e, const sb_barred *barred, uint32_t n) {
  words *w = &e->words;
  uint32_t i;
  put(w, "[");
  for (i = 0; i < n; i++) {
    field(w, i ? ", Barred { move: " : "Barred { move: ", barred[i].move);
    field(w, ", reason: ", barred[i].reason);
    put(w, " }");
  }
  put(w, n || !barred ? "]" : "] but not NULL");
  say(e);
}

static void fill_line(sb_line *line, int32_t score, uint32_t bound) {
  line->rank = 2;
  line->score = score;
  line->bound = bound;
  line->depth = 4000000000u;
  line->nodes = UINT64_C(0x123456789abcdef0);
  line->spent = UINT64_C(0xfedcba9876543210);
  line->moves = text_of("h8 h9");
}

static void echo_out(engine *e, sb_choice *out) {
  uint32_t bound;
  sb_line longer[2]; /* of a later version: a size beyond what the host knows */
  for (bound = SB_ESTIMATE; bound <= SB_UNSCORED; bound++) {
    memset(longer, 0, sizeof longer);
    longer[0].size = sizeof longer;
    fill_line(longer, -300 + (int32_t)bound, bound);
    e->host->report(e->host->ctx, longer);
  }
  e->host->report(e->host->ctx, NULL);
  fill_line(&e->line, -77, SB_AT_MOST);
  out->offers_draw = 1;
  out->line = &e->line;
}

/* ---- query-host ---- */

/* The host's text; requested again with a larger buffer if it does not fit. */
static sb_text ask_text(engine *e, int look, const char *moves, sb_view *view, int *failed) {
  for (;;) {
    int64_t bytes = look ? e->host->look(e->host->ctx, text_of(moves), view, e->board, e->cap)
                         : e->host->legal(e->host->ctx, text_of(moves), e->board, e->cap);
    sb_text text;
    *failed = bytes < 0;
    text.len = (uint32_t)(bytes < 0 ? -1 - bytes : bytes);
    if (text.len <= e->cap) {
      text.ptr = e->board;
      return text;
    }
    free(e->board);
    e->cap = text.len;
    e->board = (char *)malloc(e->cap);
    if (!e->board) e->cap = 0;
  }
}

static void put_result(words *w, int failed, sb_text text) {
  field(w, failed ? "Err(" : "Ok(", text);
  put(w, ")");
}

static void ask_legal(engine *e, const char *before, const char *moves, int count) {
  int failed;
  sb_text text = ask_text(e, 0, moves, NULL, &failed);
  put(&e->words, before);
  if (count && !failed) {
    uint32_t i, n = 1;
    for (i = 0; i < text.len; i++) n += text.ptr[i] == ' ';
    put(&e->words, "Ok(");
    put_number(&e->words, n);
    put(&e->words, ")");
  } else {
    put_result(&e->words, failed, text);
  }
  say(e);
}

static void ask_look(engine *e, const char *before, const char *moves) {
  words *w = &e->words;
  sb_view view;
  sb_text text, position;
  int failed;
  view.size = sizeof view;
  text = ask_text(e, 1, moves, &view, &failed);
  put(w, before);
  if (failed) {
    put_result(w, 1, text);
    say(e);
    return;
  }
  position = text;
  position.len = 0;
  while (position.len < text.len && text.ptr[position.len] != '\n') position.len++;
  field(w, "Ok(View { position: ", position);
  put(w, ", to_move: ");
  put_number(w, view.to_move);
  if (view.over) {
    sb_text reason;
    uint32_t i;
    reason.ptr = text.ptr + position.len + 1;
    reason.len = text.len - position.len - 1;
    put(w, ", ending: Some(Ending { scores: [");
    for (i = 0; i < view.n_scores; i++) {
      if (i) put(w, ", ");
      if (view.scores[i] < 0) put(w, "-");
      put_number(w, (uint64_t)(view.scores[i] < 0 ? -(int64_t)view.scores[i] : view.scores[i]));
    }
    field(w, "], reason: ", reason);
    put(w, " }) })");
  } else {
    put(w, view.n_scores == 0 ? ", ending: None })" : "scores, and not over");
  }
  say(e);
}

static void ask_asset(engine *e, const char *before, const char *name, uint64_t offset,
                      uint32_t cap) {
  uint8_t bytes[128];
  int64_t got = e->host->asset(e->host->ctx, text_of(name), offset, bytes, cap), i;
  words *w = &e->words;
  put(w, before);
  if (got < 0) {
    put(w, "Err(\"the pack has no asset `");
    put(w, name);
    put(w, "`\")");
  } else {
    put(w, "Ok([");
    for (i = 0; i < got; i++) {
      if (i) put(w, ", ");
      put_number(w, bytes[i]);
    }
    put(w, "])");
  }
  say(e);
}

static void say_number(engine *e, const char *before, int64_t number) {
  put(&e->words, before);
  put_number(&e->words, (uint64_t)number);
  say(e);
}

static void query_host(engine *e) {
  const sb_host_v1 *host = e->host;
  void *ctx = host->ctx;
  put(&e->words, host->left(ctx) > 0 ? "left true" : "left false");
  say(e);
  ask_legal(e, "legal ", "", 1);
  ask_legal(e, "legal a1 ", "a1", 1);
  ask_legal(e, "legal a1 a1 ", "a1 a1", 0);
  ask_look(e, "look ", "a1");
  ask_look(e, "look won ", "a1 a2 b1 b2 c1 c2 d1 d2 e1");
  ask_look(e, "look nonsense ", "\a");
  ask_asset(e, "asset ", "book", 2, 3);
  ask_asset(e, "asset end ", "book", 4, 100);
  ask_asset(e, "asset past ", "book", 100, 1);
  ask_asset(e, "asset none ", "no", 0, 1);
  host->cell(ctx, 63, SB_PUT, 5);
  host->cell(ctx, 63, SB_MAX, 3);
  say_number(e, "cell ", host->cell(ctx, 63, SB_ADD, 1));
  say_number(e, "cell ", host->cell(ctx, 63, SB_GET, 0));
  host->store(ctx, 1, 2);
  say_number(e, "probe ", (int64_t)host->probe(ctx, 1));
}

/* Requests with too small a buffer, without a buffer, and for a part of a large asset. */
static void ask_in_pieces(engine *e) {
  const sb_host_v1 *host = e->host;
  char few[4] = { '.', '.', '.', '.' };
  uint32_t cap = 1000000, i, sum = 0;
  uint8_t *large = (uint8_t *)malloc(cap);
  sb_view small;
  sb_text cut;
  small.size = sizeof small - 1;
  small.n_scores = 123;
  say_number(e, "legal ", host->legal(host->ctx, text_of(""), few, 3));
  cut.ptr = few;
  cut.len = sizeof few;
  put_quoted(&e->words, cut);
  say(e);
  say_number(e, "look ", host->look(host->ctx, text_of(""), NULL, NULL, 0));
  host->look(host->ctx, text_of(""), &small, NULL, 0);
  say_number(e, "untouched ", small.n_scores);
  if (large) {
    int64_t got = host->asset(host->ctx, text_of("large"), 5, large, cap);
    for (i = 0; i < got; i++) sum = sum * 31 + large[i];
    say_number(e, "asset ", got);
    say_number(e, "sum ", sum);
  }
  free(large);
}

/* ---- The C library: the system's, or the shim's ---- */

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* Whether all bytes of a block have this value. */
static int holds(const uint8_t *block, uint32_t size, uint8_t byte) {
  uint32_t i;
  for (i = 0; i < size; i++) {
    if (block[i] != byte) return 0;
  }
  return 1;
}

/* Allocates, resizes and frees blocks of all sizes; counts the changed blocks. */
static void use_the_heap(engine *e) {
  enum { SLOTS = 48, ROUNDS = 4000 };
  uint8_t *blocks[SLOTS] = { NULL };
  uint32_t sizes[SLOTS] = { 0 }, state = 1, round, spoilt = 0, aligned = 1;
  for (round = 0; round < ROUNDS; round++) {
    uint32_t i = next_random(&state) % SLOTS, what = next_random(&state) % 4;
    uint32_t size = 1 + next_random(&state) % (1u << (next_random(&state) % 17));
    uint8_t byte = (uint8_t)(i + 1), *block = blocks[i];
    spoilt += !holds(block, sizes[i], byte);
    if (what == 0) {
      free(block);
      block = NULL;
      size = 0;
    } else if (what == 1) {
      block = (uint8_t *)realloc(block, size);
      spoilt += !block || !holds(block, size < sizes[i] ? size : sizes[i], byte);
    } else {
      free(block);
      block = (uint8_t *)(what == 2 ? malloc(size) : calloc(size, 1));
      spoilt += !block || (what == 3 && !holds(block, size, 0));
    }
    if (block) memset(block, byte, size);
    aligned &= ((uintptr_t)block & 15) == 0;
    blocks[i] = block;
    sizes[i] = size;
  }
  for (round = 0; round < SLOTS; round++) free(blocks[round]);
  say_number(e, "spoilt ", spoilt);
  say_number(e, "aligned ", aligned);
}

static int sign(int number) { return (number > 0) - (number < 0); }

static void use_strings(engine *e) {
  static const char alike[] = "abcdefghijklmnopqrstuvwxyz";
  char text[sizeof alike], other[sizeof alike];
  sb_text shown;
  int i;
  shown.ptr = text;
  shown.len = (uint32_t)strlen(alike);
  for (i = 0; i < 3; i++) {
    memcpy(text, alike, sizeof alike);
    memmove(text + 3 * i, text + 3, 15); /* down, in place, up */
    put_quoted(&e->words, shown);
    say(e);
  }
  memset(text + 1, '-', 11);
  memcpy(other, text, sizeof other);
  put_quoted(&e->words, shown);
  say(e);
  other[20] = '\xff';
  say_number(e, "memcmp ", 1 + sign(memcmp(text, other, sizeof text)));
  say_number(e, "memcmp ", 1 + sign(memcmp(text, other, 20)));
  say_number(e, "strcmp ", 1 + sign(strcmp(other, text)));
  say_number(e, "strcmp ", 1 + sign(strcmp("ab", "abc")));
  say_number(e, "strncmp ", 1 + sign(strncmp("abd", "abc", 2)));
  say_number(e, "strncmp ", 1 + sign(strncmp("abd", "abc", 3)));
  say_number(e, "strncmp ", 1 + sign(strncmp("ab", "ab", 9)));
}

/* ---- The ABI ---- */

static const sb_text REFUSED = TEXT("asked not to start");

static int32_t start(const sb_setup *setup, const sb_host_v1 *host, void **self) {
  static const sb_text name = TEXT("fault");
  engine *e = (engine *)calloc(1, sizeof *e);
  uint32_t i;
  *self = e;
  if (!e) return SB_ERROR;
  e->host = host;
  e->line.size = sizeof e->line;
  for (i = 0; i < setup->n_options; i++) {
    const sb_setting *option = &setup->options[i];
    if (option->name.len != name.len || memcmp(option->name.ptr, name.ptr, name.len)) continue;
    if (option->value.len < sizeof e->fault) {
      memcpy(e->fault, option->value.ptr, option->value.len);
    }
  }
  e->error = REFUSED;
  if (is(e, "refuse-start")) return SB_ERROR;
  if (is(e, "crash-in-start")) return SB_CRASHED;
  if (is(e, "refuse-start-as-null") || is(e, "no-instance")) {
    int32_t result = is(e, "no-instance") ? SB_OK : SB_ERROR;
    free(e);
    *self = NULL;
    return result;
  }
  if (is(e, "echo")) echo_setup(e, setup);
  return SB_OK;
}

static int32_t played(void *self, sb_text move) {
  engine *e = (engine *)self;
  if (is(e, "echo")) {
    field(&e->words, "played ", move);
    say(e);
  }
  e->error = text_of("asked to crash in played");
  return is(e, "crash-in-played") ? SB_CRASHED : SB_OK;
}

static int32_t taken_back(void *self, uint32_t plies) {
  engine *e = (engine *)self;
  if (is(e, "echo")) say_number(e, "taken back ", plies);
  return SB_OK;
}

static void fault_in_a_host_function(engine *e) {
  const sb_host_v1 *host = e->host;
  static const sb_text bad = TEXT("caf\xe9 \xf0\x9f\x99\x82 \xe2\x82 \xed\xa0\x80 \xc3\xa9!");
  sb_line line = e->line;
  line.bound = is(e, "unknown-bound") ? 9 : SB_UNSCORED;
  if (is(e, "short-line")) line.size = 8;
  line.rank = 70000;
  line.moves = bad;
  if (is(e, "unknown-bound") || is(e, "short-line")) host->report(host->ctx, &line);
  if (is(e, "cell-64")) host->cell(host->ctx, 64, SB_GET, 0);
  if (is(e, "cell-256")) host->cell(host->ctx, 256, SB_GET, 0);
  if (is(e, "unknown-cell-op")) host->cell(host->ctx, 0, 4, 0);
  if (is(e, "no-utf8")) {
    sb_text empty;
    empty.ptr = NULL;
    empty.len = 5;
    host->log(host->ctx, 77, bad);
    host->log(host->ctx, SB_WARNING, empty);
    host->report(host->ctx, &line);
  }
  if (is(e, "long-log")) {
    sb_text text;
    text.len = 3000000;
    text.ptr = (char *)malloc(text.len);
    if (text.ptr) memset((char *)text.ptr, 'x', text.len);
    host->log(host->ctx, SB_INFO, text);
    free((char *)text.ptr);
  }
}

static int32_t choose(void *self, const sb_limits *limits, const sb_barred *barred, uint32_t n,
                      sb_choice *out) {
  engine *e = (engine *)self;
  e->error = text_of("asked to fail");
  if (is(e, "error")) return SB_ERROR;
  if (is(e, "crash")) return SB_CRASHED;
  if (is(e, "unknown-result")) return 7;
  if (is(e, "nothing")) return SB_OK;
  out->decision = is(e, "resign") ? SB_RESIGN : is(e, "accept-draw") ? SB_ACCEPT_DRAW : SB_PLAY;
  if (is(e, "unknown-decision")) out->decision = 3;
  out->move = text_of("h8");
  if (is(e, "abort")) abort();
  if (is(e, "assert")) assert(n == 12345);
  if (is(e, "heap")) use_the_heap(e);
  if (is(e, "strings")) use_strings(e);
  if (is(e, "query-host")) query_host(e);
  if (is(e, "pieces")) ask_in_pieces(e);
  if (is(e, "echo")) {
    echo_limits(e, limits);
    echo_barred(e, barred, n);
    echo_out(e, out);
  }
  fault_in_a_host_function(e);
  return SB_OK;
}

static int32_t think(void *self) {
  engine *e = (engine *)self;
  e->error = text_of("asked to fail in think");
  if (is(e, "echo")) {
    put(&e->words, e->host->left(e->host->ctx) == SB_NONE ? "thinks" : "is in a hurry");
    say(e);
  }
  return is(e, "error-in-think") ? SB_ERROR : SB_OK;
}

static sb_text error(void *self) {
  return self ? ((engine *)self)->error : REFUSED;
}

static void drop(void *self) {
  engine *e = (engine *)self;
  if (!e) return;
  free(e->board);
  free(e);
}

static const sb_description *describe(void) {
  static const sb_text variants[] = { TEXT("freestyle"), TEXT("standard-15") };
  static const sb_text picks[] = { TEXT("none"), TEXT("query-host"), TEXT("other") };
  static const sb_game games[] = { { TEXT("gomoku"), variants, 2 }, { TEXT("chess"), NULL, 0 } };
  static const sb_option options[] = {
    { TEXT("deep"), TEXT("about deep"), TEXT("true"), SB_TOGGLE, 1, 0, 0, 0, 0, NULL, 0, 0 },
    { TEXT("at"), TEXT("about at"), TEXT("-1"), SB_WHOLE, 0, INT64_MIN, 1000, 0, 0, NULL, 0, 0 },
    { TEXT("weight"), TEXT(""), TEXT("0.25"), SB_REAL, 1, 0, 0, -0.5, 1.5, NULL, 0, 0 },
    { TEXT("fault"), TEXT("what it does"), TEXT("none"), SB_PICK, 0, 0, 0, 0, 0, picks, 3, 0 },
    { TEXT("note"), TEXT("gr\xc3\xbc\xc3\x9f"), TEXT(""), SB_TEXT, 0, 0, 0, 0, 0, NULL, 0, 40 }
  };
  static const sb_description description = {
    sizeof(sb_description), SB_PONDERS | SB_PROVES, TEXT("c-faulty"), TEXT("C Faulty"), TEXT("Sandboard"),
    TEXT("1.2"), games, 2, options, 5
  };
  return &description;
}

/* Built with -DTABLE=n, the table is invalid, in a different way for each n. */
#ifndef TABLE
#define TABLE 0
#endif

const sb_engine_v1 *sandboard_engine_v1(void) {
  static const sb_engine_v1 table = {
    TABLE == 1 ? 8 : sizeof(sb_engine_v1), TABLE == 2 ? 3 : SB_ABI,
    describe, start, played, taken_back, choose, TABLE == 3 ? NULL : think, error, drop
  };
  return TABLE == 4 ? NULL : &table;
}
