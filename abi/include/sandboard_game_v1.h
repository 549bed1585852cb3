/* The interface between a Sandboard host and the rules of a game in C, number 1.
 *
 * The rules of a game are one or more C files that define the functions of this
 * header. Compiled together with abi/shim/sandboard_game_component_v1.c they become
 * a component of the world `game` (abi/wit/game-since-v1/game.wit), whose glossary,
 * limits and meanings hold here, too. The rules have no clock, file, network or
 * randomness. Equal calls give equal answers. C99 and C++11.
 *
 * A position is one struct, `struct game`, without pointers: the shim copies it
 * byte by byte. A move is a number of the author's choice, whose text
 * game_write_move writes. Texts of the author end with NUL; texts of the host
 * (sb_text) have a length and no NUL, and are valid until the function returns. */
#ifndef SANDBOARD_GAME_V1_H
#define SANDBOARD_GAME_V1_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SB_SEATS 16               /* maximum number of seats of a game */

/* Who moves, and who looks: a seat from 0, or one of these. */
enum { SB_CHANCE = 16 };                                  /* an actor: dice, the deal of a card */
enum { SB_SPECTATOR = 17, SB_EVERYTHING = 18 };           /* observers without a seat */
enum { SB_NO_ACTOR = 19 };                                /* before the first move */

/* Who moves next, as bits: SB_BIT(seat), or-ed for seats that decide at the same
 * time; SB_BIT(SB_CHANCE); or SB_OVER after the end. */
#define SB_BIT(actor) ((uint32_t)1 << (actor))
#define SB_OVER ((uint32_t)0)

/* The kind of decision that comes next (game.wit: phase). */
enum { SB_PLAY = 0, SB_OPENING = 1, SB_SWAP = 2, SB_ANNOUNCE = 3, SB_OFFER = 4, SB_PICK = 5 };

typedef struct sb_text { const char *ptr; uint32_t len; } sb_text;
typedef struct sb_writer sb_writer;   /* collects the text of an answer */
typedef struct sb_moves sb_moves;     /* collects moves or outcomes */
typedef int64_t sb_move;
typedef struct sb_fault { uint32_t offset; const char *reason; } sb_fault;

typedef struct game game;             /* a position: defined by the author */

/* ---- Functions of the shim, for the author ---- */

void sb_write(sb_writer *out, const char *text);
void sb_write_char(sb_writer *out, char c);
void sb_write_number(sb_writer *out, int64_t number);
void sb_add_move(sb_moves *out, sb_move move);
/* An outcome of chance. Its probability is its weight, at least 1, divided by the sum. */
void sb_add_outcome(sb_moves *out, sb_move move, uint32_t weight);
/* Whether a text has these characters. */
int sb_is(sb_text text, const char *words);
/* Logs a text for the author. The last text before a trap is part of its message. */
void sb_log(const char *text);

/* ---- Functions that every game defines ---- */

/* sizeof(game) */
extern const uint32_t game_size;
/* The names of the sides in their order, separated by one space, as in the manifest; or, after
 * an exchange of sides, in another order. */
const char *game_sides(const game *g);
/* The number of seats. */
uint32_t game_seats(const game *g);
/* Begins a game in *g, which is all zero. `position` is empty for the variant's own start
 * position. Returns 0; otherwise -1 after it has set *fault, whose offset is a byte of
 * `position`. */
int game_start(game *g, sb_text variant, sb_text position, sb_fault *fault);
/* Who moves next. */
uint32_t game_next(const game *g);
/* Adds the legal moves of a seat, or the outcomes of SB_CHANCE, in a fixed order. Called only for
 * an actor that is to move. They do not depend on what other seats of the same step chose. */
void game_legal(const game *g, int actor, sb_moves *out);
/* Plays a move that game_legal has added for this actor, or game_read_move has read. */
void game_play(game *g, int actor, sb_move move);
/* NULL while the game is in progress; otherwise the reason of its end, in a few lower-case words,
 * after it has set the score of each seat. */
const char *game_ending(const game *g, int32_t scores[SB_SEATS]);
/* Writes the position as an observer sees it: for SB_EVERYTHING the whole text, which game_start
 * reads back. */
void game_write_position(const game *g, int observer, sb_writer *out);
/* Writes a move as an observer sees it, in the position before it, or before the first move of its
 * step; nothing if the observer does not notice it. Two moves of one actor differ in what
 * SB_EVERYTHING sees. */
void game_write_move(const game *g, int observer, int actor, sb_move move, sb_writer *out);

/* ---- Functions that a game may define ---- */

/* Writes the variant with the actual board size. Default: the text that game_start got. */
void game_write_variant(const game *g, sb_writer *out);
/* Reads the text of a move of an actor that is to move. Returns NULL and sets *move; otherwise the
 * reason of a refusal, one sentence without a full stop. Default: compares it with the texts of
 * all legal moves. */
const char *game_read_move(const game *g, int actor, sb_text text, sb_move *move);
/* Writes a legal move of an actor in the notation that people write in files; game_read_move reads
 * it. Default: nothing, and the text of the move is used. */
void game_write_notation(const game *g, int actor, sb_move move, sb_writer *out);
/* Default: SB_PLAY. */
uint32_t game_phase(const game *g);
/* What the mover must choose outside ordinary play, in one sentence without a full stop; NULL in
 * ordinary play, which is the default. */
const char *game_prompt(const game *g);
/* Writes the board as an observer sees it: JSON by docs/board.md. `actor` and `move` led to the
 * position; actor is SB_NO_ACTOR before the first move. Default: nothing, and the host shows the
 * diagram. */
void game_write_board(const game *g, int observer, int actor, sb_move move, sb_writer *out);
/* Writes a diagram for a terminal, in lines that end with a line feed. Default: nothing, and the
 * host draws the board, or shows the position. */
void game_write_diagram(const game *g, int observer, int actor, sb_move move, sb_writer *out);

#ifdef __cplusplus
}
#endif
#endif
