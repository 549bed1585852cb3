//! What is refused because of its arguments, or by another layer than the filter of
//! calls. The near ones that are allowed stand in `allowed.rs`.

use std::fs::{File, OpenOptions};
use std::io;

use libc::{EBADF, EMFILE, ENOMEM, ENOSYS, EPERM, c_long};

use super::{Act, Verdict, call, came, forked, parent};

const REFUSED: Verdict = Verdict::Forbidden(&[EPERM]);
const UNKNOWN: Verdict = Verdict::Forbidden(&[ENOSYS]);

const fn act(
    name: &'static str,
    about: &'static str,
    verdict: Verdict,
    run: fn(&crate::jail::Cell, &str) -> io::Result<String>,
) -> Act {
    Act { name, about, verdict, run }
}

pub const ACTS: &[Act] = &[
    // Processes.
    // SAFETY: a new process ends at once.
    act("fork", "fork", REFUSED, |_, _| forked(unsafe { libc::fork() }.into())),
    act("fork-call", "fork by the oldest call", REFUSED, |_, _| fork_call()),
    act("clone-vfork", "clone that waits", REFUSED, |_, _| clone(libc::CLONE_VFORK)),
    act("clone-parent", "clone a sibling", REFUSED, |_, _| clone(libc::CLONE_PARENT)),
    act("clone-user", "clone with a namespace", REFUSED, |_, _| clone(libc::CLONE_NEWUSER)),
    act("clone-pid", "clone with a namespace", REFUSED, |_, _| clone(libc::CLONE_NEWPID)),
    act("clone3", "clone by the newest call", UNKNOWN, |_, _| call(libc::SYS_clone3, [0; 6])),
    // Signals.
    act("kill-parent", "signal the parent", REFUSED, |_, _| {
        call(libc::SYS_kill, [parent(), 0, 0, 0, 0, 0])
    }),
    act("kill-all", "signal everybody", REFUSED, |_, _| {
        call(libc::SYS_kill, [-1_isize as usize, 0, 0, 0, 0, 0])
    }),
    act("kill-group", "signal the process group", REFUSED, |_, _| call(libc::SYS_kill, [0; 6])),
    act("tgkill-parent", "signal the parent's thread", REFUSED, |_, _| {
        call(libc::SYS_tgkill, [parent(), parent(), 0, 0, 0, 0])
    }),
    act("sigqueue-parent", "signal the parent, with a word", REFUSED, |_, _| {
        call(libc::SYS_rt_sigqueueinfo, [parent(), 0, 0, 0, 0, 0])
    }),
    act("own-input", "have another process signalled", REFUSED, |_, _| {
        call(libc::SYS_fcntl, [0, libc::F_SETOWN as usize, parent(), 0, 0, 0])
    }),
    act("async-input", "be signalled on input", REFUSED, |_, _| {
        call(libc::SYS_fcntl, [0, libc::F_SETFL as usize, libc::O_ASYNC as usize, 0, 0, 0])
    }),
    act("ptrace-parent", "attach to the parent", REFUSED, |_, _| {
        call(libc::SYS_ptrace, [libc::PTRACE_SEIZE as usize, parent(), 0, 0, 0, 0])
    }),
    act("ptrace-me", "be traced", REFUSED, |_, _| call(libc::SYS_ptrace, [0; 6])),
    // What it is itself.
    act("outlive", "outlive its init", REFUSED, |_, _| prctl(libc::PR_SET_PDEATHSIG, 0)),
    act("dumpable", "be open to others", REFUSED, |_, _| prctl(libc::PR_SET_DUMPABLE, 1)),
    act("subreaper", "adopt processes", REFUSED, |_, _| prctl(libc::PR_SET_CHILD_SUBREAPER, 1)),
    act("keep-caps", "keep capabilities", REFUSED, |_, _| prctl(libc::PR_SET_KEEPCAPS, 1)),
    act("move-brk", "change its memory's map", REFUSED, |_, _| prctl(libc::PR_SET_MM, 1)),
    act("limits-parent", "read the parent's limits", REFUSED, |_, _| {
        call(libc::SYS_prlimit64, [parent(), libc::RLIMIT_NOFILE as usize, 0, 0, 0, 0])
    }),
    act("affinity-parent", "move the parent to a processor", REFUSED, |_, _| {
        call(libc::SYS_sched_setaffinity, [parent(), 0, 0, 0, 0, 0])
    }),
    act("raise-limit", "raise its own limits", REFUSED, |_, _| raise_limit()),
    act("seccomp", "change the filter of calls", UNKNOWN, |_, _| {
        call(libc::SYS_seccomp, [1, 0, 0, 0, 0, 0])
    }),
    // Devices.
    act("type-for-us", "type at the terminal", REFUSED, |_, _| {
        call(libc::SYS_ioctl, [0, libc::TIOCSTI as usize, 0, 0, 0, 0])
    }),
    act("pipe-size", "make a pipe larger", REFUSED, |_, _| {
        call(libc::SYS_fcntl, [1, libc::F_SETPIPE_SZ as usize, 1 << 20, 0, 0, 0])
    }),
    act("send-to", "send to an address", REFUSED, |_, _| {
        call(libc::SYS_sendto, [0, 0, 0, 0, 1, 1])
    }),
    // Calls that are not there.
    act("userfaultfd", "handle its own page faults", UNKNOWN, |_, _| {
        call(libc::SYS_userfaultfd, [0; 6])
    }),
    act("io_uring", "make a ring of requests", UNKNOWN, |_, _| {
        call(libc::SYS_io_uring_setup, [0; 6])
    }),
    act("memfd", "make memory that no limit counts", UNKNOWN, |_, _| {
        call(libc::SYS_memfd_create, [c"x".as_ptr() as usize, 0, 0, 0, 0, 0])
    }),
    act("futex-requeue", "a call that is not on the list", REFUSED, |_, _| call(456, [0; 6])),
    act("next-call", "the first call nobody knows", UNKNOWN, |_, _| call(457, [0; 6])),
    act("no-call", "a call that is none", UNKNOWN, |_, _| call(100_000, [0; 6])),
    act("x32-call", "a call of the x32 interface", UNKNOWN, |_, _| call(0x4000_0000, [0; 6])),
    // Files.
    act("open-passwd", "open /etc/passwd", Verdict::NoFile, |_, _| open("/etc/passwd")),
    act("open-environment", "open another process's environment", Verdict::NoFile, |_, _| {
        open("/proc/1/environ")
    }),
    act("open-memory", "open its own memory as a file", Verdict::NoFile, |_, _| {
        open("/proc/self/mem")
    }),
    act("open-terminal", "open the terminal", Verdict::NoFile, |_, _| open("/dev/tty")),
    act("make-file", "make a file in /tmp", REFUSED, |_, _| make("/tmp/sandboard-probe")),
    act("make-file-root", "make a file in the root", REFUSED, |_, _| make("/sandboard-probe")),
    act("make-file-lib", "make a file among libraries", REFUSED, |_, _| {
        make("/usr/lib/sandboard-probe")
    }),
    act("make-nameless", "make a file without a name", REFUSED, |_, _| {
        let flags = libc::O_TMPFILE | libc::O_RDWR;
        let call = |path: &std::ffi::CStr| {
            // SAFETY: the text lives.
            came(unsafe { libc::open(path.as_ptr(), flags, 0o600) }.into())
        };
        call(c"/usr/lib")
    }),
    // Limits.
    act("map-much", "take 1 GiB more than it may", Verdict::Forbidden(&[ENOMEM]), |_, _| {
        super::allowed::map(limit_bytes() + (1 << 30))
    }),
    act("many-descriptors", "open 1000 descriptors", Verdict::Forbidden(&[EMFILE]), |_, _| {
        many_descriptors()
    }),
    act("high-descriptor", "use a high descriptor", Verdict::Forbidden(&[EBADF]), |_, _| {
        call(libc::SYS_dup3, [0, 1000, 0, 0, 0, 0])
    }),
];

