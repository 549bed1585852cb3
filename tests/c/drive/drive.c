/* A minimal host to test an engine's memory handling: linked with the engine and built
 * with sanitizers. Every input is in a block of its own, of exact length, and is freed
 * when the call returns; every output is read before the next call. Plays whole lives of
 * two instances at once. Arguments are options of the engine, `name=value`; an instance
 * whose call fails is asked for its error and dropped. Exits with 0 or by a sanitizer's
 * report. */

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandboard_engine_v1.h"

enum { PLIES = 60 };

typedef struct game {
  uint64_t seed;
  uint32_t read;      /* a sum over all output bytes */
  unsigned left;      /* the next result of left() */
} game;

static char **arguments;
static int n_arguments;

static void check(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "the engine broke a rule: %s\n", what);
  exit(2);
}

/* ---- Input ---- */

static void *block(const void *bytes, size_t size) {
  void *out = malloc(size ? size : 1);
  check(out != NULL, "memory");
  if (size) memcpy(out, bytes, size);
  return out;
}

static sb_text lend(const char *chars, size_t len) {
  sb_text text;
  text.ptr = len ? (const char *)block(chars, len) : NULL;
  text.len = (uint32_t)len;
  return text;
}

static void take(sb_text text) { free((void *)text.ptr); }

/* ---- Output ---- */

static void read_bytes(game *g, const void *bytes, size_t n) {
  const unsigned char *p = (const unsigned char *)bytes;
  while (n--) g->read = g->read * 31 + *p++;
}

static void read_text(game *g, sb_text text) {
  if (text.len) read_bytes(g, text.ptr, text.len);
}

static void read_line(game *g, const sb_line *line) {
  check(line->size >= sizeof *line, "a line says its size");
  check(line->bound <= SB_UNSCORED, "a line's score has a known bound");
  read_bytes(g, line, offsetof(sb_line, moves));
  read_text(g, line->moves);
}

/* ---- The host's table: there are ten moves, and c3 wins ---- */

static const char MOVES[] = "a1 b2 c3 d4 e5 f6 g7 h8 i9 j10";

static int64_t give(const char *answer, char *out, uint32_t cap) {
  size_t n = strlen(answer);
  if (out) memcpy(out, answer, n < cap ? n : cap);
  return (int64_t)n;
}

static void on_report(void *ctx, const sb_line *line) {
  if (line) read_line((game *)ctx, line);
}

static void on_log(void *ctx, uint32_t level, sb_text text) {
  (void)level; /* hosts treat an unknown level as the lowest */
  read_text((game *)ctx, text);
}

static uint64_t on_left(void *ctx) {
  game *g = (game *)ctx;
  return g->left ? --g->left : 0;
}

static int64_t on_legal(void *ctx, sb_text moves, char *out, uint32_t cap) {
  read_text((game *)ctx, moves);
  if (moves.len > 4) return -1 - give("no such line", out, cap);
  return give(MOVES, out, cap);
}

static int64_t on_look(void *ctx, sb_text moves, sb_view *view, char *out, uint32_t cap) {
  int won = moves.len == 2 && memcmp(moves.ptr, "c3", 2) == 0;
  read_text((game *)ctx, moves);
  if (view && view->size >= sizeof *view) {
    view->to_move = 0;
    view->over = (uint32_t)won;
    view->n_scores = won ? 2 : 0;
    view->scores[0] = 1;
    view->scores[1] = -1;
  }
  return give(won ? "position\nwon" : "position", out, cap);
}

static int64_t on_asset(void *ctx, sb_text name, uint64_t offset, uint8_t *out, uint32_t cap) {
  read_text((game *)ctx, name);
  if (offset || !cap) return -1;
  *out = 'x';
  return 1;
}

static uint64_t on_probe(void *ctx, uint64_t key) { (void)ctx; return key; }
static void on_store(void *ctx, uint64_t key, uint64_t value) { (void)ctx; (void)key; (void)value; }
static int64_t on_cell(void *ctx, uint32_t index, uint32_t op, int64_t value) {
  (void)ctx; (void)op;
  return index < 64 ? value : 0;
}

/* ---- Calls ---- */

static int32_t start(game *g, const char *game_id, const sb_host_v1 *host, void **self) {
  sb_setup in;
  sb_setup *setup;
  sb_setting *options = (sb_setting *)malloc((size_t)n_arguments * sizeof *options + 1);
  static const uint8_t seats[] = { 0 };
  int32_t result;
  int i;
  check(options != NULL, "memory");
  memset(&in, 0, sizeof in);
  in.size = sizeof in;
  in.seats = (const uint8_t *)block(seats, 1);
  in.n_seats = 1;
  in.game = lend(game_id, strlen(game_id));
  in.variant = lend("freestyle", 9);
  in.moves = lend("b2 d4", 5);
  in.seed = g->seed;
  in.threads = 1;
  for (i = 0; i < n_arguments; i++) {
    const char *value = strchr(arguments[i], '=');
    check(value != NULL, "arguments are name=value");
    options[i].name = lend(arguments[i], (size_t)(value - arguments[i]));
    options[i].value = lend(value + 1, strlen(value + 1));
  }
  in.options = n_arguments ? options : NULL;
  in.n_options = (uint32_t)n_arguments;
  setup = (sb_setup *)block(&in, sizeof in);
  result = sandboard_engine_v1()->start(setup, host, self);
  for (i = 0; i < n_arguments; i++) {
    take(options[i].name);
    take(options[i].value);
  }
  free(options);
  free((void *)in.seats);
  take(in.game);
  take(in.variant);
  take(in.moves);
  free(setup);
  return result;
}

