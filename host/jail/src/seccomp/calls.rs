//! The system calls that each role may make, always or under conditions. Before you add one, ask
//! what it could do to another process, to a file, or to memory that no limit counts.

use libc::c_long;

use super::{ArgumentTest, RuleConditions};
use crate::Role;

/// The C library tries these first and uses an older call if they fail. `memfd_create` makes memory
/// that no limit counts; wasmtime does not need it. `seccomp` is allowed until this filter itself
/// is installed.
pub(crate) const OPTIONAL_CALLS: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_memfd_create,
    libc::SYS_openat2,
    libc::SYS_faccessat2,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_seccomp,
];

/// The first call that was not reviewed for this list; the last reviewed one is `futex_requeue`,
/// 456. On x86-64 this also refuses the calls of the x32 interface, whose numbers have a high bit.
pub(crate) const FIRST_UNREVIEWED: c_long = 457;

/// Computing, memory, threads, time, and open descriptors.
const ALL_ROLES: &[c_long] = &[
    // Memory. RLIMIT_AS or RLIMIT_DATA counts it, and the host what they do not count. Mapping has
    // conditions.
    libc::SYS_brk,
    libc::SYS_mincore,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_membarrier,
    // Threads.
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex_waitv,
    libc::SYS_get_robust_list,
    libc::SYS_getcpu,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_rseq,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    // Signals to the process itself. Sending has conditions.
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack,
    // Time, and the ids of the process.
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_nanosleep,
    libc::SYS_sysinfo,
    libc::SYS_times,
    libc::SYS_uname,
    // Open descriptors.
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_fadvise64,
    libc::SYS_fdatasync,
    libc::SYS_fstat,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_lseek,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_pselect6,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_shutdown,
    libc::SYS_write,
    libc::SYS_writev,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_arch_prctl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_dup2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_epoll_wait,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_select,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_time,
];

/// Finding files, for the system's loader. Landlock decides which can be opened, the mounts which
/// exist. Opening has conditions. Other roles have only `fstat`: a filter cannot read a path, so
/// with `statx` or `newfstatat` they could learn which files exist, whatever the flags.
const FILE_LOOKUP: &[c_long] = &[
    libc::SYS_faccessat,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_newfstatat,
    libc::SYS_pipe2,
    libc::SYS_readlinkat,
    libc::SYS_statx,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_access,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lstat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_pipe,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_readlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_stat,
];

/// Private mappings. Shared memory stays until the last page of it is unmapped, so no limit counts
/// what a process has touched and unmapped. A mapping that grows downwards grows past RLIMIT_DATA.
const PRIVATE_MAPPING: RuleConditions = &[(3, MAPPING_PRIVATE)];
const MAPPING_PRIVATE: ArgumentTest =
    ArgumentTest::Bits((libc::MAP_TYPE | libc::MAP_GROWSDOWN) as u64, libc::MAP_PRIVATE as u64);

/// Shared mappings of files that the process can only read: it cannot make the file larger, and the
/// pages are those of the system's cache.
const SHARED_FILE: u64 = (libc::MAP_TYPE | libc::MAP_ANONYMOUS | libc::MAP_GROWSDOWN) as u64;
const NOT_WRITABLE: ArgumentTest = ArgumentTest::Bits(libc::PROT_WRITE as u64, 0);
const READ_ONLY_FILE_MAPPINGS: [RuleConditions; 2] = [
    &[(2, NOT_WRITABLE), (3, ArgumentTest::Bits(SHARED_FILE, libc::MAP_SHARED as u64))],
    &[(2, NOT_WRITABLE), (3, ArgumentTest::Bits(SHARED_FILE, libc::MAP_SHARED_VALIDATE as u64))],
];

/// Memory of the process itself.
const MAP_PRIVATE_ONLY: &[(c_long, &[RuleConditions])] = &[(libc::SYS_mmap, &[PRIVATE_MAPPING])];

/// For external programs, which map their own files in either way. Such a process needs a layer
/// that closes files, so that it cannot open `/dev/zero`, whose shared mappings are anonymous.
const MAP_FILES_TOO: &[(c_long, &[RuleConditions])] =
    &[(libc::SYS_mmap, &[PRIVATE_MAPPING, READ_ONLY_FILE_MAPPINGS[0], READ_ONLY_FILE_MAPPINGS[1]])];

/// The alternative of a call with this advice on memory.
macro_rules! advice {
    ($advice:expr) => {
        &[(2, ArgumentTest::Is($advice as u64))]
    };
}

/// The alternative of a call with this option of a socket.
macro_rules! socket_option {
    ($option:expr) => {
        &[(1, ArgumentTest::Is(libc::SOL_SOCKET as u64)), (2, ArgumentTest::Is($option as u64))]
    };
}

