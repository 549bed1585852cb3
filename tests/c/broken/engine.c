/* An engine that violates one rule of the header, selected by -DBROKEN=n, to test that
 * tests/c/drive detects it. Without it, the engine is valid and plays a1. */

#include <stdlib.h>
#include <string.h>

#include "sandboard_engine_v1.h"

#define TEXT(literal) { literal, sizeof(literal) - 1 }

enum { NOTHING, KEEPS_AN_INPUT, LEAKS_IN_DROP, READS_BEYOND_A_TEXT, GIVES_AN_INPUT_BACK, FREES_AN_OUTPUT };

#ifndef BROKEN
#define BROKEN 0
#endif

typedef struct engine { sb_text last; char *move; uint32_t len; } engine;

static int32_t start(const sb_setup *setup, const sb_host_v1 *host, void **self) {
  engine *e = (engine *)calloc(1, sizeof *e);
  (void)setup; (void)host;
  *self = e;
  return e && (e->move = (char *)malloc(2)) ? SB_OK : SB_ERROR;
}

static int32_t played(void *self, sb_text move) {
  engine *e = (engine *)self;
  if (BROKEN == KEEPS_AN_INPUT) e->last = move;
  if (BROKEN == READS_BEYOND_A_TEXT) e->len = (uint32_t)strlen(move.ptr);
  return SB_OK;
}

static int32_t taken_back(void *self, uint32_t plies) { (void)self; (void)plies; return SB_OK; }

static int32_t choose(void *self, const sb_limits *limits, const sb_barred *barred, uint32_t n,
                      sb_choice *out) {
  engine *e = (engine *)self;
  (void)limits;
  memcpy(e->move, "a1", 2);
  if (e->last.len) e->move[0] = *e->last.ptr;
  out->decision = SB_PLAY;
  out->move.ptr = e->move;
  out->move.len = 2;
  out->line = NULL;
  if (BROKEN == GIVES_AN_INPUT_BACK && n) out->move = barred[0].move;
  if (BROKEN == FREES_AN_OUTPUT) {
    free(e->move);
    e->move = (char *)malloc(2);
  }
  return e->move ? SB_OK : SB_ERROR;
}

static int32_t think(void *self) { (void)self; return SB_OK; }

static sb_text error(void *self) {
  sb_text why = TEXT("no memory");
  (void)self;
  return why;
}

static void drop(void *self) {
  engine *e = (engine *)self;
  if (!e) return;
  if (BROKEN != LEAKS_IN_DROP) free(e->move);
  free(e);
}

static const sb_description *describe(void) {
  static const sb_description description = {
    sizeof(sb_description), 0, TEXT("broken"), TEXT("Broken"), TEXT(""), TEXT("1"), NULL, 0, NULL, 0
  };
  return &description;
}

const sb_engine_v1 *sandboard_engine_v1(void) {
  static const sb_engine_v1 table = {
    sizeof(sb_engine_v1), SB_ABI, describe, start, played, taken_back, choose, think, error, drop
  };
  return &table;
}
