/* Makes a WebAssembly component of the rules of a game in C, interface number 1.
 *
 * The rules are C files that define the functions of abi/include/sandboard_game_v1.h.
 * Compiled together with this file for wasm32, they become the core module of a
 * component of the world `game` (abi/wit/game-since-v1/game.wit). This file
 * translates between the canonical ABI of the component model and the header, and
 * keeps the games in progress by their handles. sandboard_support_v1.h, beside this
 * file, is a part of it. docs/c.md describes how it is built. C99 for clang. */

#include <stddef.h>
#include <stdint.h>

#include "sandboard_game_v1.h"

#define EXPORT(name) __attribute__((export_name(name)))
#define JUDGE(function) EXPORT("sandboard:game/judge@1.0.0#" function)
#define HOST(function) \
  __attribute__((import_module("sandboard:game/host@1.0.0"), import_name(function)))
#define OPTIONAL __attribute__((weak))

HOST("log") void host_log(const char *text, uint32_t n);

#include "sandboard_support_v1.h"

static void trap_with(const char *text, uint32_t n) {
  host_log(text, n);
  __builtin_trap();
}

/* ---- Memory layout of the canonical ABI, as C structs ---- */

typedef struct {
  struct { uint8_t is; uint8_t *seats; uint32_t n_seats; } next;
  uint8_t phase;
  struct {
    uint8_t some;
    struct { int32_t *scores; uint32_t n_scores; sb_text reason; } value;
  } ending;
} wit_turn;

typedef struct { uint32_t offset; sb_text reason; } wit_fault;
typedef struct { sb_text move; uint32_t weight; } wit_outcome;
typedef struct { wit_outcome *list; uint32_t n; } wit_outcomes;
typedef struct { sb_text *list; uint32_t n; } wit_texts;
typedef struct { uint8_t some; sb_text text; } wit_some_text;

/* result<started, list<position-fault>> */
typedef struct {
  uint8_t failed;
  union {
    struct { wit_fault *list; uint32_t n; } faults;
    struct { uint32_t game; sb_text variant; wit_turn turn; } started;
  } u;
} wit_start_result;

/* result<played, string> */
typedef struct {
  uint8_t failed;
  union { sb_text error; struct { sb_text move; wit_turn turn; } played; } u;
} wit_play_result;

/* result<string, string> */
typedef struct { uint8_t failed; sb_text text; } wit_text_result;

typedef struct {
  uint32_t *plies; uint32_t n_plies;
  int32_t *scores; uint32_t n_scores;
  uint32_t *unfinished; uint32_t n_unfinished;
  uint64_t decisions, choices;
} wit_playouts;

#define CHECK_SIZE(type, size) typedef char type##_has_size[sizeof(type) == (size) ? 1 : -1]
CHECK_SIZE(wit_turn, 36);
CHECK_SIZE(wit_fault, 12);
CHECK_SIZE(wit_outcome, 12);
CHECK_SIZE(wit_some_text, 12);
CHECK_SIZE(wit_start_result, 52);
CHECK_SIZE(wit_play_result, 48);
CHECK_SIZE(wit_text_result, 12);
CHECK_SIZE(wit_playouts, 40);

/* The limit of the host for a text (game.wit), with room for the host to notice a longer one. */
enum { TEXT_BYTES = 64 * 1024 };

/* ---- Functions of the shim, for the author ---- */

struct sb_writer { char *ptr; uint32_t len, cap; };
struct sb_moves { struct { sb_move move; uint32_t weight; } *list; uint32_t n, cap; };

/* Grows a list so that it has room for `wanted` elements. */
static void *grown(void *list, uint32_t *cap, uint32_t wanted, uint32_t element_bytes) {
  if (wanted <= *cap) return list;
  while (*cap < wanted) *cap = *cap ? *cap * 2 : 64;
  list = realloc(list, (size_t)*cap * element_bytes);
  if (!list) fail("has no memory for its answer");
  return list;
}

void sb_write_char(sb_writer *out, char c) {
  /* Text beyond the limit is dropped: the host refuses the answer. */
  if (out->len > TEXT_BYTES) return;
  out->ptr = (char *)grown(out->ptr, &out->cap, out->len + 1, 1);
  out->ptr[out->len++] = c;
}

void sb_write(sb_writer *out, const char *text) {
  for (; *text; text++) sb_write_char(out, *text);
}

