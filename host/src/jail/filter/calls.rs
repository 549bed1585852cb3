//! The lists: calls of the system that roles may make, freely or on conditions. To add one,
//! ask what it could do to another process, to a file or to memory that no limit counts.

use libc::c_long;

use super::{Row, Test};
use crate::jail::Role;

/// The C library tries these first and takes an older call where there is none.
/// `memfd_create` makes memory that no limit counts; wasmtime does without. `seccomp` is
/// allowed until this filter itself is there.
pub const DISPENSABLE: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_memfd_create,
    libc::SYS_openat2,
    libc::SYS_faccessat2,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_seccomp,
];

/// `futex_requeue` is 456; what comes later nobody has looked at here. On x86-64 this
/// refuses the calls of its 32-bit pointer ABI, too: their numbers have a high bit.
pub const FIRST_UNKNOWN: c_long = 457;

/// Computing, memory, threads, time, and descriptors that are open.
const EVERYBODY: &[c_long] = &[
    // Memory. RLIMIT_AS or RLIMIT_DATA counts it.
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_mincore,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_membarrier,
    // Threads.
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
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
    // Signals to oneself; sending is on conditions.
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack,
    // Time and what one is.
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
    // Descriptors that are there.
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
    libc::SYS_recvfrom,
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

/// Finding files, which is for the loader of the system; landlock and the mounts say which
/// there are. Opening is on conditions.
const NATIVE_ONLY: &[c_long] = &[
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

/// A thread shares everything with its process and is in its namespaces. (`CLONE_NEWTIME`
/// is a bit of the signal here, as it always is in `clone`.)
const THREAD: Test = Test::Bits(
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

/// To be read only, and not made.
const READ_ONLY: Test = Test::Bits(
    (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | (libc::O_TMPFILE & !libc::O_DIRECTORY))
        as u64,
    0,
);

// Requests of ioctl have one type with one C library and another with the next.
#[allow(clippy::unnecessary_cast)]
const EVERYBODY_ON_CONDITIONS: &[(c_long, &[Row])] = &[
    (libc::SYS_clone, &[&[(0, THREAD)]]),
    // The owner of a descriptor's signals could be another process: no F_SETOWN.
    (
        libc::SYS_fcntl,
        &[
            &[(1, Test::Is(libc::F_DUPFD as u64))],
            &[(1, Test::Is(libc::F_DUPFD_CLOEXEC as u64))],
            &[(1, Test::Is(libc::F_GETFD as u64))],
            &[(1, Test::Is(libc::F_SETFD as u64))],
            &[(1, Test::Is(libc::F_GETFL as u64))],
            // Nor O_ASYNC, by which they are asked for.
            &[(1, Test::Is(libc::F_SETFL as u64)), (2, Test::Bits(libc::O_ASYNC as u64, 0))],
        ],
    ),
    // Whether it is a terminal, how wide, how much is there to be read.
    (
        libc::SYS_ioctl,
        &[
            &[(1, Test::Is(libc::TCGETS as u64))],
            &[(1, Test::Is(libc::TIOCGWINSZ as u64))],
            &[(1, Test::Is(libc::FIONREAD as u64))],
            &[(1, Test::Is(libc::FIONBIO as u64))],
            &[(1, Test::Is(libc::FIOCLEX as u64))],
            &[(1, Test::Is(libc::FIONCLEX as u64))],
        ],
    ),
    (libc::SYS_kill, &[&[(0, Test::Oneself)]]),
    (libc::SYS_tgkill, &[&[(0, Test::Oneself)]]),
    (libc::SYS_rt_sigqueueinfo, &[&[(0, Test::Oneself)]]),
    (libc::SYS_rt_tgsigqueueinfo, &[&[(0, Test::Oneself)]]),
    // Nought is oneself, too.
    (libc::SYS_prlimit64, &[&[(0, Test::Is(0))], &[(0, Test::Oneself)]]),
    (libc::SYS_sched_setaffinity, &[&[(0, Test::Is(0))]]),
    // Names of threads and of memory. Not PR_SET_PDEATHSIG: it dies with its init.
    (
        libc::SYS_prctl,
        &[
            &[(0, Test::Is(libc::PR_SET_NAME as u64))],
            &[(0, Test::Is(libc::PR_GET_NAME as u64))],
            &[(0, Test::Is(libc::PR_GET_DUMPABLE as u64))],
            &[(0, Test::Is(libc::PR_SET_NO_NEW_PRIVS as u64))],
            &[(0, Test::Is(libc::PR_SET_VMA as u64))],
        ],
    ),
    // To whom it is connected: no address, no descriptors.
    (libc::SYS_sendto, &[&[(4, Test::Bits(u64::MAX, 0))]]),
    (libc::SYS_getsockopt, &[&[(1, Test::Is(libc::SOL_SOCKET as u64))]]),
    (
        libc::SYS_setsockopt,
        &[
            &[(1, Test::Is(libc::SOL_SOCKET as u64)), (2, Test::Is(libc::SO_RCVTIMEO as u64))],
            &[(1, Test::Is(libc::SOL_SOCKET as u64)), (2, Test::Is(libc::SO_SNDTIMEO as u64))],
        ],
    ),
    // For the second filter, which takes it away.
    (libc::SYS_seccomp, &[&[(0, Test::Is(libc::SECCOMP_SET_MODE_FILTER as u64))]]),
];

/// Of what is open, not of a path.
const OF_DESCRIPTORS: &[(c_long, &[Row])] = &[
    (
        libc::SYS_newfstatat,
        &[&[(3, Test::Bits(libc::AT_EMPTY_PATH as u64, libc::AT_EMPTY_PATH as u64))]],
    ),
    (
        libc::SYS_statx,
        &[&[(2, Test::Bits(libc::AT_EMPTY_PATH as u64, libc::AT_EMPTY_PATH as u64))]],
    ),
];

const OPENING: &[(c_long, &[Row])] = &[
    (libc::SYS_openat, &[&[(2, READ_ONLY)]]),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, &[&[(1, READ_ONLY)]]),
];

/// Becoming a program that is open: of this another filter asks the init, which admits one.
const BECOMING: &[(c_long, &[Row])] =
    &[(libc::SYS_execveat, &[&[(4, Test::Is(libc::AT_EMPTY_PATH as u64))]])];

/// Calls that a role may make with any argument.
pub fn freely(role: Role) -> impl Iterator<Item = c_long> {
    let more = match role {
        Role::Native | Role::Program => NATIVE_ONLY,
        Role::Wasm | Role::Compile => &[],
    };
    EVERYBODY.iter().chain(more).copied()
}

/// Calls that it may make with some.
pub fn on_conditions(role: Role) -> impl Iterator<Item = (c_long, &'static [Row])> {
    let (more, becoming): (&[_], &[_]) = match role {
        Role::Native => (OPENING, &[]),
        Role::Program => (OPENING, BECOMING),
        Role::Wasm | Role::Compile => (OF_DESCRIPTORS, &[]),
    };
    EVERYBODY_ON_CONDITIONS.iter().chain(more).chain(becoming).copied()
}
