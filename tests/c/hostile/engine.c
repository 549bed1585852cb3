/* A hostile engine for tests of the jail. It plays the first legal move; its option
 * `act` selects what else it does, and `when` the call in which it does it. The
 * system's answer to each step of an act is logged as `step: allowed` or
 * `step: EPERM`; unless a step ends the process, the engine plays on.
 *
 * Built with -DAT_LOAD="act", -DAT_ENTRY or -DAT_DESCRIBE (a text literal) it acts
 * in its constructor, in sandboard_engine_v1, or in describe; with
 * -DBROKEN=n its table or its description is invalid, in a different way for each n. */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile.h"

#ifndef BROKEN
#define BROKEN 0
#endif

#define TEXT(literal) { literal, sizeof(literal) - 1 }
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const act *const TABLES[] = { ACTS_ENDS, ACTS_GREED, ACTS_WORDS, ACTS_MARKS, ACTS_REACH, ACTS_FILES };

typedef struct engine {
  scene scene;
  char act[64], when[32], at[512];
  char moves[65536];
} engine;

static void run(const char *name, const scene *s) {
  size_t i;
  for (i = 0; i < LENGTH(TABLES); i++) {
    const act *a;
    for (a = TABLES[i]; a->name; a++) {
      if (strcmp(a->name, name) == 0) {
        a->run(s);
        return;
      }
    }
  }
}

/* ---- Logging ---- */

/* Notes from before a host is known. */
static char kept[16384];
static uint32_t kept_len;

static void log_text(const scene *s, const char *text, size_t len) {
  sb_text line;
  line.ptr = text;
  line.len = (uint32_t)len;
  s->host->log(s->host->ctx, SB_INFO, line);
}

static void log_kept(const scene *s) {
  const char *line = kept, *end = kept + kept_len;
  while (line < end) {
    const char *stop = (const char *)memchr(line, '\n', (size_t)(end - line));
    log_text(s, line, (size_t)(stop - line));
    line = stop + 1;
  }
  kept_len = 0;
}

void note(const scene *s, const char *what, const char *outcome) {
  char text[512];
  size_t len = (size_t)snprintf(text, sizeof text, "%s: %s", what, outcome);
  if (len >= sizeof text) len = sizeof text - 1;
  if (s->host) {
    log_text(s, text, len);
  } else if (kept_len + len + 1 <= sizeof kept) {
    text[len++] = '\n';
    memcpy(kept + kept_len, text, len);
    kept_len += (uint32_t)len;
  }
}

void note_number(const scene *s, const char *what, uint64_t number) {
  char digits[24];
  snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
  note(s, what, digits);
}

/* Names of the errors that the kernel or a system call filter returns. */
static const char *error_name(int number) {
  static const struct { int number; const char *name; } names[] = {
    { EPERM, "EPERM" },   { ENOENT, "ENOENT" }, { ESRCH, "ESRCH" },   { EINTR, "EINTR" },
    { EIO, "EIO" },       { ENXIO, "ENXIO" },   { EBADF, "EBADF" },   { ECHILD, "ECHILD" },
    { EAGAIN, "EAGAIN" }, { ENOMEM, "ENOMEM" }, { EACCES, "EACCES" }, { EFAULT, "EFAULT" },
    { EBUSY, "EBUSY" },   { EEXIST, "EEXIST" }, { ENODEV, "ENODEV" }, { ENOTDIR, "ENOTDIR" },
    { EISDIR, "EISDIR" }, { EINVAL, "EINVAL" }, { ENFILE, "ENFILE" }, { EMFILE, "EMFILE" },
    { ENOTTY, "ENOTTY" }, { EFBIG, "EFBIG" },   { ENOSPC, "ENOSPC" }, { ESPIPE, "ESPIPE" },
    { EROFS, "EROFS" },   { EPIPE, "EPIPE" },   { ENOSYS, "ENOSYS" }, { ELOOP, "ELOOP" },
    { ENOTSUP, "ENOTSUP" },                     { EAFNOSUPPORT, "EAFNOSUPPORT" },
    { EPROTONOSUPPORT, "EPROTONOSUPPORT" },     { ENETUNREACH, "ENETUNREACH" },
    { ECONNREFUSED, "ECONNREFUSED" },           { EADDRNOTAVAIL, "EADDRNOTAVAIL" },
    { EINPROGRESS, "EINPROGRESS" },             { EDQUOT, "EDQUOT" },
  };
  static _Thread_local char other[32];
  size_t i;
  for (i = 0; i < LENGTH(names); i++) {
    if (names[i].number == number) return names[i].name;
  }
  snprintf(other, sizeof other, "error %d", number);
  return other;
}