/// Creation of a thread, which shares everything with its process and stays in its namespaces. (In
/// `clone`, `CLONE_NEWTIME` is a bit of the signal number.)
const THREAD: ArgumentTest = ArgumentTest::Bits(
    (libc::CLONE_THREAD
        | libc::CLONE_VM
        | libc::CLONE_SIGHAND
        | libc::CLONE_VFORK
        | libc::CLONE_PTRACE
        | libc::CLONE_UNTRACED
        | libc::CLONE_PARENT
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWCGROUP
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUSER
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNET
        | libc::CLONE_PIDFD) as u64,
    (libc::CLONE_THREAD | libc::CLONE_VM | libc::CLONE_SIGHAND) as u64,
);

/// Opening for reading, without creating a file.
const READ_ONLY: ArgumentTest = ArgumentTest::Bits(
    (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | (libc::O_TMPFILE & !libc::O_DIRECTORY))
        as u64,
    0,
);

/// Flags of `send` and `recv` that other programs have no use for.
const OTHER_SEND_FLAGS: u64 =
    !(libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL | libc::MSG_MORE | libc::MSG_EOR) as u32 as u64;
const OTHER_RECEIVE_FLAGS: u64 = !(libc::MSG_DONTWAIT
    | libc::MSG_NOSIGNAL
    | libc::MSG_PEEK
    | libc::MSG_TRUNC
    | libc::MSG_WAITALL) as u32 as u64;

/// A futex operation, for one process or several, with either clock.
const fn futex(operation: libc::c_int) -> ArgumentTest {
    let modifiers = libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME;
    ArgumentTest::Bits(!modifiers as u32 as u64, operation as u64)
}

/// Marks pages as guards, for stacks (Linux 6.13).
const MADV_GUARD_INSTALL: libc::c_int = 102;
const MADV_GUARD_REMOVE: libc::c_int = 103;

