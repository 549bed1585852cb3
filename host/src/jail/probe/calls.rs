//! Calls of the system that nobody who computes needs: each is refused, whatever its
//! arguments. Given nothing that would do harm, were it allowed.

use libc::{EPERM, c_long};

use super::{Act, Verdict, call};

const REFUSED: Verdict = Verdict::Forbidden(&[EPERM]);

macro_rules! refused {
    ($($number:ident $about:literal,)*) => {
        &[$(Act {
            name: stringify!($number),
            about: $about,
            verdict: REFUSED,
            run: |_, _| call(libc::$number as c_long, [0; 6]),
        },)*]
    };
}

#[rustfmt::skip]
pub const ACTS: &[Act] = refused![
    // To others.
    SYS_socket "open a socket",
    SYS_socketpair "make a pair of sockets",
    SYS_bind "give a socket an address",
    SYS_connect "connect a socket",
    SYS_listen "listen on a socket",
    SYS_accept4 "accept a connection",
    SYS_sendmsg "send descriptors",
    SYS_recvmsg "receive descriptors",
    SYS_pidfd_open "take hold of a process",
    SYS_pidfd_send_signal "signal a process held",
    SYS_pidfd_getfd "take a descriptor from a process",
    SYS_process_vm_readv "read another process's memory",
    SYS_process_vm_writev "write another process's memory",
    SYS_process_madvise "advise on another process's memory",
    SYS_kcmp "compare processes",
    SYS_tkill "signal a thread of anybody",
    SYS_shmget "share memory by number",
    SYS_semget "share semaphores by number",
    SYS_msgget "share messages by number",
    SYS_mq_open "share messages by name",
    // Becoming somebody.
    SYS_execve "run another program",
    SYS_execveat "run another program by descriptor",
    SYS_setuid "become another user",
    SYS_setgid "become another group",
    SYS_setresuid "become another user",
    SYS_setgroups "join groups",
    SYS_capset "take capabilities",
    SYS_setsid "begin a session",
    SYS_setpgid "begin a process group",
    SYS_personality "take another personality",
    SYS_setpriority "take a priority",
    SYS_sched_setscheduler "take another scheduling",
    SYS_sched_setattr "take another scheduling",
    SYS_ioprio_set "take a priority of input",
    SYS_unshare "make namespaces",
    SYS_setns "enter namespaces",
    // The machine.
    SYS_mount "mount",
    SYS_umount2 "unmount",
    SYS_mount_setattr "change a mount",
    SYS_open_tree "take hold of a mount",
    SYS_fsopen "make a file system",
    SYS_pivot_root "change the root",
    SYS_chroot "change the root",
    SYS_chdir "go to another folder",
    SYS_reboot "restart the machine",
    SYS_sethostname "name the machine",
    SYS_settimeofday "set the clock",
    SYS_clock_settime "set the clock",
    SYS_init_module "load a kernel module",
    SYS_kexec_load "load a kernel",
    SYS_syslog "read the kernel's log",
    SYS_acct "account processes",
    SYS_swapon "add swap",
    SYS_quotactl "set quotas",
    // Parts of the kernel with a history.
    SYS_bpf "load a program into the kernel",
    SYS_perf_event_open "count events of the processor",
    SYS_keyctl "use the kernel's keys",
    SYS_add_key "add a key to the kernel",
    SYS_request_key "ask for a key of the kernel",
    SYS_io_uring_enter "submit requests to the kernel",
    SYS_landlock_create_ruleset "make rules of landlock",
    SYS_fanotify_init "watch files",
    SYS_inotify_init1 "watch files",
    SYS_name_to_handle_at "name a file by number",
    SYS_open_by_handle_at "open a file by number",
    SYS_vmsplice "give memory to a pipe",
    SYS_splice "move data in the kernel",
    SYS_timer_create "make a timer",
    // Memory that is not counted, or not given back.
    SYS_memfd_secret "make memory that nobody sees",
    SYS_mlock "lock memory",
    SYS_mlockall "lock all memory",
    SYS_mbind "bind memory to a node",
    // Files by name.
    SYS_unlinkat "delete a file",
    SYS_mkdirat "make a folder",
    SYS_mknodat "make a device",
    SYS_symlinkat "make a link",
    SYS_linkat "make a link",
    SYS_renameat2 "rename a file",
    SYS_fchmodat "change a file's rights",
    SYS_fchmod "change a file's rights",
    SYS_fchownat "change a file's owner",
    SYS_truncate "cut a file",
    SYS_utimensat "change a file's times",
    SYS_setxattr "change a file's attributes",
];
