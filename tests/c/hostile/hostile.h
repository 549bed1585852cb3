/* What the files of this engine share: acts are tables of names and functions, and
 * every act notes what became of each of its steps. */
#ifndef HOSTILE_H
#define HOSTILE_H

#if !defined(__linux__)
#error "the acts of this engine are of Linux, as the jail is that they are put into"
#endif

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "sandboard_engine_v1.h"

/* Nothing that an act leaves behind outlives this: where a jail fails, a test fails,
 * and the machine is whole again soon. */
#define LIFE_SECONDS 30

/* What an act knows. */
typedef struct scene {
  const sb_host_v1 *host;  /* NULL while the library is loaded, described or dropped */
  const char *at;          /* the option `at`: a path, a port or a number, as the act wants it */
} scene;

typedef struct act {
  const char *name;
  void (*run)(const scene *s);
} act;

/* Each ends with a name that is NULL. */
extern const act ACTS_ENDS[], ACTS_GREED[], ACTS_WORDS[], ACTS_MARKS[], ACTS_REACH[], ACTS_FILES[];

/* Notes `what: outcome`. Logged at once where there is a host, else before the first answer. */
void note(const scene *s, const char *what, const char *outcome);
/* Notes `what: number`. */
void note_number(const scene *s, const char *what, uint64_t number);
/* Notes what a system call said: `allowed`, or the name of the error where result is -1. */
void note_result(const scene *s, const char *what, int64_t result);
/* Notes `what: REASON after number`. */
void note_end(const scene *s, const char *what, int reason, uint64_t number);

/* The number in `at`; otherwise where there is none. */
uint64_t number_at(const scene *s, uint64_t otherwise);

/* Loops without a pause; never returns. */
void spin(void);
/* Seconds of a clock that only goes on. */
uint64_t seconds(void);

#endif
