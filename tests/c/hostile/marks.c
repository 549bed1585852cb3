/* Acts that change state of the whole process: its folder, environment, locale,
 * limits, masks, rounding. No change may be visible outside the process. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hostile.h"

static void change_process(const scene *s) {
  sigset_t all;
  note_result(s, "chdir", chdir("/"));
  note_result(s, "PATH", setenv("PATH", "/nowhere", 1));
  note_result(s, "HOME", setenv("HOME", "/nowhere", 1));
  note_result(s, "LD_PRELOAD", setenv("LD_PRELOAD", "/nowhere/evil.so", 1));
  note_result(s, "TZ", setenv("TZ", "Antarctica/Troll", 1));
  note(s, "locale", setlocale(LC_ALL, "tr_TR.UTF-8") ? "tr_TR" : setlocale(LC_ALL, "C.UTF-8") ? "C.UTF-8" : "none");
  umask(0);
  note(s, "umask", "0");
  note_result(s, "rounding", fesetround(FE_UPWARD) ? -1 : 0);
  sigfillset(&all);
  note_result(s, "signal mask", sigprocmask(SIG_BLOCK, &all, NULL));
  note(s, "SIGCHLD", signal(SIGCHLD, SIG_IGN) == SIG_ERR ? "refused" : "ignored");
  note_result(s, "session", setsid());
  note_result(s, "process group", setpgid(0, 0));
  note_result(s, "name", prctl(PR_SET_NAME, "innocent", 0, 0, 0));
  note_result(s, "death signal", prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0));
  note_result(s, "dumpable", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
  note_result(s, "flags of stdin", fcntl(0, F_SETFL, O_NONBLOCK));
}

static void limit(const scene *s, const char *what, int resource, rlim_t soft, rlim_t hard) {
  struct rlimit l;
  l.rlim_cur = soft;
  l.rlim_max = hard;
  note_result(s, what, setrlimit((__rlimit_resource_t)resource, &l));
}

/* Raising a limit must be refused. */
static void raise_limits(const scene *s) {
  limit(s, "descriptors", RLIMIT_NOFILE, 1 << 20, 1 << 20);
  limit(s, "address space", RLIMIT_AS, RLIM_INFINITY, RLIM_INFINITY);
  limit(s, "data", RLIMIT_DATA, RLIM_INFINITY, RLIM_INFINITY);
  limit(s, "processes", RLIMIT_NPROC, RLIM_INFINITY, RLIM_INFINITY);
  limit(s, "file size", RLIMIT_FSIZE, RLIM_INFINITY, RLIM_INFINITY);
  limit(s, "core", RLIMIT_CORE, RLIM_INFINITY, RLIM_INFINITY);
  limit(s, "cpu", RLIMIT_CPU, RLIM_INFINITY, RLIM_INFINITY);
  limit(s, "stack", RLIMIT_STACK, RLIM_INFINITY, RLIM_INFINITY);
  note_result(s, "nice", setpriority(PRIO_PROCESS, 0, -20));
}

/* Lowering a limit may be allowed; it affects only this process. */
static void lower_limits(const scene *s) {
  limit(s, "descriptors", RLIMIT_NOFILE, 3, 3);
  limit(s, "file size", RLIMIT_FSIZE, 0, 0);
  limit(s, "cpu", RLIMIT_CPU, 1, 1);
  note_result(s, "nice", setpriority(PRIO_PROCESS, 0, 19));
}

/* A higher scheduling priority. */
static void push_ahead(const scene *s) {
  struct sched_param first;
  cpu_set_t one;
  first.sched_priority = 50;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  note_result(s, "real time", sched_setscheduler(0, SCHED_FIFO, &first));
  note_result(s, "real time of parent", sched_setscheduler(getppid(), SCHED_FIFO, &first));
  note_result(s, "parent's processor", sched_setaffinity(getppid(), sizeof one, &one));
  note_result(s, "parent's nice", setpriority(PRIO_PROCESS, (id_t)getppid(), 19));
}

/* Timers that will signal this process: no other process may be hit. */
static void alarm_soon(const scene *s) {
  alarm(1);
  note(s, "alarm", "in 1 s");
}

const act ACTS_MARKS[] = {
  { "change-process", change_process },
  { "raise-limits", raise_limits },
  { "lower-limits", lower_limits },
  { "push-ahead", push_ahead },
  { "alarm-soon", alarm_soon },
  { NULL, NULL },
};