void note_result(const scene *s, const char *what, int64_t result) {
  note(s, what, result == -1 ? error_name(errno) : "allowed");
}

void note_end(const scene *s, const char *what, int reason, uint64_t number) {
  char text[64];
  snprintf(text, sizeof text, "%s after %llu", reason ? error_name(reason) : "enough",
           (unsigned long long)number);
  note(s, what, text);
}

uint64_t number_at(const scene *s, uint64_t otherwise) {
  return s->at[0] ? strtoull(s->at, NULL, 10) : otherwise;
}

/* ---- The ABI ---- */

static void act_when(engine *e, const char *when) {
  if (strcmp(e->when, when) == 0) run(e->act, &e->scene);
}

static void copy_option(const sb_setting *option, const char *name, char *to, size_t cap) {
  size_t len = strlen(name);
  if (option->name.len != len || memcmp(option->name.ptr, name, len)) return;
  if (option->value.len < cap) {
    memcpy(to, option->value.ptr, option->value.len);
    to[option->value.len] = 0;
  }
}

static int32_t start(const sb_setup *setup, const sb_host_v1 *host, void **self) {
  engine *e = (engine *)calloc(1, sizeof *e);
  uint32_t i;
  *self = e;
  if (!e) return SB_ERROR;
  e->scene.host = host;
  e->scene.at = e->at;
  strcpy(e->when, "choose");
  for (i = 0; i < setup->n_options; i++) {
    copy_option(&setup->options[i], "act", e->act, sizeof e->act);
    copy_option(&setup->options[i], "when", e->when, sizeof e->when);
    copy_option(&setup->options[i], "at", e->at, sizeof e->at);
  }
  log_kept(&e->scene);
  act_when(e, "start");
  return SB_OK;
}

static int32_t played(void *self, sb_text move) {
  (void)move;
  act_when((engine *)self, "played");
  return SB_OK;
}

static int32_t taken_back(void *self, uint32_t plies) {
  (void)plies;
  act_when((engine *)self, "taken-back");
  return SB_OK;
}

/* Invalid answers: wild pointers and wrong lengths. */
static void lie(const engine *e, sb_choice *out) {
  static sb_line line;
  const char *nowhere = (const char *)(uintptr_t)0xdead0000;
  if (strcmp(e->act, "wild-move") == 0) out->move.ptr = nowhere;
  if (strcmp(e->act, "long-move") == 0) out->move.len = UINT32_MAX;
  if (strcmp(e->act, "wild-line") == 0) out->line = (const sb_line *)nowhere;
  if (strcmp(e->act, "wild-moves-of-line") == 0) {
    line.size = sizeof line;
    line.rank = 1;
    line.bound = SB_UNSCORED;
    line.moves.ptr = nowhere;
    line.moves.len = 5;
    out->line = &line;
  }
  if (strcmp(e->act, "wild-report") == 0) e->scene.host->report(e->scene.host->ctx, (const sb_line *)nowhere);
}

static int32_t choose(void *self, const sb_limits *limits, const sb_barred *barred, uint32_t n,
                      sb_choice *out) {
  engine *e = (engine *)self;
  const sb_host_v1 *host = e->scene.host;
  sb_text here = TEXT("");
  int64_t bytes;
  const char *space;
  (void)limits, (void)barred, (void)n;
  act_when(e, "choose");
  bytes = host->legal(host->ctx, here, e->moves, sizeof e->moves);
  if (bytes <= 0 || bytes > (int64_t)sizeof e->moves) return SB_ERROR;
  space = (const char *)memchr(e->moves, ' ', (size_t)bytes);
  out->decision = SB_PLAY;
  out->move.ptr = e->moves;
  out->move.len = (uint32_t)(space ? space - e->moves : bytes);
  lie(e, out);
  return SB_OK;
}