void sb_write_number(sb_writer *out, int64_t number) {
  char digits[21];
  uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  uint32_t at = sizeof digits - 1;
  digits[at] = 0;
  do digits[--at] = (char)('0' + left % 10); while (left /= 10);
  if (number < 0) sb_write_char(out, '-');
  sb_write(out, digits + at);
}

void sb_add_outcome(sb_moves *out, sb_move move, uint32_t weight) {
  void *list = grown(out->list, &out->cap, out->n + 1, sizeof *out->list);
  out->list = list;
  out->list[out->n].move = move;
  out->list[out->n++].weight = weight;
}

void sb_add_move(sb_moves *out, sb_move move) {
  sb_add_outcome(out, move, 1);
}

int sb_is(sb_text text, const char *words) {
  return text.len == strlen(words) && memcmp(text.ptr, words, text.len) == 0;
}

void sb_log(const char *text) {
  host_log(text, (uint32_t)strlen(text));
}

/* ---- Games by their handles ---- */

typedef struct slot {
  int last_actor;
  sb_move last_move;
  uint64_t position[];  /* game_size bytes, aligned for every type */
} slot;

static slot **slots;
static uint32_t n_slots, slots_cap;
static uint32_t *free_handles;
static uint32_t n_free, free_cap;

/* Memory that answers and steps of answers use again. */
static sb_writer scratch;
static sb_moves moves;

void __wasm_call_ctors(void);

/* Called in every call from the host, before its answer is made. */
static void enter(void) {
  static int constructed;
  free_answer_blocks(NULL);
  if (constructed) return;
  constructed = 1;
  __wasm_call_ctors();  /* constructs the global objects of C++ */
}

static uint32_t slot_bytes(void) {
  return (uint32_t)sizeof(slot) + game_size;
}

static slot *new_slot(void) {
  slot *fresh = (slot *)calloc(1, slot_bytes());
  if (!fresh) fail("has no memory for a game");
  fresh->last_actor = SB_NO_ACTOR;
  return fresh;
}

static uint32_t insert(slot *fresh) {
  uint32_t handle;
  if (n_free) {
    handle = free_handles[--n_free];
  } else {
    slots = (slot **)grown(slots, &slots_cap, n_slots + 1, sizeof *slots);
    handle = n_slots++;
  }
  slots[handle] = fresh;
  return handle;
}

static slot *slot_at(uint32_t handle) {
  if (handle >= n_slots || !slots[handle]) fail_with_number("has no game ", handle, "");
  return slots[handle];
}

static game *position_of(slot *s) {
  return (game *)s->position;
}

static game *position_at(uint32_t handle) {
  return position_of(slot_at(handle));
}

/* ---- Answers ---- */

static sb_writer *begin_text(void) {
  scratch.len = 0;
  return &scratch;
}

/* A copy of the written text, which is valid until the next call. */
static sb_text written(void) {
  sb_text text = {scratch.ptr, scratch.len};
  char *copy;
  if (!scratch.len) return normalized(text, 0);
  copy = (char *)allocate_answer(scratch.len);
  memcpy(copy, scratch.ptr, scratch.len);
  text.ptr = copy;
  return normalized(text, TEXT_BYTES);
}

/* A text of the author. */
static sb_text text_of(const char *words) {
  sb_text text;
  text.ptr = words;
  text.len = words ? (uint32_t)strlen(words) : 0;
  return normalized(text, TEXT_BYTES);
}

static sb_text written_move(const game *g, int observer, int actor, sb_move move) {
  game_write_move(g, observer, actor, move, begin_text());
  return written();
}

/* Fills the list of moves; empty if the actor is not to move. */
static void fill_moves(const game *g, int actor) {
  moves.n = 0;
  if (actor <= SB_CHANCE && game_next(g) & SB_BIT(actor)) game_legal(g, actor, &moves);
}

static uint32_t seats_of(const game *g) {
  uint32_t seats = game_seats(g);
  if (seats < 1 || seats > SB_SEATS) fail_with_number("has ", seats, " seats; 1 to 16 are admitted");
  return seats;
}

