/* A small game whose rules attack the host in one of twelve ways: ATTACK is defined before this
 * file. Chance shows one of two cards to the first player. Then the players say "a" or "b" in
 * turn, three times; who has said "a" last wins.
 *
 * A position text has the card (1 or 2, "-" before it is drawn, "?" for who does not see it), and
 * the moves: "1ab". */

#include <stdlib.h>
#include <string.h>

#include "sandboard_game_v1.h"

enum {
  NONE, LOOP, TRAP, LIES, NOT_CANONICAL, VIEWS_CHANGE, LARGE_TEXT, ANSWERS_CHANGE, LEAK,
  NO_WEIGHT, LARGE_SCORES, ENDLESS, FORGETS
};

enum { PLIES = 3 };

struct game {
  char card;
  char moves[PLIES];
  uint8_t n_moves;
};

const uint32_t game_size = sizeof(game);

/* Counts calls: two calls with the same arguments need not give the same answer. */
static uint32_t calls;

const char *game_sides(const game *g) {
  (void)g;
  return "first second";
}

uint32_t game_seats(const game *g) {
  (void)g;
  return 2;
}

static int refuse(sb_fault *fault, uint32_t offset, const char *reason) {
  fault->offset = offset;
  fault->reason = reason;
  return -1;
}

int game_start(game *g, sb_text variant, sb_text position, sb_fault *fault) {
  uint32_t i;
  (void)variant;
  if (ATTACK == FORGETS && calls++ > 0) return refuse(fault, 0, "there was one game");
  if (!position.len || sb_is(position, "-")) return 0;
  if (position.ptr[0] != '1' && position.ptr[0] != '2') return refuse(fault, 0, "expected 1 or 2");
  if (position.len > 1 + PLIES) return refuse(fault, 1 + PLIES, "there are three moves");
  g->card = position.ptr[0];
  for (i = 1; i < position.len; i++) {
    if (position.ptr[i] != 'a' && position.ptr[i] != 'b') return refuse(fault, i, "expected a or b");
    g->moves[g->n_moves++] = position.ptr[i];
  }
  return 0;
}

uint32_t game_next(const game *g) {
  if (!g->card) return SB_BIT(SB_CHANCE);
  return g->n_moves == PLIES ? SB_OVER : SB_BIT(g->n_moves % 2);
}

void game_legal(const game *g, int actor, sb_moves *out) {
  if (actor == SB_CHANCE) {
    sb_add_outcome(out, '1', ATTACK == NO_WEIGHT ? 0 : 1);
    sb_add_outcome(out, '2', 1);
    return;
  }
  sb_add_move(out, 'a');
  if (ATTACK == ANSWERS_CHANGE && calls++ % 7 == 6) return;
  if (ATTACK == LEAK && actor == 1 && g->card == '1') return;
  sb_add_move(out, 'b');
}

const char *game_read_move(const game *g, int actor, sb_text text, sb_move *move) {
  if (text.len != 1) return "a move has one character";
  *move = text.ptr[0];
  if (actor == SB_CHANCE) return *move == '1' || *move == '2' ? NULL : "a card is 1 or 2";
  if (ATTACK == LEAK && *move == 'b' && actor == 1 && g->card == '1') return "b is not for you";
  if (ATTACK == LIES && *move == 'b') return "b is not for you";
  if (ATTACK == NOT_CANONICAL && (*move == 'A' || *move == 'B')) return NULL;
  return *move == 'a' || *move == 'b' ? NULL : "a move is a or b";
}

void game_play(game *g, int actor, sb_move move) {
  if (actor == SB_CHANCE) {
    g->card = (char)move;
    return;
  }
  if (ATTACK == LOOP) for (;;) calls++;
  if (ATTACK == TRAP) abort();
  g->moves[g->n_moves++] = (char)move;
  if (ATTACK == ENDLESS && g->n_moves == PLIES) g->n_moves = 1;
}

const char *game_ending(const game *g, int32_t scores[SB_SEATS]) {
  int i, winner = 0;
  if (game_next(g) != SB_OVER) return NULL;
  for (i = 0; i < PLIES; i++) {
    if (g->moves[i] == 'a') winner = i % 2;
  }
  scores[winner] = ATTACK == LARGE_SCORES ? 1000000001 : 1;
  scores[!winner] = -scores[winner];
  return "three moves";
}

void game_write_position(const game *g, int observer, sb_writer *out) {
  uint32_t i;
  int sees = observer == 0 || observer == SB_EVERYTHING || game_next(g) == SB_OVER;
  if (ATTACK == LARGE_TEXT) {
    for (i = 0; i < 100u << 20; i++) sb_write_char(out, 'x');
    return;
  }
  sb_write_char(out, !g->card ? '-' : sees ? g->card : '?');
  for (i = 0; i < g->n_moves; i++) sb_write_char(out, g->moves[i]);
  if (ATTACK == VIEWS_CHANGE && observer != SB_EVERYTHING) sb_write_number(out, calls++);
}

void game_write_move(const game *g, int observer, int actor, sb_move move, sb_writer *out) {
  int hidden = actor == SB_CHANCE && observer != 0 && observer != SB_EVERYTHING;
  (void)g;
  sb_write_char(out, hidden ? '?' : (char)move);
}
