/* Acts that end the program, or keep it from answering. */

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

static volatile int *volatile nowhere = (volatile int *)(uintptr_t)8;

static void segv(scene *s) {
  (void)s;
  fputs("about to touch nothing\n", stderr);
  *nowhere = 1;
}

static void do_abort(scene *s) {
  (void)s;
  fputs("giving up\n", stderr);
  abort();
}

static void do_exit(scene *s) {
  (void)s;
  _exit(3);
}

static void kill_self(scene *s) {
  (void)s;
  kill(getpid(), SIGKILL);
}

static void stop_self(scene *s) {
  (void)s;
  kill(getpid(), SIGSTOP);
}

/* Closes its output and continues. */
static void close_output(scene *s) {
  (void)s;
  close(0);
  close(1);
  for (;;) pause();
}

static void silent(scene *s) { s->silent = 1; }

/* Stops reading, too. */
static void deaf(scene *s) {
  int number;
  (void)s;
  for (number = 1; number < NSIG; number++) signal(number, SIG_IGN);
  for (;;) pause();
}

static void spin(scene *s) {
  volatile uint64_t turns = 0;
  (void)s;
  for (;;) turns++;
}

/* `at` milliseconds. */
static void slow(scene *s) {
  uint64_t ms = strtoull(s->at, NULL, 10);
  struct timespec time;
  time.tv_sec = (time_t)(ms / 1000);
  time.tv_nsec = (long)(ms % 1000) * 1000000;
  nanosleep(&time, NULL);
}

static void *burn(void *until) {
  struct timespec now;
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 < *(uint64_t *)until);
  return NULL;
}

/* Two threads use `at` ms of CPU time each; the program waits for them. */
static void work(scene *s) {
  uint64_t ms = strtoull(s->at, NULL, 10);
  pthread_t threads[2];
  int i;
  for (i = 0; i < 2; i++) {
    if (pthread_create(&threads[i], NULL, burn, &ms)) abort();
  }
  for (i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

/* Allocates and touches memory until none is left. */
static void eat_memory(scene *s) {
  (void)s;
  for (;;) {
    char *piece = (char *)malloc(1 << 20);
    if (!piece) {
      fputs("out of memory\n", stderr);
      abort();
    }
    memset(piece, 1, 1 << 20);
  }
}

const act ACTS_ENDS[] = {
  { "segv", segv },
  { "abort", do_abort },
  { "exit", do_exit },
  { "kill-self", kill_self },
  { "stop-self", stop_self },
  { "close-output", close_output },
  { "silent", silent },
  { "deaf", deaf },
  { "spin", spin },
  { "slow", slow },
  { "work", work },
  { "eat-memory", eat_memory },
  { NULL, NULL },
};
