/* Liar's dice for two players. Each player rolls dice that only he sees. The players
 * then bid in turn: "2x4" claims that all dice together show at least two fours. A six
 * counts as every face. A bid is higher than the last one: more dice, or as many dice
 * of a higher face. In place of a bid, "liar" ends the game: if the last bid was true,
 * its bidder wins, otherwise the other player wins. With one die each and best play,
 * the first player wins on average 7/258 of a game less than he loses.
 *
 * Variants: one, two or five dice for each player. A roll is a digit from 1 to 6. A
 * position text has the dice of the players, the last bid or "-", and the seat to move
 * or to be asked next: "34/16 2x4 0", at the end with the player who said liar:
 * "34/16 2x4 0 liar". A player sees "?" for the dice of the other: "34/?? 2x4 0".
 *
 * The functions without `static` are explained in sandboard_game_v1.h. */

#include <string.h>

#include "sandboard_game_v1.h"

enum { FACES = 6, DICE_MAX = 5, LIAR = 0 };

struct game {
  uint8_t dice[2][DICE_MAX];  /* faces; 0: not rolled yet */
  uint8_t n_dice;             /* of each player */
  uint8_t rolled;             /* of both players */
  uint8_t to_move;            /* a seat */
  uint8_t bid;                /* its number, from 1; 0: there is none */
  uint8_t over;               /* 1: seat to_move said liar */
};

const uint32_t game_size = sizeof(game);

/* Bid number n claims (n - 1) / 6 + 1 dice of face (n - 1) % 6 + 1. A move of a player is the
 * number of a bid, or LIAR. A move of chance is a face. */
static int quantity_of(int bid) { return (bid - 1) / FACES + 1; }
static int face_of(int bid) { return (bid - 1) % FACES + 1; }

/* Whether the dice make the last bid true. */
static int is_true(const game *g) {
  int seat, i, count = 0, face = face_of(g->bid);
  for (seat = 0; seat < 2; seat++) {
    for (i = 0; i < g->n_dice; i++) {
      count += g->dice[seat][i] == face || g->dice[seat][i] == FACES;
    }
  }
  return count >= quantity_of(g->bid);
}

const char *game_sides(const game *g) {
  (void)g;
  return "first second";
}

uint32_t game_seats(const game *g) {
  (void)g;
  return 2;
}

/* ---- Position texts ---- */

/* Sets the fault and returns -1. */
static int fault_at(sb_fault *fault, uint32_t offset, const char *reason) {
  fault->offset = offset;
  fault->reason = reason;
  return -1;
}

static int char_at(sb_text text, uint32_t at) {
  return at < text.len ? (unsigned char)text.ptr[at] : 0;
}

/* Reads the dice of one player. */
static int read_dice(game *g, int seat, sb_text text, uint32_t *at, sb_fault *fault) {
  int n = 0, letter;
  for (; (letter = char_at(text, *at)) >= '1' && letter <= '6'; ++*at) {
    if (n == g->n_dice) return fault_at(fault, *at, "the variant has fewer dice");
    g->dice[seat][n++] = (uint8_t)(letter - '0');
    g->rolled++;
  }
  return letter >= '0' && letter <= '9' ? fault_at(fault, *at, "a die is 1 to 6") : 0;
}

static int read_position(game *g, sb_text text, sb_fault *fault) {
  uint32_t at = 0;
  int quantity, face;
  if (read_dice(g, 0, text, &at, fault) != 0) return -1;
  if (char_at(text, at) != '/') return fault_at(fault, at, "expected / between the players' dice");
  if (g->rolled < g->n_dice && char_at(text, at + 1) != ' ') {
    return fault_at(fault, at + 1, "the first player's dice are rolled first");
  }
  at++;
  if (read_dice(g, 1, text, &at, fault) != 0) return -1;
  if (char_at(text, at) != ' ') return fault_at(fault, at, "expected a space and the last bid");
  at++;
  if (char_at(text, at) == '-') {
    at++;
  } else {
    quantity = char_at(text, at) - '0';
    if (quantity == 1 && char_at(text, at + 1) == '0') {
      quantity = 10;
      at++;
    }
    face = char_at(text, at + 2) - '0';
    if (quantity < 1 || quantity > 2 * g->n_dice || char_at(text, at + 1) != 'x' || face < 1 ||
        face > FACES) {
      return fault_at(fault, at, "a bid is a number of dice, x and a face, such as 2x4");
    }
    if (g->rolled < 2 * g->n_dice) return fault_at(fault, at, "not all dice are rolled");
    g->bid = (uint8_t)((quantity - 1) * FACES + face);
    at += 3;
  }
  if (char_at(text, at) != ' ' || (char_at(text, at + 1) != '0' && char_at(text, at + 1) != '1')) {
    return fault_at(fault, at, "expected a space and the seat to move, 0 or 1");
  }
  g->to_move = (uint8_t)(char_at(text, at + 1) - '0');
  if (!g->bid && g->to_move) return fault_at(fault, at + 1, "seat 0 makes the first bid");
  at += 2;
  if (at == text.len) return 0;
  if (!g->bid || text.len - at != 5 || memcmp(text.ptr + at, " liar", 5) != 0) {
    return fault_at(fault, at, "expected the end, or after a bid \" liar\"");
  }
  g->over = 1;
  return 0;
}

int game_start(game *g, sb_text variant, sb_text position, sb_fault *fault) {
  g->n_dice = sb_is(variant, "five") ? 5 : sb_is(variant, "two") ? 2 : 1;
  return position.len ? read_position(g, position, fault) : 0;
}

