/* Acts that take what a machine has: processor, memory, processes, descriptors.
 * Each is bounded, so that a jail that fails costs a test and not its machine. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"

enum { MEBI = 1 << 20, MOST_PIPES = 1024 };

/* ---- Processes ---- */

enum { MOST_PROCESSES = 300 };

/* An escaped process: ignores all signals that it can; uses CPU time for LIFE_SECONDS. */
static void burn(void) {
  int number;
  uint64_t end = seconds() + LIFE_SECONDS;
  for (number = 1; number < NSIG; number++) signal(number, SIG_IGN);
  while (seconds() < end) sched_yield();
  _exit(0);
}

/* Number of processes and the last error, in shared memory if that is allowed. */
typedef struct tally { int32_t processes, reason; } tally;

static tally *shared_tally(void) {
  static tally own;
  tally *t = (tally *)mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return t == MAP_FAILED ? &own : t;
}

/* Every process starts two more, each in a session of its own. */
static void breed(tally *t) {
  int twice;
  for (twice = 0; twice < 2; twice++) {
    pid_t child;
    if (__atomic_add_fetch(&t->processes, 1, __ATOMIC_SEQ_CST) > MOST_PROCESSES) return;
    child = fork();
    if (child < 0) {
      t->reason = errno;
      __atomic_sub_fetch(&t->processes, 1, __ATOMIC_SEQ_CST);
      return;
    }
    if (child == 0) {
      setsid();
      breed(t);
      burn();
    }
  }
}

static void fork_bomb(const scene *s) {
  tally *t = shared_tally();
  uint64_t end;
  breed(t);
  end = seconds() + 3;
  while (!t->reason && t->processes <= MOST_PROCESSES && seconds() < end) sched_yield();
  note_end(s, "fork", t->reason, (uint64_t)t->processes);
}

static int child_of_clone(void *unused) {
  (void)unused;
  burn();
  return 0;
}

/* Leaves a process behind, started in each possible way. */
static void leave_processes(const scene *s) {
  static char stacks[2][65536];
  struct { uint64_t flags, rest[7]; } how = { 0, { 0 } };
  int64_t child = fork();
  if (child == 0) {
    setsid();
    burn();
  }
  note_result(s, "fork", child);
  child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (child == 0) burn();
  note_result(s, "clone", child);
  child = syscall(SYS_clone3, &how, sizeof how);
  if (child == 0) burn();
  note_result(s, "clone3", child);
  note_result(s, "clone that shares memory",
              clone(child_of_clone, stacks[0] + sizeof stacks[0], CLONE_VM | SIGCHLD, NULL));
  note_result(s, "unshared child",
              clone(child_of_clone, stacks[1] + sizeof stacks[1], CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD, NULL));
}

/* ---- Threads ---- */

enum { MOST_THREADS = 5000 };

static void *burn_thread(void *unused) {
  uint64_t end = seconds() + LIFE_SECONDS;
  volatile uint64_t turns = 0;
  (void)unused;
  while (seconds() < end) {
    int i;
    for (i = 0; i < 100000; i++) turns++;
  }
  return NULL;
}

static void *rest_thread(void *unused) {
  (void)unused;
  sleep(LIFE_SECONDS);
  return NULL;
}

/* Starts as many threads as allowed, up to `most`; logs why no more. */
static uint64_t start_threads(void *(*work)(void *), uint64_t most, int *reason) {
  uint64_t n;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  for (n = 0; n < most; n++) {
    pthread_t thread;
    *reason = pthread_create(&thread, &small, work, NULL);
    if (*reason) break;
    pthread_detach(thread);
  }
  return n;
}

/* Threads that continue after the call has returned. */
static void threads_stay(const scene *s) {
  int reason;
  uint64_t n = start_threads(burn_thread, number_at(s, 2), &reason);
  note_end(s, "threads", reason, n);
}

/* Two threads that use CPU time while the called one sleeps, for 20 seconds at most. */
static void threads_beside(const scene *s) {
  int reason;
  uint64_t n = start_threads(burn_thread, 2, &reason);
  note_end(s, "threads", reason, n);
  sleep(20);
}

static void thread_bomb(const scene *s) {
  int reason;
  uint64_t n = start_threads(rest_thread, MOST_THREADS, &reason);
  note_end(s, "threads", reason, n);
}

/* ---- Memory ---- */

/* Allocates and touches `at` MiB, or 3 GiB, and frees nothing. */
static void eat_memory(const scene *s) {
  uint64_t mebi, most = number_at(s, 3072);
  for (mebi = 0; mebi < most; mebi += 8) {
    char *block = (char *)mmap(NULL, 8 * MEBI, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) break;
    memset(block, 1, 8 * MEBI);
  }
  note_end(s, "MiB", mebi < most ? errno : 0, mebi);
}