// The type of an ioctl request differs between C libraries.
#[allow(clippy::unnecessary_cast)]
const ALL_ROLES_CONDITIONAL: &[(c_long, &[RuleConditions])] = &[
    (libc::SYS_clone, &[&[(0, THREAD)]]),
    // The owner of a descriptor's signals could be another process: no F_SETOWN.
    (
        libc::SYS_fcntl,
        &[
            &[(1, ArgumentTest::Is(libc::F_DUPFD as u64))],
            &[(1, ArgumentTest::Is(libc::F_DUPFD_CLOEXEC as u64))],
            &[(1, ArgumentTest::Is(libc::F_GETFD as u64))],
            &[(1, ArgumentTest::Is(libc::F_SETFD as u64))],
            &[(1, ArgumentTest::Is(libc::F_GETFL as u64))],
            // Nor O_ASYNC, which requests such signals.
            &[
                (1, ArgumentTest::Is(libc::F_SETFL as u64)),
                (2, ArgumentTest::Bits(libc::O_ASYNC as u64, 0)),
            ],
        ],
    ),
    // Whether it is a terminal, its width, and how many bytes are available.
    (
        libc::SYS_ioctl,
        &[
            &[(1, ArgumentTest::Is(libc::TCGETS as u64))],
            &[(1, ArgumentTest::Is(libc::TIOCGWINSZ as u64))],
            &[(1, ArgumentTest::Is(libc::FIONREAD as u64))],
            &[(1, ArgumentTest::Is(libc::FIONBIO as u64))],
            &[(1, ArgumentTest::Is(libc::FIOCLEX as u64))],
            &[(1, ArgumentTest::Is(libc::FIONCLEX as u64))],
        ],
    ),
    (libc::SYS_kill, &[&[(0, ArgumentTest::OwnPid)]]),
    (libc::SYS_tgkill, &[&[(0, ArgumentTest::OwnPid)]]),
    (libc::SYS_rt_sigqueueinfo, &[&[(0, ArgumentTest::OwnPid)]]),
    (libc::SYS_rt_tgsigqueueinfo, &[&[(0, ArgumentTest::OwnPid)]]),
    // Zero also means the calling process.
    (libc::SYS_prlimit64, &[&[(0, ArgumentTest::Is(0))], &[(0, ArgumentTest::OwnPid)]]),
    // Names of threads and of memory. Not PR_SET_PDEATHSIG: the process must die with its init.
    (
        libc::SYS_prctl,
        &[
            &[(0, ArgumentTest::Is(libc::PR_SET_NAME as u64))],
            &[(0, ArgumentTest::Is(libc::PR_GET_NAME as u64))],
            &[(0, ArgumentTest::Is(libc::PR_GET_DUMPABLE as u64))],
            &[(0, ArgumentTest::Is(libc::PR_SET_NO_NEW_PRIVS as u64))],
            &[(0, ArgumentTest::Is(libc::PR_SET_VMA as u64))],
        ],
    ),
    // Only to the connected peer: no address, no descriptors, no urgent data, no pages without a
    // copy.
    (
        libc::SYS_sendto,
        &[&[(3, ArgumentTest::Bits(OTHER_SEND_FLAGS, 0)), (4, ArgumentTest::Bits(u64::MAX, 0))]],
    ),
    (libc::SYS_recvfrom, &[&[(3, ArgumentTest::Bits(OTHER_RECEIVE_FLAGS, 0))]]),
    // Not who the peer is: no SO_PEERCRED, no SO_PEERPIDFD.
    (
        libc::SYS_getsockopt,
        &[
            socket_option!(libc::SO_TYPE),
            socket_option!(libc::SO_DOMAIN),
            socket_option!(libc::SO_PROTOCOL),
            socket_option!(libc::SO_ERROR),
            socket_option!(libc::SO_ACCEPTCONN),
            socket_option!(libc::SO_SNDBUF),
            socket_option!(libc::SO_RCVBUF),
            socket_option!(libc::SO_RCVTIMEO),
            socket_option!(libc::SO_SNDTIMEO),
        ],
    ),
    // Waiting and waking. Not the operations that inherit priorities, which have a history of
    // weaknesses.
    (
        libc::SYS_futex,
        &[
            &[(1, futex(libc::FUTEX_WAIT))],
            &[(1, futex(libc::FUTEX_WAKE))],
            &[(1, futex(libc::FUTEX_REQUEUE))],
            &[(1, futex(libc::FUTEX_CMP_REQUEUE))],
            &[(1, futex(libc::FUTEX_WAKE_OP))],
            &[(1, futex(libc::FUTEX_WAIT_BITSET))],
            &[(1, futex(libc::FUTEX_WAKE_BITSET))],
        ],
    ),
    // Not MADV_MERGEABLE: how long a write to a merged page takes says what other processes have in
    // memory.
    (
        libc::SYS_madvise,
        &[
            advice!(libc::MADV_NORMAL),
            advice!(libc::MADV_RANDOM),
            advice!(libc::MADV_SEQUENTIAL),
            advice!(libc::MADV_WILLNEED),
            advice!(libc::MADV_DONTNEED),
            advice!(libc::MADV_FREE),
            advice!(libc::MADV_DONTFORK),
            advice!(libc::MADV_DOFORK),
            advice!(libc::MADV_HUGEPAGE),
            advice!(libc::MADV_NOHUGEPAGE),
            advice!(libc::MADV_DONTDUMP),
            advice!(libc::MADV_DODUMP),
            advice!(libc::MADV_WIPEONFORK),
            advice!(libc::MADV_KEEPONFORK),
            advice!(libc::MADV_POPULATE_READ),
            advice!(libc::MADV_POPULATE_WRITE),
            advice!(MADV_GUARD_INSTALL),
            advice!(MADV_GUARD_REMOVE),
        ],
    ),
    (
        libc::SYS_setsockopt,
        &[
            &[
                (1, ArgumentTest::Is(libc::SOL_SOCKET as u64)),
                (2, ArgumentTest::Is(libc::SO_RCVTIMEO as u64)),
            ],
            &[
                (1, ArgumentTest::Is(libc::SOL_SOCKET as u64)),
                (2, ArgumentTest::Is(libc::SO_SNDTIMEO as u64)),
            ],
        ],
    ),
    // For the second filter, which then refuses this call.
    (libc::SYS_seccomp, &[&[(0, ArgumentTest::Is(libc::SECCOMP_SET_MODE_FILTER as u64))]]),
];

const OPEN_READ_ONLY: &[(c_long, &[RuleConditions])] = &[
    (libc::SYS_openat, &[&[(2, READ_ONLY)]]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, &[&[(1, READ_ONLY)]]),
];

/// Execution of an open program. Another filter reports this call to init, which allows it once.
const EXEC_DESCRIPTOR: &[(c_long, &[RuleConditions])] =
    &[(libc::SYS_execveat, &[&[(4, ArgumentTest::Is(libc::AT_EMPTY_PATH as u64))]])];

/// The calls that a role may make with any arguments.
pub(crate) fn unconditional(role: Role) -> impl Iterator<Item = c_long> {
    let more = match role {
        Role::Native | Role::Program => FILE_LOOKUP,
        Role::Wasm | Role::Compile => &[],
    };
    ALL_ROLES.iter().chain(more).copied()
}

/// The calls that a role may make under conditions.
pub(crate) fn conditional(role: Role) -> impl Iterator<Item = (c_long, &'static [RuleConditions])> {
    let (files, mappings, becoming): (&[_], &[_], &[_]) = match role {
        Role::Native => (OPEN_READ_ONLY, MAP_PRIVATE_ONLY, &[]),
        Role::Program => (OPEN_READ_ONLY, MAP_FILES_TOO, EXEC_DESCRIPTOR),
        Role::Wasm | Role::Compile => (&[], MAP_PRIVATE_ONLY, &[]),
    };
    ALL_ROLES_CONDITIONAL.iter().chain(files).chain(mappings).chain(becoming).copied()
}