static wit_turn turn_of(const game *g) {
  wit_turn turn = {{0, NULL, 0}, 0, {0, {NULL, 0, {NULL, 0}}}};
  uint32_t next = game_next(g), seat;
  int32_t scores[SB_SEATS] = {0};
  const char *reason;
  if (game_phase(g) > SB_PICK) fail_with_number("has the unknown phase ", game_phase(g), "");
  turn.phase = (uint8_t)game_phase(g);
  if (next >> SB_CHANCE > 1) fail_with_number("named the unknown actors ", next, " as next");
  if (next & SB_BIT(SB_CHANCE)) {
    if (next != SB_BIT(SB_CHANCE)) fail("named seats and chance as next");
    turn.next.is = 1;
  } else if (next == SB_OVER) {
    turn.next.is = 2;
  } else {
    turn.next.seats = (uint8_t *)allocate_answer(SB_SEATS);
    for (seat = 0; seat < SB_SEATS; seat++) {
      if (next & SB_BIT(seat)) turn.next.seats[turn.next.n_seats++] = (uint8_t)seat;
    }
  }
  reason = game_ending(g, scores);
  if (!reason) return turn;
  turn.ending.some = 1;
  turn.ending.value.n_scores = seats_of(g);
  turn.ending.value.scores = (int32_t *)allocate_answer(sizeof scores);
  memcpy(turn.ending.value.scores, scores, sizeof scores);
  turn.ending.value.reason = text_of(reason);
  return turn;
}

/* The actor of the next move: chance, or the lowest seat; -1 after the end. */
static int first_actor(const game *g) {
  uint32_t next = game_next(g);
  return next ? __builtin_ctz(next) : -1;
}

/* Reads a move; the reason of a refusal, or NULL. */
static const char *read_move(const game *g, int actor, sb_text text, sb_move *move) {
  if (!game_next(g)) return "the game is over";
  if (actor < 0 || actor > SB_CHANCE || !(game_next(g) & SB_BIT(actor))) {
    return "this seat is not to move";
  }
  return game_read_move(g, actor, text, move);
}

/* The observer of the WIT: its case and seat. */
static int observer_of(uint32_t is, uint32_t seat) {
  return is == 0 ? (int)seat : is == 1 ? SB_SPECTATOR : SB_EVERYTHING;
}

/* ---- Defaults of the functions that a game may define ---- */

/* The variant that the host passes to start; valid during that call. */
static sb_text variant_text;

OPTIONAL void game_write_variant(const game *g, sb_writer *out) {
  uint32_t i;
  (void)g;
  for (i = 0; i < variant_text.len; i++) sb_write_char(out, variant_text.ptr[i]);
}

OPTIONAL const char *game_read_move(const game *g, int actor, sb_text text, sb_move *move) {
  uint32_t i;
  fill_moves(g, actor);
  for (i = 0; i < moves.n; i++) {
    game_write_move(g, SB_EVERYTHING, actor, moves.list[i].move, begin_text());
    if (scratch.len != text.len || memcmp(scratch.ptr, text.ptr, text.len) != 0) continue;
    *move = moves.list[i].move;
    return NULL;
  }
  return "it is not a legal move";
}

OPTIONAL void game_write_notation(const game *g, int actor, sb_move move, sb_writer *out) {
  (void)g, (void)actor, (void)move, (void)out;
}

OPTIONAL uint32_t game_phase(const game *g) {
  (void)g;
  return SB_PLAY;
}

OPTIONAL const char *game_prompt(const game *g) {
  (void)g;
  return NULL;
}

OPTIONAL void game_write_board(const game *g, int observer, int actor, sb_move move,
                               sb_writer *out) {
  (void)g, (void)observer, (void)actor, (void)move, (void)out;
}

OPTIONAL void game_write_diagram(const game *g, int observer, int actor, sb_move move,
                                 sb_writer *out) {
  (void)g, (void)observer, (void)actor, (void)move, (void)out;
}

/* ---- The calls ----
 * Texts are passed as pointer and length, and belong to the shim: they are freed. */

JUDGE("start")
wit_start_result *judge_start(const char *variant_ptr, uint32_t n_variant,
                              const char *position_ptr, uint32_t n_position) {
  static wit_start_result out;
  sb_text variant = {variant_ptr, n_variant}, position = {position_ptr, n_position};
  sb_fault fault = {0, "the position is refused"};
  slot *fresh;
  enter();
  fresh = new_slot();
  if (game_start(position_of(fresh), variant, position, &fault) != 0) {
    out.failed = 1;
    out.u.faults.n = 1;
    out.u.faults.list = (wit_fault *)allocate_answer(sizeof(wit_fault));
    out.u.faults.list->offset = fault.offset;
    out.u.faults.list->reason = text_of(fault.reason);
    free(fresh);
  } else {
    variant_text = variant;
    out.failed = 0;
    out.u.started.game = insert(fresh);
    game_write_variant(position_of(fresh), begin_text());
    out.u.started.variant = written();
    out.u.started.turn = turn_of(position_of(fresh));
  }
  release_text(variant);
  release_text(position);
  return &out;
}

