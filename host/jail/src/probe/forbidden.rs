//! Actions that are refused because of their arguments, or by another layer than the filter of
//! system calls. The allowed variants are in `allowed.rs`.

use std::fs::{File, OpenOptions};
use std::io;

use libc::{EBADF, EMFILE, ENOMEM, ENOSYS, EPERM, c_long};

use super::{ExpectedOutcome, ProbeAction, call, check_fork, parent, to_result};

const REFUSED: ExpectedOutcome = ExpectedOutcome::Forbidden(&[EPERM]);
/// The option that gives a descriptor of the peer's process, from Linux 6.5 on.
const SO_PEERPIDFD: libc::c_int = 77;
const UNKNOWN: ExpectedOutcome = ExpectedOutcome::Forbidden(&[ENOSYS]);

const fn action(
    name: &'static str,
    about: &'static str,
    expected: ExpectedOutcome,
    run: fn(&crate::ChildContext, &str) -> io::Result<String>,
) -> ProbeAction {
    ProbeAction { name, about, expected, run }
}

pub(crate) const ACTIONS: &[ProbeAction] = &[
    // Processes.
    // SAFETY: a new process ends at once.
    action("fork", "fork", REFUSED, |_, _| check_fork(unsafe { libc::fork() }.into())),
    action("fork-call", "fork by the oldest call", REFUSED, |_, _| fork_call()),
    action("clone-vfork", "clone and wait", REFUSED, |_, _| clone(libc::CLONE_VFORK)),
    action("clone-parent", "clone a sibling", REFUSED, |_, _| clone(libc::CLONE_PARENT)),
    action("clone-user", "clone with a namespace", REFUSED, |_, _| clone(libc::CLONE_NEWUSER)),
    action("clone-pid", "clone with a namespace", REFUSED, |_, _| clone(libc::CLONE_NEWPID)),
    action("clone3", "clone by the newest call", UNKNOWN, |_, _| call(libc::SYS_clone3, [0; 6])),
    // Signals.
    action("kill-parent", "signal the parent", REFUSED, |_, _| {
        call(libc::SYS_kill, [parent(), 0, 0, 0, 0, 0])
    }),
    action("kill-all", "signal every process", REFUSED, |_, _| {
        call(libc::SYS_kill, [-1_isize as usize, 0, 0, 0, 0, 0])
    }),
    action("kill-group", "signal the process group", REFUSED, |_, _| call(libc::SYS_kill, [0; 6])),
    action("tgkill-parent", "signal the parent's thread", REFUSED, |_, _| {
        call(libc::SYS_tgkill, [parent(), parent(), 0, 0, 0, 0])
    }),
    action("sigqueue-parent", "signal the parent with a value", REFUSED, |_, _| {
        call(libc::SYS_rt_sigqueueinfo, [parent(), 0, 0, 0, 0, 0])
    }),
    action("own-input", "have another process signalled", REFUSED, |_, _| {
        call(libc::SYS_fcntl, [0, libc::F_SETOWN as usize, parent(), 0, 0, 0])
    }),
    action("async-input", "be signalled on input", REFUSED, |_, _| {
        call(libc::SYS_fcntl, [0, libc::F_SETFL as usize, libc::O_ASYNC as usize, 0, 0, 0])
    }),
    action("ptrace-parent", "attach to the parent", REFUSED, |_, _| {
        call(libc::SYS_ptrace, [libc::PTRACE_SEIZE as usize, parent(), 0, 0, 0, 0])
    }),
    action("ptrace-me", "be traced", REFUSED, |_, _| call(libc::SYS_ptrace, [0; 6])),
    // The attributes of the process itself.
    action("outlive", "outlive its init", REFUSED, |_, _| prctl(libc::PR_SET_PDEATHSIG, 0)),
    action("dumpable", "allow others to attach", REFUSED, |_, _| prctl(libc::PR_SET_DUMPABLE, 1)),
    action("subreaper", "adopt processes", REFUSED, |_, _| prctl(libc::PR_SET_CHILD_SUBREAPER, 1)),
    action("keep-caps", "keep capabilities", REFUSED, |_, _| prctl(libc::PR_SET_KEEPCAPS, 1)),
    action("move-brk", "change its memory's map", REFUSED, |_, _| prctl(libc::PR_SET_MM, 1)),
    action("limits-parent", "read the parent's limits", REFUSED, |_, _| {
        call(libc::SYS_prlimit64, [parent(), libc::RLIMIT_NOFILE as usize, 0, 0, 0, 0])
    }),
    action("affinity-parent", "move the parent to a processor", REFUSED, |_, _| {
        call(libc::SYS_sched_setaffinity, [parent(), 0, 0, 0, 0, 0])
    }),
    action("affinity-own", "move itself to a processor", REFUSED, |_, _| {
        call(libc::SYS_sched_setaffinity, [0; 6])
    }),
    action("raise-limit", "raise its own limits", REFUSED, |_, _| raise_limit()),
    action("seccomp", "change the filter of system calls", UNKNOWN, |_, _| {
        call(libc::SYS_seccomp, [1, 0, 0, 0, 0, 0])
    }),
    // Devices.
    action("type-for-us", "type into the terminal", REFUSED, |_, _| {
        call(libc::SYS_ioctl, [0, libc::TIOCSTI as usize, 0, 0, 0, 0])
    }),
    action("pipe-size", "make a pipe larger", REFUSED, |_, _| {
        call(libc::SYS_fcntl, [1, libc::F_SETPIPE_SZ as usize, 1 << 20, 0, 0, 0])
    }),
    action("send-to", "send to an address", REFUSED, |_, _| {
        call(libc::SYS_sendto, [0, 0, 0, 0, 1, 1])
    }),
    action("send-urgent", "send urgent data", REFUSED, |_, _| {
        call(libc::SYS_sendto, [0, 0, 0, libc::MSG_OOB as usize, 0, 0])
    }),
    action("send-uncopied", "send pages without a copy", REFUSED, |_, _| {
        call(libc::SYS_sendto, [0, 0, 0, libc::MSG_ZEROCOPY as usize, 0, 0])
    }),
    action("receive-urgent", "receive urgent data", REFUSED, |context, _| {
        super::receive(&context.channel, libc::MSG_OOB)
    }),
    action("receive-errors", "receive the errors of a socket", REFUSED, |context, _| {
        super::receive(&context.channel, libc::MSG_ERRQUEUE)
    }),
    action("peer", "read who the peer of a socket is", REFUSED, |context, _| {
        super::socket_option(&context.channel, libc::SO_PEERCRED)
    }),
    action("peer-pidfd", "get a handle of the peer of a socket", REFUSED, |context, _| {
        super::socket_option(&context.channel, SO_PEERPIDFD)
    }),
    // Operations whose allowed variants are in use all the time.
    action("futex-lock", "lock with inherited priority", REFUSED, |_, _| {
        super::futex(libc::FUTEX_LOCK_PI)
    }),
    action("futex-try", "try to lock with inherited priority", REFUSED, |_, _| {
        super::futex(libc::FUTEX_TRYLOCK_PI)
    }),
    action("futex-lock-2", "lock with inherited priority", REFUSED, |_, _| {
        super::futex(libc::FUTEX_LOCK_PI2)
    }),
    action("futex-wait", "wait with inherited priority", REFUSED, |_, _| {
        super::futex(libc::FUTEX_WAIT_REQUEUE_PI)
    }),
    action("merge-pages", "share pages that are equal", REFUSED, |_, _| {
        super::advise(libc::MADV_MERGEABLE)
    }),
    action("swap-out", "move memory to the swap", REFUSED, |_, _| {
        super::advise(libc::MADV_PAGEOUT)
    }),
    // Calls that answer as if they did not exist.
    action("userfaultfd", "handle its own page faults", UNKNOWN, |_, _| {
        call(libc::SYS_userfaultfd, [0; 6])
    }),
    action("io_uring", "create an io_uring", UNKNOWN, |_, _| {
        call(libc::SYS_io_uring_setup, [0; 6])
    }),
    action("memfd", "make memory that no limit counts", UNKNOWN, |_, _| {
        call(libc::SYS_memfd_create, [c"x".as_ptr() as usize, 0, 0, 0, 0, 0])
    }),
    action("futex-requeue", "a reviewed call that is not allowed", REFUSED, |_, _| {
        call(456, [0; 6])
    }),
    action("next-call", "the first call that was not reviewed", UNKNOWN, |_, _| call(457, [0; 6])),
    action("no-call", "a call that does not exist", UNKNOWN, |_, _| call(100_000, [0; 6])),
    action("x32-call", "a call of the x32 interface", UNKNOWN, |_, _| call(0x4000_0000, [0; 6])),
    // Files.
    action("stat-path", "read the status of a path", ExpectedOutcome::NoPath, |_, _| {
        let mut status = [0_u64; 64];
        let (path, status) = (c"/etc/passwd".as_ptr() as usize, status.as_mut_ptr() as usize);
        let (folder, flags) = (libc::AT_FDCWD as usize, libc::AT_EMPTY_PATH as usize);
        call(libc::SYS_newfstatat, [folder, path, status, flags, 0, 0])
    }),
    action("statx-path", "read the status of a path", ExpectedOutcome::NoPath, |_, _| {
        let mut status = [0_u64; 64];
        let (path, status) = (c"/etc/passwd".as_ptr() as usize, status.as_mut_ptr() as usize);
        let (folder, flags) = (libc::AT_FDCWD as usize, libc::AT_EMPTY_PATH as usize);
        call(libc::SYS_statx, [folder, path, flags, libc::STATX_SIZE as usize, status, 0])
    }),
    action("open-passwd", "open /etc/passwd", ExpectedOutcome::NoFile, |_, _| open("/etc/passwd")),
    action(
        "open-environment",
        "open another process's environment",
        ExpectedOutcome::NoFile,
        |_, _| open("/proc/1/environ"),
    ),
    action("open-memory", "open its own memory as a file", ExpectedOutcome::NoFile, |_, _| {
        open("/proc/self/mem")
    }),
    action("open-terminal", "open the terminal", ExpectedOutcome::NoFile, |_, _| open("/dev/tty")),
    action("make-file", "make a file in /tmp", REFUSED, |_, _| make("/tmp/sandboard-probe")),
    action("make-file-root", "make a file in the root", REFUSED, |_, _| make("/sandboard-probe")),
    action("make-file-lib", "make a file among libraries", REFUSED, |_, _| {
        make("/usr/lib/sandboard-probe")
    }),
    action("make-nameless", "make an unnamed file", REFUSED, |_, _| {
        let flags = libc::O_TMPFILE | libc::O_RDWR;
        let call = |path: &std::ffi::CStr| {
            // SAFETY: the path lives until the call is over.
            to_result(unsafe { libc::open(path.as_ptr(), flags, 0o600) }.into())
        };
        call(c"/usr/lib")
    }),
    // Memory that no limit counts.
    action("map-shared", "share memory without a file", REFUSED, |_, _| {
        map_with(libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1)
    }),
    action("map-shared-validate", "share memory by the newer flag", REFUSED, |_, _| {
        map_with(libc::MAP_SHARED_VALIDATE | libc::MAP_ANONYMOUS, -1)
    }),
    action("map-shared-file", "share a file for writing", REFUSED, |_, _| {
        map_with(libc::MAP_SHARED, 0)
    }),
    action("map-shared-file-validate", "share a file by the newer flag", REFUSED, |_, _| {
        map_with(libc::MAP_SHARED_VALIDATE, 0)
    }),
    action("map-grows-down", "map memory that grows by itself", REFUSED, |_, _| {
        map_with(libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_GROWSDOWN, -1)
    }),
    action("open-zero", "open /dev/zero", ExpectedOutcome::NoFile, |_, _| open("/dev/zero")),
    action("raise-stack", "raise the limit of its stack", REFUSED, |_, _| {
        set_limit(libc::RLIMIT_STACK as usize, 1 << 40)
    }),
    // Limits.
    action(
        "map-much",
        "map 1 GiB more than its limit",
        ExpectedOutcome::Forbidden(&[ENOMEM]),
        |_, _| super::allowed::map(limit_bytes() + (1 << 30)),
    ),
    action(
        "many-descriptors",
        "open 1000 descriptors",
        ExpectedOutcome::Forbidden(&[EMFILE]),
        |_, _| many_descriptors(),
    ),
    action(
        "high-descriptor",
        "use a descriptor above the limit",
        ExpectedOutcome::Forbidden(&[EBADF]),
        |_, _| call(libc::SYS_dup3, [0, 1000, 0, 0, 0, 0]),
    ),
];