/* Whether an observer knows the dice of a seat. */
static int sees(const game *g, int observer, int seat) {
  return g->over || observer == seat || observer == SB_EVERYTHING;
}

static void write_bid(int bid, sb_writer *out) {
  sb_write_number(out, quantity_of(bid));
  sb_write_char(out, 'x');
  sb_write_number(out, face_of(bid));
}

void game_write_position(const game *g, int observer, sb_writer *out) {
  int seat, i;
  for (seat = 0; seat < 2; seat++) {
    if (seat) sb_write_char(out, '/');
    for (i = 0; i < g->n_dice && g->dice[seat][i]; i++) {
      sb_write_char(out, sees(g, observer, seat) ? (char)('0' + g->dice[seat][i]) : '?');
    }
  }
  sb_write_char(out, ' ');
  if (g->bid) write_bid(g->bid, out);
  else sb_write_char(out, '-');
  sb_write(out, g->to_move ? " 1" : " 0");
  if (g->over) sb_write(out, " liar");
}

/* ---- Moves ---- */

uint32_t game_next(const game *g) {
  if (g->rolled < 2 * g->n_dice) return SB_BIT(SB_CHANCE);
  return g->over ? SB_OVER : SB_BIT(g->to_move);
}

void game_legal(const game *g, int actor, sb_moves *out) {
  int i;
  if (actor == SB_CHANCE) {
    for (i = 1; i <= FACES; i++) sb_add_outcome(out, i, 1);
    return;
  }
  for (i = g->bid + 1; i <= 2 * g->n_dice * FACES; i++) sb_add_move(out, i);
  if (g->bid) sb_add_move(out, LIAR);
}

void game_play(game *g, int actor, sb_move move) {
  if (actor == SB_CHANCE) {
    g->dice[g->rolled / g->n_dice][g->rolled % g->n_dice] = (uint8_t)move;
    g->rolled++;
  } else if (move == LIAR) {
    g->over = 1;
  } else {
    g->bid = (uint8_t)move;
    g->to_move ^= 1;
  }
}

void game_write_move(const game *g, int observer, int actor, sb_move move, sb_writer *out) {
  if (actor == SB_CHANCE) {
    int hidden = !sees(g, observer, g->rolled / g->n_dice);
    sb_write_char(out, hidden ? '?' : (char)('0' + move));
  } else if (move == LIAR) {
    sb_write(out, "liar");
  } else {
    write_bid((int)move, out);
  }
}

const char *game_ending(const game *g, int32_t scores[SB_SEATS]) {
  int winner;
  if (!g->over) return NULL;
  winner = is_true(g) ? !g->to_move : g->to_move;
  scores[winner] = 1;
  scores[!winner] = -1;
  return is_true(g) ? "the bid was true" : "the bid was false";
}

/* ---- The board for people: docs/board.md ---- */

static void write_place(int seat, int i, sb_writer *out) {
  sb_write(out, seat ? "\"second" : "\"first");
  sb_write_number(out, i + 1);
  sb_write_char(out, '"');
}

/* A row of dice places. */
static void write_row(const game *g, int seat, sb_writer *out) {
  int i;
  sb_write(out, "[{\"kind\":\"cards\",\"name\":\"");
  sb_write(out, seat ? "Second" : "First");
  sb_write(out, "\",\"owner\":");
  sb_write_number(out, seat);
  sb_write(out, ",\"places\":[");
  for (i = 0; i < g->n_dice; i++) {
    if (i) sb_write_char(out, ',');
    write_place(seat, i, out);
  }
  sb_write(out, "]}]");
}

/* A button for each legal move. */
static void write_buttons(const game *g, sb_writer *out) {
  int bid;
  for (bid = g->bid + 1; bid <= 2 * g->n_dice * FACES; bid++) {
    sb_write(out, bid > g->bid + 1 ? ",{\"move\":\"" : "{\"move\":\"");
    write_bid(bid, out);
    sb_write(out, "\"}");
  }
  if (!g->bid) return;
  sb_write(out, g->bid < 2 * g->n_dice * FACES ? "," : "");
  sb_write(out, "{\"move\":\"liar\",\"label\":\"Liar!\"}");
}

void game_write_board(const game *g, int observer, int actor, sb_move move, sb_writer *out) {
  int near = observer == 1, seat, i, first = 1;
  (void)actor, (void)move;
  sb_write(out, "{\"elements\":[");
  write_row(g, !near, out);
  sb_write(out, ",[{\"kind\":\"text\",\"text\":\"Last bid: ");
  if (g->bid) write_bid(g->bid, out);
  else sb_write(out, "none");
  sb_write(out, "\"}],");
  write_row(g, near, out);
  sb_write(out, "],\"pieces\":[");
  for (seat = 0; seat < 2; seat++) {
    for (i = 0; i < g->n_dice && g->dice[seat][i]; i++, first = 0) {
      sb_write(out, first ? "{\"place\":" : ",{\"place\":");
      write_place(seat, i, out);
      if (sees(g, observer, seat)) {
        sb_write(out, ",\"shape\":\"card\",\"text\":\"");
        sb_write_number(out, g->dice[seat][i]);
        sb_write(out, "\"}");
      } else {
        sb_write(out, ",\"shape\":\"back\"}");
      }
    }
  }
  sb_write(out, "],\"moves\":[");
  if (observer == g->to_move && game_next(g) & SB_BIT(observer)) write_buttons(g, out);
  sb_write(out, "]}");
}