JUDGE("clone")
uint32_t judge_clone(uint32_t handle) {
  slot *from = slot_at(handle), *copy;
  enter();
  copy = new_slot();
  memcpy(copy, from, slot_bytes());
  return insert(copy);
}

JUDGE("close")
void judge_close(uint32_t handle) {
  slot *s = slot_at(handle);
  enter();
  free(s);
  slots[handle] = NULL;
  free_handles = (uint32_t *)grown(free_handles, &free_cap, n_free + 1, sizeof *free_handles);
  free_handles[n_free++] = handle;
}

JUDGE("play")
wit_play_result *judge_play(uint32_t handle, const char *ptr, uint32_t n) {
  static wit_play_result out;
  sb_text text = {ptr, n};
  slot *s = slot_at(handle);
  game *g = position_of(s);
  int actor = first_actor(g);
  sb_move move = 0;
  const char *refused;
  enter();
  refused = read_move(g, actor, text, &move);
  out.failed = refused != NULL;
  if (refused) {
    out.u.error = text_of(refused);
  } else {
    out.u.played.move = written_move(g, SB_EVERYTHING, actor, move);
    game_play(g, actor, move);
    s->last_actor = actor;
    s->last_move = move;
    out.u.played.turn = turn_of(g);
  }
  release_text(text);
  return &out;
}

JUDGE("canonical")
wit_text_result *judge_canonical(uint32_t handle, uint32_t seat, const char *ptr, uint32_t n) {
  static wit_text_result out;
  sb_text text = {ptr, n};
  game *g = position_at(handle);
  sb_move move = 0;
  const char *refused;
  enter();
  refused = read_move(g, (int)seat, text, &move);
  out.failed = refused != NULL;
  out.text = refused ? text_of(refused) : written_move(g, SB_EVERYTHING, (int)seat, move);
  release_text(text);
  return &out;
}

JUDGE("legal")
sb_text *judge_legal(uint32_t handle, uint32_t seat) {
  static sb_text out;
  game *g = position_at(handle);
  sb_writer *line;
  uint32_t i;
  enter();
  fill_moves(g, (int)seat);
  line = begin_text();
  for (i = 0; i < moves.n; i++) {
    if (i) sb_write_char(line, ' ');
    game_write_move(g, SB_EVERYTHING, (int)seat, moves.list[i].move, line);
  }
  out = written();
  return &out;
}

JUDGE("chance")
wit_outcomes *judge_chance(uint32_t handle) {
  static wit_outcomes out;
  game *g = position_at(handle);
  uint32_t i;
  enter();
  fill_moves(g, SB_CHANCE);
  out.n = moves.n;
  out.list = (wit_outcome *)allocate_answer(moves.n * (uint32_t)sizeof *out.list);
  for (i = 0; i < moves.n; i++) {
    out.list[i].move = written_move(g, SB_EVERYTHING, SB_CHANCE, moves.list[i].move);
    out.list[i].weight = moves.list[i].weight;
  }
  return &out;
}

/* The next number of splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t random_number(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* The product of two numbers, divided by 2^64 and rounded down. */
static uint64_t high_product(uint64_t a, uint64_t b) {
  uint64_t a_low = a & 0xffffffffu, a_high = a >> 32, b_low = b & 0xffffffffu, b_high = b >> 32;
  uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
  uint64_t other = a_low * b_high + (middle & 0xffffffffu);
  return a_high * b_high + (middle >> 32) + (other >> 32);
}

/* Plays the move of the next actor that belongs to a random number (game.wit: playouts). Returns 0
 * if there is none. */
static int play_at_random(game *g, uint64_t number, wit_playouts *out) {
  int actor = first_actor(g);
  uint64_t at, sum = 0;
  uint32_t i;
  if (actor < 0) return 0;
  fill_moves(g, actor);
  if (!moves.n) return 0;
  if (actor == SB_CHANCE) {
    for (i = 0; i < moves.n; i++) sum += moves.list[i].weight;
    at = high_product(number, sum);
    for (i = 0; i + 1 < moves.n && at >= moves.list[i].weight; i++) at -= moves.list[i].weight;
  } else {
    i = (uint32_t)high_product(number, moves.n);
    out->decisions++;
    out->choices += moves.n;
  }
  game_play(g, actor, moves.list[i].move);
  return 1;
}