static int32_t think(void *self) {
  act_when((engine *)self, "think");
  return SB_OK;
}

static sb_text error(void *self) {
  static const sb_text reason = TEXT("has no move or no memory");
  (void)self;
  return reason;
}

static void drop(void *self) {
  engine *e = (engine *)self;
  if (!e) return;
  e->scene.host = NULL; /* the header forbids to call it now */
  act_when(e, "drop");
  free(e);
}

static const scene ALONE = { NULL, "" };

#ifdef AT_LOAD
__attribute__((constructor)) static void at_load(void) { run(AT_LOAD, &ALONE); }
#endif

static void do_lies(const scene *s) { (void)s; /* `lie` does it, when it has chosen */ }

static const act LIES[] = {
  { "wild-move", do_lies },          { "long-move", do_lies },   { "wild-line", do_lies },
  { "wild-moves-of-line", do_lies }, { "wild-report", do_lies }, { NULL, NULL },
};

/* Every act is a value of the option, so that tests can list the acts. */
static uint32_t all_acts(sb_text *picks, uint32_t most) {
  uint32_t n = 0;
  size_t i;
  picks[n].ptr = "none";
  picks[n++].len = 4;
  for (i = 0; i <= LENGTH(TABLES); i++) {
    const act *a;
    for (a = i < LENGTH(TABLES) ? TABLES[i] : LIES; a->name && n < most; a++, n++) {
      picks[n].ptr = a->name;
      picks[n].len = (uint32_t)strlen(a->name);
    }
  }
  return n;
}

static const sb_description *describe(void) {
  static const sb_text variants[] = { TEXT("freestyle"), TEXT("standard") };
  static const sb_game games[] = { { TEXT("gomoku"), variants, 2 } };
  static const sb_text whens[] = {
    TEXT("start"), TEXT("played"), TEXT("taken-back"), TEXT("choose"), TEXT("think"), TEXT("drop")
  };
  static sb_text acts[256];
  static sb_option options[] = {
    { TEXT("act"), TEXT("what it does beside playing"), TEXT("none"), SB_PICK, 0, 0, 0, 0, 0, acts, 0, 0 },
    { TEXT("when"), TEXT("in which call"), TEXT("choose"), SB_PICK, 0, 0, 0, 0, 0, whens, LENGTH(whens), 0 },
    { TEXT("at"), TEXT("a path, a port or a number"), TEXT(""), SB_TEXT, 0, 0, 0, 0, 0, NULL, 0, 500 }
  };
  static sb_description description = {
    sizeof(sb_description), SB_PONDERS, TEXT("hostile"), TEXT("Hostile"), TEXT("Sandboard"), TEXT("1"),
    games, 1, options, LENGTH(options)
  };
  options[0].n_picks = all_acts(acts, LENGTH(acts));
#ifdef AT_DESCRIBE
  run(AT_DESCRIBE, &ALONE);
#endif
  if (BROKEN == 6) description.size = 12;
  if (BROKEN == 7) return NULL;
  if (BROKEN == 8) description.name.ptr = (const char *)(uintptr_t)0xdead0000;
  if (BROKEN == 9) description.n_games = UINT32_MAX;
  return &description;
}

#if BROKEN == 5
#define sandboard_engine_v1 sandboard_engine_v2
__attribute__((visibility("default"))) const sb_engine_v1 *sandboard_engine_v2(void);
#endif

const sb_engine_v1 *sandboard_engine_v1(void) {
  static const sb_engine_v1 table = {
    BROKEN == 1 ? 8 : sizeof(sb_engine_v1), BROKEN == 2 ? 3 : SB_ABI,
    describe, start, played, taken_back, choose, BROKEN == 3 ? NULL : think, error, drop
  };
#ifdef AT_ENTRY
  run(AT_ENTRY, &ALONE);
#endif
  (void)ALONE;
  if (BROKEN == 10) return (const sb_engine_v1 *)(uintptr_t)0xdead0000;
  return BROKEN == 4 ? NULL : &table;
}