fn clone(more: libc::c_int) -> io::Result<String> {
    let flags = (more | libc::SIGCHLD) as usize;
    // SAFETY: without CLONE_VM a new process has its own copy of the stack, and ends at once.
    forked(unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) })
}

/// On machines that have it; elsewhere the same by `clone`.
fn fork_call() -> io::Result<String> {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a new process ends at once.
    return forked(unsafe { libc::syscall(libc::SYS_fork) });
    #[cfg(not(target_arch = "x86_64"))]
    clone(0)
}

fn prctl(what: libc::c_int, value: usize) -> io::Result<String> {
    call(libc::SYS_prctl, [what as usize, value, 0, 0, 0, 0])
}

fn open(path: &str) -> io::Result<String> {
    File::open(path).map(|_| String::new())
}

fn make(path: &str) -> io::Result<String> {
    OpenOptions::new().write(true).create(true).truncate(false).open(path).map(|_| String::new())
}

/// What the limit of memory of this process is, whichever it has.
fn limit_bytes() -> usize {
    let limit = |what| rustix::process::getrlimit(what).current.unwrap_or(u64::MAX);
    let bytes = limit(rustix::process::Resource::As).min(limit(rustix::process::Resource::Data));
    // Of a process without a limit this is more than any machine has, and near none.
    usize::try_from(bytes).unwrap_or(usize::MAX).min(1 << 46)
}

/// Those it gets it gives back.
fn many_descriptors() -> io::Result<String> {
    let input = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
    let copies = (0..1000).map(|_| input.try_clone());
    copies.collect::<io::Result<Vec<_>>>().map(|copies| copies.len().to_string())
}

fn raise_limit() -> io::Result<String> {
    let limit = libc::rlimit { rlim_cur: 4096, rlim_max: 4096 };
    let arguments = (libc::RLIMIT_NOFILE, &raw const limit);
    // SAFETY: the limit lives until the call is over.
    came(unsafe { libc::syscall(libc::SYS_prlimit64, 0, arguments.0, arguments.1, 0) as c_long })
}
