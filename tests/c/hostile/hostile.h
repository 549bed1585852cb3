/* Shared by the files of this engine: acts are tables of names and functions, and
 * every act logs the result of each of its steps. */
#ifndef HOSTILE_H
#define HOSTILE_H

#if !defined(__linux__)
#error "this engine and its jail need Linux"
#endif

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "sandboard_engine_v1.h"

/* Maximum life of anything that an act leaves behind: if a jail fails, a test fails,
 * and the machine recovers soon. */
#define LIFE_SECONDS 30

/* The context of an act. */
typedef struct scene {
  const sb_host_v1 *host;  /* NULL while the library is loaded, described or dropped */
  const char *at;          /* the option `at`: a path, a port or a number, as the act wants it */
} scene;

typedef struct act {
  const char *name;
  void (*run)(const scene *s);
} act;

/* Each table ends with a NULL name. */
extern const act ACTS_ENDS[], ACTS_GREED[], ACTS_WORDS[], ACTS_MARKS[], ACTS_REACH[], ACTS_FILES[];

/* Notes `what: outcome`. Logged at once where there is a host, else before the first answer. */
void note(const scene *s, const char *what, const char *outcome);
/* Notes `what: number`. */
void note_number(const scene *s, const char *what, uint64_t number);
/* Notes a system call's result: `allowed`, or the name of the error if it is -1. */
void note_result(const scene *s, const char *what, int64_t result);
/* Notes `what: REASON after number`. */
void note_end(const scene *s, const char *what, int reason, uint64_t number);

/* The number in `at`, or `otherwise` if there is none. */
uint64_t number_at(const scene *s, uint64_t otherwise);

/* Loops without a pause; never returns. */
void spin(void);
/* Seconds of the monotonic clock. */
uint64_t seconds(void);

#endif
