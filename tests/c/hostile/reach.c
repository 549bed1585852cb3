/* Acts that access other processes, networks and the kernel. Acts that only test
 * whether they are allowed do no harm; acts whose name begins with `really` do
 * harm, and are for tests in which the jail is known to hold. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "hostile.h"

/* Missing in older headers. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif

/* ---- Processes ---- */

/* `at`: a process id besides the parent and process 1, such as the host's. */
static void reach_one(const scene *s, const char *who, pid_t pid) {
  static char bytes[16], other[16];
  char what[64];
  struct iovec here, there;
  int64_t handle;
  here.iov_base = bytes;
  there.iov_base = other;
  here.iov_len = there.iov_len = sizeof bytes;
#define STEP(name) (strcpy(what, name " "), strncat(what, who, 32), what)
  /* Signal 0 asks whether a signal may be sent. */
  note_result(s, STEP("kill"), kill(pid, 0));
  note_result(s, STEP("tgkill"), syscall(SYS_tgkill, pid, pid, 0));
  /* PTRACE_SEIZE does not stop the process, and ends with this one. */
  note_result(s, STEP("ptrace"), ptrace(PTRACE_SEIZE, pid, NULL, NULL));
  note_result(s, STEP("read memory of"), process_vm_readv(pid, &here, 1, &there, 1, 0));
  note_result(s, STEP("write memory of"), process_vm_writev(pid, &here, 1, &there, 1, 0));
  handle = syscall(SYS_pidfd_open, pid, 0);
  note_result(s, STEP("pidfd of"), handle);
  if (handle >= 0) note_result(s, STEP("descriptor of"), syscall(SYS_pidfd_getfd, handle, 0, 0));
#undef STEP
}

static void reach_processes(const scene *s) {
  reach_one(s, "parent", getppid());
  reach_one(s, "first process", 1);
  if (number_at(s, 0)) reach_one(s, "named process", (pid_t)number_at(s, 0));
  note_result(s, "kill group", kill(0, 0));
  note_result(s, "kill all", kill(-1, 0));
}

static void really_kill_parent(const scene *s) {
  note_result(s, "kill parent", kill(getppid(), SIGKILL));
}

static void really_kill_named(const scene *s) {
  if (number_at(s, 0) > 1) note_result(s, "kill named process", kill((pid_t)number_at(s, 0), SIGKILL));
}

static void really_trace_me(const scene *s) { note_result(s, "trace me", ptrace(PTRACE_TRACEME, 0, 0, 0)); }

/* ---- Networks ---- */

static void talk_to(const scene *s, const char *what, int family, int kind, const void *address, socklen_t size) {
  char step[96];
  int file = socket(family, kind, 0);
#define STEP(name) (strcpy(step, name " "), strncat(step, what, 48), step)
  note_result(s, STEP("socket"), file);
  if (file < 0) return;
  fcntl(file, F_SETFL, O_NONBLOCK);
  note_result(s, STEP("send"), sendto(file, "out", 3, 0, (const struct sockaddr *)address, size));
  if (kind == SOCK_STREAM) {
    note_result(s, STEP("connect"), connect(file, (const struct sockaddr *)address, size));
    note_result(s, STEP("listen"), listen(file, 1));
  }
#undef STEP
  close(file);
}

/* `at`: a port of this machine with a listener. */
static void reach_network(const scene *s) {
  struct sockaddr_in here;
  struct sockaddr_in6 here6;
  struct sockaddr_nl kernel;
  int pair[2];
  memset(&here, 0, sizeof here);
  here.sin_family = AF_INET;
  here.sin_port = htons((uint16_t)number_at(s, 9));
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  memset(&here6, 0, sizeof here6);
  here6.sin6_family = AF_INET6;
  here6.sin6_port = here.sin_port;
  here6.sin6_addr.s6_addr[15] = 1;
  memset(&kernel, 0, sizeof kernel);
  kernel.nl_family = AF_NETLINK;
  talk_to(s, "tcp", AF_INET, SOCK_STREAM, &here, sizeof here);
  talk_to(s, "udp", AF_INET, SOCK_DGRAM, &here, sizeof here);
  talk_to(s, "tcp6", AF_INET6, SOCK_STREAM, &here6, sizeof here6);
  talk_to(s, "raw", AF_INET, SOCK_RAW, &here, sizeof here);
  talk_to(s, "netlink", AF_NETLINK, SOCK_RAW, &kernel, sizeof kernel);
  note_result(s, "socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  note_result(s, "vsock", socket(40, SOCK_STREAM, 0));
  note_result(s, "packet", socket(AF_PACKET, SOCK_RAW, 0));
  note_result(s, "kernel's crypto", socket(AF_ALG, SOCK_SEQPACKET, 0));
}

/* `at`: the path or name of a socket. */
static void reach_unix(const scene *s) {
  struct sockaddr_un name;
  size_t len = strlen(s->at);
  memset(&name, 0, sizeof name);
  name.sun_family = AF_UNIX;
  if (len + 2 > sizeof name.sun_path) return;
  memcpy(name.sun_path, s->at, len);
  talk_to(s, "unix", AF_UNIX, SOCK_STREAM, &name, sizeof name);
  memcpy(name.sun_path + 1, s->at, len + 1);
  name.sun_path[0] = 0;
  talk_to(s, "abstract", AF_UNIX, SOCK_STREAM, &name,
          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len));
}