fn clone(more: libc::c_int) -> io::Result<String> {
    let flags = (more | libc::SIGCHLD) as usize;
    // SAFETY: without CLONE_VM a new process has its own copy of the stack, and ends at once.
    check_fork(unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) })
}

/// Calls `fork` on machines that have the system call, else `clone`.
fn fork_call() -> io::Result<String> {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a new process ends at once.
    return check_fork(unsafe { libc::syscall(libc::SYS_fork) });
    #[cfg(not(target_arch = "x86_64"))]
    clone(0)
}

fn prctl(option: libc::c_int, value: usize) -> io::Result<String> {
    call(libc::SYS_prctl, [option as usize, value, 0, 0, 0, 0])
}

fn open(path: &str) -> io::Result<String> {
    File::open(path).map(|_| String::new())
}

fn make(path: &str) -> io::Result<String> {
    OpenOptions::new().write(true).create(true).truncate(false).open(path).map(|_| String::new())
}

/// The limit of this process's memory, in bytes.
fn limit_bytes() -> usize {
    let limit = |resource| rustix::process::getrlimit(resource).current.unwrap_or(u64::MAX);
    let bytes = limit(rustix::process::Resource::As).min(limit(rustix::process::Resource::Data));
    // Without a limit: more than any machine has, and small enough to add to.
    usize::try_from(bytes).unwrap_or(usize::MAX).min(1 << 46)
}

/// Opens many descriptors and closes them again.
fn many_descriptors() -> io::Result<String> {
    let input = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
    let copies = (0..1000).map(|_| input.try_clone());
    copies.collect::<io::Result<Vec<_>>>().map(|copies| copies.len().to_string())
}

fn raise_limit() -> io::Result<String> {
    set_limit(libc::RLIMIT_NOFILE as usize, 4096)
}

fn set_limit(resource: usize, value: u64) -> io::Result<String> {
    let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: the limit lives until the call is over.
    to_result(unsafe {
        libc::syscall(libc::SYS_prlimit64, 0, resource, &raw const limit, 0) as c_long
    })
}

/// Maps a page with these flags.
fn map_with(flags: libc::c_int, file: libc::c_int) -> io::Result<String> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: new memory at an address that the system chooses.
    let place = unsafe { libc::mmap(std::ptr::null_mut(), 4096, access, flags, file, 0) };
    match place == libc::MAP_FAILED {
        true => Err(io::Error::last_os_error()),
        false => Ok(String::new()),
    }
}
