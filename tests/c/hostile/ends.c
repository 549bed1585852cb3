/* Acts that end the process, or hide that it should have ended. */

#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hostile.h"

/* Defined in throws.cc, which only builds with C++ include. */
__attribute__((weak)) void throw_an_exception(void);

uint64_t seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec;
}

void spin(void) {
  volatile uint64_t turns = 0;
  for (;;) turns++;
}

/* An unmapped address; volatile, so that the compiler cannot assume its value. */
static volatile int *volatile nowhere = (volatile int *)(uintptr_t)8;

static void crash(void) { *nowhere = 1; }

static void segv(const scene *s) {
  (void)s;
  crash();
}

static volatile int deep_enough;

static int deeper(volatile char *above) {
  volatile char frame[4096];
  if (deep_enough) return 0; /* never */
  frame[0] = above ? above[0] : 1;
  frame[4095] = frame[0];
  return deeper(frame) + frame[4095];
}

static void stack_overflow(const scene *s) {
  (void)s;
  deeper(NULL);
}

static void fpe(const scene *s) {
  volatile int one = 1, nothing = 0;
  (void)s;
  one = one / nothing;
  raise(SIGFPE); /* on a processor whose division by zero is no fault */
}

static void ill(const scene *s) {
  (void)s;
  __builtin_trap();
}

/* Reads a page of a mapped file beyond the file's end. */
static void bus(const scene *s) {
  int file = (int)syscall(SYS_memfd_create, "hole", 0);
  note_result(s, "memfd", file);
  if (file < 0) return;
  {
    volatile char *page = (volatile char *)mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) note_result(s, "mmap", -1);
    else note_number(s, "read", (uint64_t)page[0]);
  }
}

static void do_abort(const scene *s) {
  (void)s;
  abort();
}

static void exit_0(const scene *s) {
  (void)s;
  exit(0);
}

static void exit_at_once(const scene *s) {
  (void)s;
  _exit(0);
}

/* Ends only this thread, so that its answer never comes. */
static void exit_thread(const scene *s) {
  (void)s;
  syscall(SYS_exit, 0);
}

static void pthread_exit_0(const scene *s) {
  (void)s;
  pthread_exit(NULL);
}

static void kill_self(const scene *s) { note_result(s, "kill self", kill(getpid(), SIGKILL)); }

static void stop_self(const scene *s) { note_result(s, "stop self", kill(getpid(), SIGSTOP)); }

static void throw(const scene *s) {
  if (!throw_an_exception) note(s, "throw", "built without C++");
  else throw_an_exception();
}

/* ---- Calls that do not return ---- */

static void loop(const scene *s) {
  (void)s;
  spin();
}

static void deaf_loop(const scene *s) {
  int number;
  for (number = 1; number < NSIG; number++) signal(number, SIG_IGN);
  note(s, "signals", "ignored");
  spin();
}

static void sleep_for_ever(const scene *s) {
  (void)s;
  for (;;) pause();
}

/* `at` milliseconds of sleep. */
static void slow(const scene *s) {
  uint64_t ms = number_at(s, 300);
  struct timespec time;
  time.tv_sec = (time_t)(ms / 1000);
  time.tv_nsec = (long)(ms % 1000) * 1000000;
  note_result(s, "sleep", nanosleep(&time, NULL));
}

/* Locks a mutex that is never unlocked. */
static void deadlock(const scene *s) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  (void)s;
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
}

/* ---- A crash that is hidden ---- */

static sigjmp_buf before;
static char other_stack[65536];

static void come_back(int number) { siglongjmp(before, number); }
static void stay(int number) { (void)number; }

static void handle(const scene *s, void (*handler)(int)) {
  static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
  struct sigaction action;
  stack_t stack;
  size_t i;
  memset(&stack, 0, sizeof stack);
  stack.ss_sp = other_stack;
  stack.ss_size = sizeof other_stack;
  note_result(s, "sigaltstack", sigaltstack(&stack, NULL));
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    note_result(s, "sigaction", sigaction(numbers[i], &action, NULL));
  }
}

/* Crashes, handles the signal and plays on. */
static void hide_crash(const scene *s) {
  handle(s, come_back);
  if (sigsetjmp(before, 1) == 0) crash();
  note(s, "crash", "hidden");
}

static void hide_stack_overflow(const scene *s) {
  handle(s, come_back);
  if (sigsetjmp(before, 1) == 0) deeper(NULL);
  note(s, "stack overflow", "hidden");
}

/* The handler returns, and the instruction faults again. */
static void crash_for_ever(const scene *s) {
  handle(s, stay);
  crash();
}

static void hide_abort(const scene *s) {
  handle(s, come_back);
  if (sigsetjmp(before, 1) == 0) abort();
  note(s, "abort", "hidden");
}

const act ACTS_ENDS[] = {
  { "segv", segv },
  { "stack-overflow", stack_overflow },
  { "fpe", fpe },
  { "ill", ill },
  { "bus", bus },
  { "abort", do_abort },
  { "exit-0", exit_0 },
  { "exit-at-once", exit_at_once },
  { "exit-thread", exit_thread },
  { "pthread-exit", pthread_exit_0 },
  { "kill-self", kill_self },
  { "stop-self", stop_self },
  { "throw", throw },
  { "loop", loop },
  { "deaf-loop", deaf_loop },
  { "sleep", sleep_for_ever },
  { "slow", slow },
  { "deadlock", deadlock },
  { "hide-crash", hide_crash },
  { "hide-stack-overflow", hide_stack_overflow },
  { "crash-for-ever", crash_for_ever },
  { "hide-abort", hide_abort },
  { NULL, NULL },
};