JUDGE("playouts")
wit_playouts *judge_playouts(uint32_t handle, uint64_t seed, uint32_t games, uint32_t plies_max) {
  static wit_playouts out;
  slot *from = slot_at(handle), *copy;
  game *g;
  uint32_t index, plies, seat, seats;
  enter();
  copy = new_slot();
  g = position_of(copy);
  seats = seats_of(position_of(from));
  memset(&out, 0, sizeof out);
  if (games > 1u << 20) fail_with_number("was asked for ", games, " random games");
  out.plies = (uint32_t *)allocate_answer(games * (uint32_t)sizeof *out.plies);
  out.scores = (int32_t *)allocate_answer(games * seats * (uint32_t)sizeof *out.scores);
  out.unfinished = (uint32_t *)allocate_answer(games * (uint32_t)sizeof *out.unfinished);
  for (index = 0; index < games; index++) {
    uint64_t state = seed + index;
    int32_t scores[SB_SEATS] = {0};
    int over;
    memcpy(copy, from, slot_bytes());
    for (plies = 0; !(over = game_ending(g, scores) != NULL) && plies < plies_max; plies++) {
      if (!play_at_random(g, random_number(&state), &out)) break;
    }
    if (!over) out.unfinished[out.n_unfinished++] = index;
    for (seat = 0; seat < seats; seat++) out.scores[out.n_scores++] = over ? scores[seat] : 0;
    out.plies[out.n_plies++] = plies;
  }
  free(copy);
  return &out;
}

static wit_some_text *some_text(sb_text text) {
  static wit_some_text out;
  out.some = text.len > 0;
  out.text = text;
  return &out;
}

JUDGE("notation")
wit_some_text *judge_notation(uint32_t handle, const char *ptr, uint32_t n) {
  sb_text text = {ptr, n}, answer = {NULL, 0};
  game *g = position_at(handle);
  int actor = first_actor(g);
  sb_move move = 0;
  enter();
  if (!read_move(g, actor, text, &move)) {
    game_write_notation(g, actor, move, begin_text());
    answer = written();
  }
  release_text(text);
  return some_text(answer);
}

static sb_text *answer_position(uint32_t handle, int observer) {
  static sb_text out;
  game *g = position_at(handle);
  enter();
  game_write_position(g, observer, begin_text());
  out = written();
  return &out;
}

JUDGE("position")
sb_text *judge_position(uint32_t handle) {
  return answer_position(handle, SB_EVERYTHING);
}

JUDGE("view")
sb_text *judge_view(uint32_t handle, uint32_t is, uint32_t seat) {
  return answer_position(handle, observer_of(is, seat));
}

JUDGE("seen")
wit_some_text *judge_seen(uint32_t handle, uint32_t is, uint32_t seat, uint32_t actor_is,
                          uint32_t actor_seat, const char *ptr, uint32_t n) {
  sb_text text = {ptr, n};
  game *g = position_at(handle);
  int actor = actor_is == 0 ? (int)actor_seat : SB_CHANCE;
  sb_text answer = {NULL, 0};
  sb_move move = 0;
  enter();
  if (!read_move(g, actor, text, &move)) {
    answer = written_move(g, observer_of(is, seat), actor, move);
  }
  release_text(text);
  return some_text(answer);
}

JUDGE("sides")
wit_texts *judge_sides(uint32_t handle) {
  static wit_texts out;
  const char *names = game_sides(position_at(handle)), *end;
  sb_text name;
  enter();
  out.n = 0;
  out.list = (sb_text *)allocate_answer(SB_SEATS * (uint32_t)sizeof *out.list);
  for (; *names && out.n < SB_SEATS; names = *end ? end + 1 : end) {
    for (end = names; *end && *end != ' '; end++) {}
    name.ptr = names;
    name.len = (uint32_t)(end - names);
    out.list[out.n++] = normalized(name, TEXT_BYTES);
  }
  return &out;
}

JUDGE("prompt")
wit_some_text *judge_prompt(uint32_t handle) {
  const game *g = position_at(handle);
  enter();
  return some_text(text_of(game_prompt(g)));
}

JUDGE("board")
wit_some_text *judge_board(uint32_t handle, uint32_t is, uint32_t seat) {
  slot *s = slot_at(handle);
  enter();
  game_write_board(position_of(s), observer_of(is, seat), s->last_actor, s->last_move,
                   begin_text());
  return some_text(written());
}

JUDGE("diagram")
wit_some_text *judge_diagram(uint32_t handle, uint32_t is, uint32_t seat) {
  slot *s = slot_at(handle);
  enter();
  game_write_diagram(position_of(s), observer_of(is, seat), s->last_actor, s->last_move,
                     begin_text());
  return some_text(written());
}