/* After a failure: reads the error and drops the instance. */
static void give_up(game *g, void *self, int32_t result) {
  const sb_engine_v1 *engine = sandboard_engine_v1();
  sb_text why = engine->error(self);
  check(result == SB_ERROR || result == SB_CRASHED, "a known result");
  check(why.len > 0, "a failure has a reason");
  read_text(g, why);
  engine->drop(self);
}

static int32_t choose(game *g, void *self, uint32_t n_barred, int ends_game) {
  sb_limits limits_in, *limits;
  sb_barred barred_in[2], *barred = NULL;
  sb_seat_left other, *others;
  sb_choice *out = (sb_choice *)calloc(1, sizeof *out);
  int32_t result;
  uint32_t i;
  check(out != NULL, "memory");
  memset(&limits_in, 0, sizeof limits_in);
  memset(&other, 0, sizeof other);
  other.seat = 1;
  other.left = 500;
  others = (sb_seat_left *)block(&other, sizeof other);
  limits_in.size = sizeof limits_in;
  limits_in.unit = SB_WALL;
  limits_in.call_max = 1000;
  limits_in.game_left = limits_in.moves_to_go = limits_in.depth = limits_in.nodes = SB_NONE;
  limits_in.others = others;
  limits_in.n_others = 1;
  limits_in.lines = 1;
  limits = (sb_limits *)block(&limits_in, sizeof limits_in);
  barred_in[0].move = lend("c3", 2);
  barred_in[0].reason = lend("not now", 7);
  barred_in[1].move = lend("j10", 3);
  barred_in[1].reason = lend("", 0);
  if (n_barred) barred = (sb_barred *)block(barred_in, n_barred * sizeof *barred);
  out->size = sizeof *out;
  out->decision = UINT32_MAX;
  g->left = ends_game ? 1000 : 3;
  result = sandboard_engine_v1()->choose(self, limits, barred, n_barred, out);
  for (i = 0; i < 2; i++) {
    take(barred_in[i].move);
    take(barred_in[i].reason);
  }
  free(barred);
  free(limits);
  free(others);
  if (result == SB_OK) {
    check(out->size == sizeof *out, "the size of a choice is the host's");
    check(out->decision <= SB_ACCEPT_DRAW, "a known decision");
    if (out->decision == SB_PLAY) read_text(g, out->move);
    if (out->line) read_line(g, out->line);
  }
  free(out);
  return result;
}

static int32_t played(void *self, const char *move) {
  sb_text text = lend(move, strlen(move));
  int32_t result = sandboard_engine_v1()->played(self, text);
  take(text);
  return result;
}

static void describe(game *g) {
  const sb_description *d = sandboard_engine_v1()->describe();
  uint32_t i, j;
  check(d && d->size >= sizeof *d, "a description says its size");
  read_text(g, d->id);
  read_text(g, d->name);
  read_text(g, d->author);
  read_text(g, d->version);
  for (i = 0; i < d->n_games; i++) {
    read_text(g, d->games[i].game);
    for (j = 0; j < d->games[i].n_variants; j++) read_text(g, d->games[i].variants[j]);
  }
  for (i = 0; i < d->n_options; i++) {
    read_text(g, d->options[i].name);
    read_text(g, d->options[i].about);
    read_text(g, d->options[i].initial);
    for (j = 0; j < d->options[i].n_picks; j++) read_text(g, d->options[i].picks[j]);
  }
}

/* ---- A life ---- */

static int32_t play(game *g, void *self) {
  int32_t result = SB_OK;
  uint32_t ply;
  for (ply = 0; ply < PLIES && result == SB_OK; ply++) {
    result = choose(g, self, ply % 3, ply % 2 == 0);
    if (result == SB_OK) result = played(self, ply % 2 ? "a1" : "j10");
    if (result == SB_OK && ply % 5 == 4) {
      result = sandboard_engine_v1()->taken_back(self, 2);
    }
    g->left = 2;
    if (result == SB_OK) result = sandboard_engine_v1()->think(self);
  }
  return result;
}

static void *life(void *given) {
  game *g = (game *)given;
  const sb_engine_v1 *engine = sandboard_engine_v1();
  sb_host_v1 *host;
  sb_host_v1 table = {
    sizeof(sb_host_v1), NULL, on_report, on_log, on_left, on_legal, on_look, on_asset, on_probe,
    on_store, on_cell
  };
  void *self = NULL;
  int32_t result;
  table.ctx = g;
  host = (sb_host_v1 *)block(&table, sizeof table);
  describe(g);
  result = start(g, "no such game", host, &self);
  if (result == SB_OK) engine->drop(self);
  else give_up(g, self, result);
  self = NULL;
  result = start(g, "gomoku", host, &self);
  if (result == SB_OK) result = play(g, self);
  if (result == SB_OK) engine->drop(self);
  else give_up(g, self, result);
  engine->drop(NULL);
  free(host);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  game games[2];
  int i;
  memset(games, 0, sizeof games);
  arguments = argv + 1;
  n_arguments = argc - 1;
  for (i = 0; i < 2; i++) {
    games[i].seed = 7;
    check(pthread_create(&threads[i], NULL, life, &games[i]) == 0, "a thread");
  }
  for (i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  check(games[0].read == games[1].read, "two instances with one seed do the same");
  return 0;
}
