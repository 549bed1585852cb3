/* Acts that read and write files. Files that should not have been created are
 * deleted again; the result is in the log. */

#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hostile.h"

static const char *step(char *to, const char *what, const char *path) {
  snprintf(to, 256, "%s %s", what, path);
  return to;
}

static void read_one(const scene *s, const char *path) {
  char what[256], bytes[64];
  int file = open(path, O_RDONLY | O_NONBLOCK);
  ssize_t n = file < 0 ? -1 : read(file, bytes, sizeof bytes);
  /* Opening a folder is access to it. */
  if (n < 0 && file >= 0 && errno == EISDIR) n = 0;
  note_result(s, step(what, "read", path), n);
  if (file >= 0) close(file);
}

/* `at`: one more file, such as another engine's or one of the user's. */
static void read_files(const scene *s) {
  static const char *const paths[] = {
    "/", "/etc/passwd", "/etc/shadow", "/etc/hostname", "/home", "/tmp", "/dev/shm", "/dev/tty",
    "/dev/mem", "/sys/kernel", "/var/run", "/proc/1/environ", "/proc/1/cmdline", "/proc/1/mem",
    "/proc/self/environ", "/proc/self/maps", "/proc/self/root", "/proc/self/cwd", "/proc/kcore",
    "/proc/sys/kernel/hostname", ".", "..",
  };
  const char *home = getenv("HOME");
  char path[64];
  size_t i;
  for (i = 0; i < sizeof paths / sizeof *paths; i++) read_one(s, paths[i]);
  snprintf(path, sizeof path, "/proc/%d/mem", (int)getppid());
  read_one(s, path);
  note(s, "HOME", home ? home : "unset");
  if (home) read_one(s, home);
  if (s->at[0]) read_one(s, s->at);
}

static void write_one(const scene *s, const char *path) {
  char what[256];
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  note_result(s, step(what, "create", path), file);
  if (file < 0) return;
  note_result(s, step(what, "write", path), write(file, "mine", 4));
  close(file);
  unlink(path);
}

/* `at`: a file to write, truncate, delete and make executable. */
static void write_files(const scene *s) {
  static const char *const paths[] = {
    "hostile-was-here", "/hostile-was-here", "/tmp/hostile-was-here", "/dev/shm/hostile-was-here",
    "/var/tmp/hostile-was-here", "/proc/self/root/tmp/hostile-was-here",
  };
  char what[256];
  size_t i;
  for (i = 0; i < sizeof paths / sizeof *paths; i++) write_one(s, paths[i]);
  note_result(s, "mkdir", mkdir("/tmp/hostile-folder", 0700));
  rmdir("/tmp/hostile-folder");
  note_result(s, "symlink", symlink("/etc/passwd", "/tmp/hostile-link"));
  unlink("/tmp/hostile-link");
  note_result(s, "mknod", mknod("/tmp/hostile-pipe", S_IFIFO | 0600, 0));
  unlink("/tmp/hostile-pipe");
  note_result(s, "map of users", open("/proc/self/uid_map", O_WRONLY));
  note_result(s, "own score at want of memory", open("/proc/self/oom_score_adj", O_WRONLY));
  note_result(s, "core pattern", open("/proc/sys/kernel/core_pattern", O_WRONLY));
  if (!s->at[0]) return;
  note_result(s, step(what, "append to", s->at), open(s->at, O_WRONLY | O_APPEND));
  note_result(s, step(what, "truncate", s->at), truncate(s->at, 0));
  note_result(s, step(what, "chmod", s->at), chmod(s->at, 0777));
  note_result(s, step(what, "rename", s->at), rename(s->at, "/tmp/hostile-took-it"));
  note_result(s, step(what, "unlink", s->at), unlink(s->at));
}

/* Logs each inherited descriptor, whether it is writable, and its target. */
static void list_files(const scene *s) {
  int file;
  for (file = 0; file < 1024; file++) {
    char what[64], path[64], target[200];
    int flags = fcntl(file, F_GETFL);
    ssize_t n;
    if (flags < 0) continue;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    n = readlink(path, target, sizeof target - 1);
    target[n < 0 ? 0 : n] = 0;
    snprintf(what, sizeof what, "descriptor %d, %s", file,
             (flags & O_ACCMODE) == O_RDONLY ? "to read" : "to write");
    note(s, what, n < 0 ? "unknown" : target);
  }
}

/* Tries to leave every inherited folder, and to go up from open files. */
static void climb_out(const scene *s) {
  int file, opened;
  for (file = 0; file < 1024; file++) {
    char what[96], path[64];
    if (fcntl(file, F_GETFD) < 0) continue;
    snprintf(what, sizeof what, "up from descriptor %d", file);
    opened = openat(file, "../../../../../../../../etc/passwd", O_RDONLY);
    note_result(s, what, opened);
    if (opened >= 0) close(opened);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    snprintf(what, sizeof what, "descriptor %d again, to write", file);
    opened = open(path, O_WRONLY);
    note_result(s, what, opened);
    if (opened >= 0) close(opened);
  }
}

static int one_library(struct dl_phdr_info *info, size_t size, void *data) {
  const scene *s = (const scene *)data;
  (void)size;
  note(s, "library", info->dlpi_name[0] ? info->dlpi_name : "(program)");
  return 0;
}

/* Logs the loaded libraries: no other engine's may be among them. */
static void list_libraries(const scene *s) { dl_iterate_phdr(one_library, (void *)s); }

static void list_environment(const scene *s) {
  extern char **environ;
  char **variable;
  for (variable = environ; variable && *variable; variable++) note(s, "variable", *variable);
  note_number(s, "uid", (uint64_t)getuid());
  note_number(s, "pid", (uint64_t)getpid());
  note_number(s, "parent", (uint64_t)getppid());
}

const act ACTS_FILES[] = {
  { "read-files", read_files },
  { "write-files", write_files },
  { "list-files", list_files },
  { "climb-out", climb_out },
  { "list-libraries", list_libraries },
  { "list-environment", list_environment },
  { NULL, NULL },
};