/* Uses memory without checking for NULL: a lack of memory is a crash. */
static void eat_memory_blindly(const scene *s) {
  uint64_t mebi, most = number_at(s, 3072);
  for (mebi = 0; mebi < most; mebi++) memset(malloc(MEBI), 1, MEBI);
  note_number(s, "MiB", mebi);
}

/* Pages of an anonymous file, which are not counted as the process's own. */
static void eat_memory_of_files(const scene *s) {
  static char block[MEBI];
  uint64_t mebi, most = number_at(s, 3072);
  int file = (int)syscall(SYS_memfd_create, "eaten", 0);
  note_result(s, "memfd", file);
  if (file < 0) return;
  signal(SIGXFSZ, SIG_IGN);
  memset(block, 1, sizeof block);
  for (mebi = 0; mebi < most; mebi++) {
    if (write(file, block, sizeof block) != (ssize_t)sizeof block) break;
  }
  note_end(s, "MiB", mebi < most ? errno : 0, mebi);
}

/* Data in pipes is not counted as memory of a process either. */
static void eat_memory_of_pipes(const scene *s) {
  static char block[65536];
  uint64_t pipes;
  for (pipes = 0; pipes < MOST_PIPES; pipes++) {
    int ends[2];
    if (pipe2(ends, O_NONBLOCK)) break;
    fcntl(ends[1], F_SETPIPE_SZ, MEBI);
    while (write(ends[1], block, sizeof block) > 0) {}
  }
  note_end(s, "pipes", pipes < MOST_PIPES ? errno : 0, pipes);
}

/* Shared memory lives as long as a page of it is mapped, but only mapped pages are counted. */
static void eat_shared_memory(const scene *s) {
  uint64_t mebi, most = number_at(s, 1024);
  for (mebi = 0; mebi < most; mebi++) {
    char *block = (char *)mmap(NULL, MEBI, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) break;
    memset(block, 1, MEBI);
    munmap(block + 4096, MEBI - 4096);
  }
  note_end(s, "shared MiB", mebi < most ? errno : 0, mebi);
}

static void reserve_memory(const scene *s) {
  uint64_t bytes;
  for (bytes = UINT64_C(1) << 30; bytes <= UINT64_C(1) << 46; bytes <<= 4) {
    void *block = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED) {
      note_end(s, "reserved bytes", errno, bytes);
      return;
    }
    munmap(block, bytes);
  }
  note_end(s, "reserved bytes", 0, bytes);
}

static void lock_memory(const scene *s) {
  void *block = mmap(NULL, 64 * MEBI, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) note_result(s, "mmap", -1);
  else note_result(s, "mlock", mlock(block, 64 * MEBI));
}

/* ---- Descriptors ---- */

enum { MOST_FILES = 1 << 20 };

static void eat_files(const scene *s) {
  uint64_t n;
  for (n = 0; n < MOST_FILES; n++) {
    if (dup(0) < 0 && dup(1) < 0 && eventfd(0, 0) < 0) break;
  }
  note_end(s, "descriptors", n < MOST_FILES ? errno : 0, n);
}

static void close_files(const scene *s) {
  int file;
  (void)s;
  for (file = 0; file < 65536; file++) close(file);
}

/* The host sees no end of the channel, only silence. */
static void replace_files(const scene *s) {
  int ends[2], file;
  if (pipe(ends)) {
    note_result(s, "pipe", -1);
    return;
  }
  for (file = 0; file < 256; file++) {
    if (file != ends[0] && file != ends[1] && fcntl(file, F_GETFD) >= 0) dup2(ends[1], file);
  }
}

const act ACTS_GREED[] = {
  { "fork-bomb", fork_bomb },
  { "leave-processes", leave_processes },
  { "threads-stay", threads_stay },
  { "threads-beside", threads_beside },
  { "thread-bomb", thread_bomb },
  { "eat-memory", eat_memory },
  { "eat-memory-blindly", eat_memory_blindly },
  { "eat-memory-of-files", eat_memory_of_files },
  { "eat-memory-of-pipes", eat_memory_of_pipes },
  { "eat-shared-memory", eat_shared_memory },
  { "reserve-memory", reserve_memory },
  { "lock-memory", lock_memory },
  { "eat-files", eat_files },
  { "close-files", close_files },
  { "replace-files", replace_files },
  { NULL, NULL },
};
