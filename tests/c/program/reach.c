/* Acts that access what is not the program's own. Allowed attempts do no harm, except
 * that a child process sleeps for a while. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

extern char **environ;

static const char *error_name(int number) {
  switch (number) {
    case EPERM: return "EPERM";
    case EACCES: return "EACCES";
    case ENOENT: return "ENOENT";
    case ENOSYS: return "ENOSYS";
    case EBADF: return "EBADF";
    case EMFILE: return "EMFILE";
    case EROFS: return "EROFS";
    default: return strerror(number);
  }
}

static void note(const char *what, int64_t result) {
  printf("info string %s: %s\n", what, result == -1 ? error_name(errno) : "allowed");
}

/* If allowed, the child exits soon. */
static void child(const char *what, int64_t pid) {
  if (pid == 0) {
    alarm(30);
    pause();
    _exit(0);
  }
  note(what, pid);
}

static void processes(scene *s) {
  (void)s;
  child("fork", fork());
  child("clone", syscall(SYS_clone, SIGCHLD | CLONE_PARENT, 0, 0, 0, 0));
  child("clone of a namespace", syscall(SYS_clone, SIGCHLD | CLONE_NEWUSER, 0, 0, 0, 0));
  note("setsid", setsid());
  note("kill parent", kill(getppid(), 0));
  note("kill all", kill(-1, 0));
  note("ptrace parent", ptrace(PTRACE_SEIZE, getppid(), NULL, NULL));
  note("outlive", prctl(PR_SET_PDEATHSIG, 0));
  note("unshare", unshare(CLONE_NEWNS));
}

/* Starts another program by name, by descriptor, and by the system's loader. */
static void programs(scene *s) {
  static const char *const files[] = {
    "/bin/true", "/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1",
  };
  char *none[] = { NULL };
  char name[96];
  size_t i;
  (void)s;
  for (i = 0; i < sizeof files / sizeof *files; i++) {
    int file = open(files[i], O_RDONLY | O_CLOEXEC);
    snprintf(name, sizeof name, "execve %s", files[i]);
    note(name, execve(files[i], none, environ));
    if (file < 0) continue;
    snprintf(name, sizeof name, "execveat %s", files[i]);
    note(name, syscall(SYS_execveat, file, "", none, environ, AT_EMPTY_PATH));
    note(name, syscall(SYS_execveat, file, files[i], none, environ, AT_EMPTY_PATH));
    note(name, syscall(SYS_execveat, file, files[i], none, environ, 0));
    close(file);
  }
  note("execveat of no file", syscall(SYS_execveat, 99, "", none, environ, AT_EMPTY_PATH));
  note("memfd", syscall(SYS_memfd_create, "x", 0));
}

static void network(scene *s) {
  (void)s;
  note("socket", socket(AF_INET, SOCK_STREAM, 0));
  note("socket of a path", socket(AF_UNIX, SOCK_STREAM, 0));
  note("socket of the kernel", socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE));
  note("send to an address", sendto(1, "x", 1, 0, (struct sockaddr *)&(struct sockaddr){ 0 }, 16));
}

/* `at`: a file of the user. */
static void files(scene *s) {
  const char *const read[] = {
    "/etc/passwd", "/proc/self/mem", "/proc/1/environ", "/dev/tty", "/tmp", s->at,
  };
  char name[256];
  size_t i;
  for (i = 0; i < sizeof read / sizeof *read; i++) {
    snprintf(name, sizeof name, "open %s", read[i]);
    note(name, open(read[i], O_RDONLY));
  }
  note("make a file", open("/tmp/program-was-here", O_WRONLY | O_CREAT, 0600));
  note("make a file among libraries", open("/usr/lib/program-was-here", O_WRONLY | O_CREAT, 0600));
  note("make a folder", mkdir("/own/folder", 0700));
  note("delete a file", unlink("/own/net"));
}

/* Logs inherited descriptors and environment, and whether the process is dumpable. */
static void heirlooms(scene *s) {
  char **variable = environ;
  int number;
  (void)s;
  for (number = 0; number < 4096; number++) {
    if (fcntl(number, F_GETFD) >= 0) printf("info string descriptor %d\n", number);
  }
  for (; variable && *variable; variable++) printf("info string variable %s\n", *variable);
  printf("info string dumpable %d\n", prctl(PR_GET_DUMPABLE));
}

/* `at`: one of its files. */
static void own_file(scene *s) {
  char text[64] = "";
  FILE *file = fopen(s->at, "r");
  if (!file) {
    note(s->at, -1);
    return;
  }
  if (!fgets(text, sizeof text, file)) text[0] = 0;
  fclose(file);
  printf("info string %s holds %s\n", s->at, text);
}

/* `at`: one of its files. */
static void write_file(scene *s) {
  char beside[256];
  snprintf(beside, sizeof beside, "%s-2", s->at);
  note("write", open(s->at, O_WRONLY));
  note("overwrite", open(s->at, O_WRONLY | O_TRUNC));
  note("create a file beside it", open(beside, O_WRONLY | O_CREAT, 0600));
  note("chmod", chmod(s->at, 0777));
  note("give it a second name", link(s->at, beside));
  note("rename it", rename(s->at, beside));
  note("delete it", unlink(s->at));
}

/* `at`: one of its files, as code. */
static void map_file(scene *s) {
  int file = open(s->at, O_RDONLY);
  void *code = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  note("map as code", code == MAP_FAILED ? -1 : 0);
}

/* Whether shared memory can be mapped: 0, or the error. */
static int share_memory(void) {
  void *place = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return errno;
  munmap(place, 1 << 20);
  return 0;
}

static int shared_before_main;

__attribute__((constructor)) static void before_main(void) { shared_before_main = share_memory(); }

static void note_map(const char *what, int file, int access, int flags) {
  void *place = mmap(NULL, 4096, access, flags, file, 0);
  note(what, place == MAP_FAILED ? -1 : 0);
}

/* `at`: one of its files. */
static void shared_memory(scene *s) {
  int file = open(s->at, O_RDONLY), refused = share_memory();
  printf("info string in a constructor: %s\n", shared_before_main ? error_name(shared_before_main) : "allowed");
  printf("info string in a move: %s\n", refused ? error_name(refused) : "allowed");
  note_map("file for reading", file, PROT_READ, MAP_SHARED);
  note_map("file for writing", file, PROT_READ | PROT_WRITE, MAP_SHARED);
  note_map("grows down", -1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN);
}

const act ACTS_REACH[] = {
  { "processes", processes },
  { "programs", programs },
  { "network", network },
  { "files", files },
  { "heirlooms", heirlooms },
  { "own-file", own_file },
  { "write-file", write_file },
  { "map-file", map_file },
  { "shared-memory", shared_memory },
  { NULL, NULL },
};
