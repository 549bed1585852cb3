//! System calls that computing does not need. Each is refused, whatever its arguments. The
//! arguments used here would do no harm if the call were allowed.

use libc::{EPERM, c_long};

use super::{ExpectedOutcome, ProbeAction, call};

const REFUSED: ExpectedOutcome = ExpectedOutcome::Forbidden(&[EPERM]);

macro_rules! refused {
    ($($number:ident $about:literal,)*) => {
        &[$(ProbeAction {
            name: stringify!($number),
            about: $about,
            expected: REFUSED,
            run: |_, _| call(libc::$number as c_long, [0; 6]),
        },)*]
    };
}

#[rustfmt::skip]
pub(crate) const ACTIONS: &[ProbeAction] = refused![
    // Contact with other processes.
    SYS_socket "open a socket",
    SYS_socketpair "make a pair of sockets",
    SYS_bind "give a socket an address",
    SYS_connect "connect a socket",
    SYS_listen "listen on a socket",
    SYS_accept4 "accept a connection",
    SYS_sendmsg "send descriptors",
    SYS_recvmsg "receive descriptors",
    SYS_pidfd_open "open a handle of a process",
    SYS_pidfd_send_signal "signal a process by its handle",
    SYS_pidfd_getfd "take a descriptor from a process",
    SYS_process_vm_readv "read another process's memory",
    SYS_process_vm_writev "write another process's memory",
    SYS_process_madvise "advise on another process's memory",
    SYS_kcmp "compare processes",
    SYS_tkill "signal a thread of another process",
    SYS_shmget "share memory by key",
    SYS_semget "share semaphores by key",
    SYS_msgget "share a message queue by key",
    SYS_mq_open "share a message queue by name",
    // Changes of identity.
    SYS_execve "run another program",
    SYS_execveat "run another program by descriptor",
    SYS_setuid "become another user",
    SYS_setgid "become another group",
    SYS_setresuid "become another user",
    SYS_setgroups "join groups",
    SYS_capset "take capabilities",
    SYS_setsid "create a session",
    SYS_setpgid "create a process group",
    SYS_personality "change its execution domain",
    SYS_setpriority "change its priority",
    SYS_sched_setscheduler "change its scheduling",
    SYS_sched_setattr "change its scheduling",
    SYS_ioprio_set "change its I/O priority",
    SYS_unshare "create namespaces",
    SYS_setns "enter namespaces",
    // Changes to the machine.
    SYS_mount "mount",
    SYS_umount2 "unmount",
    SYS_mount_setattr "change a mount",
    SYS_open_tree "open a handle of a mount",
    SYS_fsopen "make a file system",
    SYS_pivot_root "change the root",
    SYS_chroot "change the root",
    SYS_chdir "change to another folder",
    SYS_reboot "restart the machine",
    SYS_sethostname "change the host name",
    SYS_settimeofday "set the clock",
    SYS_clock_settime "set the clock",
    SYS_init_module "load a kernel module",
    SYS_kexec_load "load another kernel",
    SYS_syslog "read the kernel's log",
    SYS_acct "record all processes",
    SYS_swapon "add swap",
    SYS_quotactl "set quotas",
    // Parts of the kernel with a history of weaknesses.
    SYS_bpf "load a program into the kernel",
    SYS_perf_event_open "read performance counters",
    SYS_keyctl "use the kernel's keys",
    SYS_add_key "add a key to the kernel",
    SYS_request_key "request a key of the kernel",
    SYS_io_uring_enter "submit requests to the kernel",
    SYS_landlock_create_ruleset "make landlock rules",
    SYS_fanotify_init "watch files",
    SYS_inotify_init1 "watch files",
    SYS_name_to_handle_at "get a file handle",
    SYS_open_by_handle_at "open a file by its handle",
    SYS_vmsplice "move memory into a pipe",
    SYS_splice "move data in the kernel",
    SYS_timer_create "make a timer",
    // Memory that no limit counts, or that cannot be swapped out.
    SYS_memfd_secret "make secret memory",
    SYS_mlock "lock memory",
    SYS_mlockall "lock all memory",
    SYS_mbind "bind memory to a node",
    // Changes of files by name.
    SYS_unlinkat "delete a file",
    SYS_mkdirat "make a folder",
    SYS_mknodat "make a device",
    SYS_symlinkat "make a link",
    SYS_linkat "make a link",
    SYS_renameat2 "rename a file",
    SYS_fchmodat "change a file's mode",
    SYS_fchmod "change a file's mode",
    SYS_fchownat "change a file's owner",
    SYS_truncate "truncate a file",
    SYS_utimensat "change a file's times",
    SYS_setxattr "change a file's attributes",
];