/* Objects without a file that outlive a process, for another game or engine to find. */
static void reach_ipc(const scene *s) {
  int id = shmget(0x5a4d, 4096, IPC_CREAT | 0600);
  note_result(s, "shared memory", id);
  if (id >= 0) shmctl(id, IPC_RMID, NULL);
  id = msgget(0x5a4d, IPC_CREAT | 0600);
  note_result(s, "message queue", id);
  if (id >= 0) msgctl(id, IPC_RMID, NULL);
  id = shm_open("/sandboard-hostile", O_CREAT | O_RDWR, 0600);
  note_result(s, "named memory", id);
  if (id >= 0) shm_unlink("/sandboard-hostile");
}

/* ---- The kernel ---- */

/* System calls that no game needs; if one is allowed, it changes nothing permanently. */
static void reach_kernel(const scene *s) {
  static char nothing[256];
  struct { uint64_t a[16]; } zero = { { 0 } };
  note_result(s, "setuid 0", setuid(0));
  note_result(s, "setgid 0", setgid(0));
  note_result(s, "new user namespace", unshare(CLONE_NEWUSER));
  note_result(s, "new mount namespace", unshare(CLONE_NEWNS));
  note_result(s, "mount", mount("none", "/nowhere", "tmpfs", 0, NULL));
  note_result(s, "umount", umount2("/nowhere", 0));
  note_result(s, "chroot", chroot("/nowhere"));
  note_result(s, "pivot_root", syscall(SYS_pivot_root, "/nowhere", "/nowhere"));
  note_result(s, "sethostname", syscall(SYS_sethostname, nothing, -1));
  note_result(s, "bpf", syscall(SYS_bpf, 0, &zero, sizeof zero));
  note_result(s, "perf_event_open", syscall(SYS_perf_event_open, &zero, 0, -1, -1, 0));
  note_result(s, "io_uring", syscall(SYS_io_uring_setup, 1, nothing));
  note_result(s, "userfaultfd", syscall(SYS_userfaultfd, 1));
  note_result(s, "add_key", syscall(SYS_add_key, "user", "sandboard", "x", 1, -3));
  note_result(s, "keyctl", syscall(SYS_keyctl, 0, -3, 0));
  note_result(s, "kexec", syscall(SYS_kexec_load, 0, (unsigned long)-1, 0, (unsigned long)-1));
  note_result(s, "init_module", syscall(SYS_init_module, nothing, 0, ""));
  note_result(s, "personality", syscall(SYS_personality, 0x0040000));
  note_result(s, "syslog", syscall(SYS_syslog, 10, NULL, 0));
  note_result(s, "open_by_handle_at", syscall(SYS_open_by_handle_at, AT_FDCWD, nothing, 0));
  note_result(s, "set clock", syscall(SYS_clock_settime, 99, NULL));
  note_result(s, "seccomp", syscall(SYS_seccomp, 2, 0, NULL));
  note_result(s, "new privileges", prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
  /* Simulates a key press in an inherited terminal. */
  note_result(s, "type into stdin", ioctl(0, TIOCSTI, ""));
  note_result(s, "type into stdout", ioctl(1, TIOCSTI, ""));
  note_result(s, "type into stderr", ioctl(2, TIOCSTI, ""));
}

/* ---- Another program ---- */

static void exec_program(const scene *s) {
  static char *const arguments[] = { (char *)"sh", (char *)"-c", (char *)"exit 0", NULL };
  static char *const none[] = { NULL };
  int file = open("/bin/sh", O_RDONLY);
  note_result(s, "execveat", syscall(SYS_execveat, file, "", arguments, none, AT_EMPTY_PATH));
  note_result(s, "execve", execve("/bin/sh", arguments, none));
}

/* Runs data as code. */
static void make_code(const scene *s) {
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  note_result(s, "page to write and run", page == MAP_FAILED ? -1 : 0);
}

const act ACTS_REACH[] = {
  { "reach-processes", reach_processes },
  { "really-kill-parent", really_kill_parent },
  { "really-kill-named", really_kill_named },
  { "really-trace-me", really_trace_me },
  { "reach-network", reach_network },
  { "reach-unix", reach_unix },
  { "reach-ipc", reach_ipc },
  { "reach-kernel", reach_kernel },
  { "exec", exec_program },
  { "make-code", make_code },
  { NULL, NULL },
};
