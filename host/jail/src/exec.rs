//! Executes a program, exactly once. A filter reports every `execveat` of the process to its init.
//! Init allows the first, which this crate makes before any code of the program has run, and closes
//! the listener. From then on the kernel refuses every `execveat`.

use std::ffi::{CString, c_char};
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use rustix::event::{PollFd, PollFlags};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{Resource, Rlimit};

use super::init::ChildSetup;
use super::{Program, messages, restrictions};

/// The sockets by which the process sends init the listener of its filter.
pub(crate) fn exec_permission_sockets() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
}

/// Installs the filter, permanently for this process and the program that it becomes. Sends the
/// listener of the filter to init.
pub(crate) fn install_exec_filter(sender: &OwnedFd) -> io::Result<()> {
    let step = |code: u32, jt: u8, jf: u8, k: u32| {
        let code = code as u16;
        libc::sock_filter { code, jt, jf, k }
    };
    let load_number = step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0);
    let is_execveat = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    let response = libc::BPF_RET | libc::BPF_K;
    let mut steps = [
        load_number,
        step(is_execveat, 0, 1, libc::SYS_execveat as u32),
        step(response, 0, 0, libc::SECCOMP_RET_USER_NOTIF),
        step(response, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
    // SAFETY: the filter and the pointer to it live until the call is over.
    let listener = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        )
    };
    if listener < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the system has just made this descriptor, and it has no other owner.
    let listener = unsafe { OwnedFd::from_raw_fd(listener as i32) };
    messages::send(sender, &(), &[listener.as_fd()])
}

/// `_IOWR('!', 0, struct seccomp_notif)` and `_IOWR('!', 1, struct seccomp_notif_resp)`.
const RECEIVE: libc::Ioctl = request(0, size_of::<libc::seccomp_notif>());
const RESPOND: libc::Ioctl = request(1, size_of::<libc::seccomp_notif_resp>());

const fn request(number: u32, bytes: usize) -> libc::Ioctl {
    const BOTH_WAYS: u32 = 3;
    (BOTH_WAYS << 30 | (bytes as u32) << 16 | (b'!' as u32) << 8 | number) as libc::Ioctl
}

/// Runs in init: waits for the first `execveat`, allows it and closes the listener. Ok also if the
/// process has already ended.
pub(crate) fn allow_one_exec(receiver: &OwnedFd) -> io::Result<()> {
    // A process that could not be confined sends no listener. It reports the failure itself.
    let Some(packet) = messages::receive::<()>(receiver)? else { return Ok(()) };
    let Some(listener) = packet.descriptors.into_iter().next() else {
        return Err(io::Error::other("the listener of the filter is missing"));
    };
    let mut polled = [PollFd::new(&listener, PollFlags::IN)];
    while matches!(rustix::event::poll(&mut polled, None), Err(rustix::io::Errno::INTR)) {}
    // SAFETY: a plain structure of numbers, which the system requires to be zero.
    let mut notification: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is valid for writes.
    if unsafe { libc::ioctl(listener.as_raw_fd(), RECEIVE, &raw mut notification) } != 0 {
        let error = io::Error::last_os_error();
        // The process ended before or during the call.
        return if error.raw_os_error() == Some(libc::ENOENT) { Ok(()) } else { Err(error) };
    }
    let mut response = libc::seccomp_notif_resp {
        id: notification.id,
        val: 0,
        error: 0,
        flags: libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
    };
    // SAFETY: the structure is valid for reads.
    match unsafe { libc::ioctl(listener.as_raw_fd(), RESPOND, &raw mut response) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Everything that `execveat` needs, allocated while there is memory.
pub(crate) struct ExecSetup {
    arguments: Vec<CString>,
}

impl ExecSetup {
    /// From the program of the request. Err: an argument contains a NUL.
    pub(crate) fn new(program: &Program) -> io::Result<Self> {
        let texts = [&program.name].into_iter().chain(&program.arguments);
        let arguments = texts.map(|text| CString::new(text.as_str())).collect::<Result<_, _>>()?;
        Ok(Self { arguments })
    }

    /// Executes the first file of the request. Returns only on failure, with the reason.
    pub(crate) fn exec(&self, setup: &ChildSetup) -> String {
        let mut arguments: Vec<*const c_char> =
            self.arguments.iter().map(|text| text.as_ptr()).collect();
        arguments.push(std::ptr::null());
        let environment: [*const c_char; 1] = [std::ptr::null()];
        let error = match prepare(setup) {
            // SAFETY: texts and lists end with NUL and live until the call is over.
            Ok(program) => unsafe {
                libc::syscall(
                    libc::SYS_execveat,
                    program,
                    c"".as_ptr(),
                    arguments.as_ptr(),
                    environment.as_ptr(),
                    libc::AT_EMPTY_PATH,
                );
                io::Error::last_os_error()
            },
            Err(error) => error,
        };
        format!("the program cannot be run: {error}")
    }
}

/// The last steps before `execveat`, after which little memory is left. Ok: the program.
fn prepare(setup: &ChildSetup) -> io::Result<i32> {
    let program = setup.files.first().ok_or(io::ErrorKind::NotFound)?;
    restrictions::duplicate_to(&setup.channel, libc::STDIN_FILENO)?;
    restrictions::duplicate_to(&setup.channel, libc::STDOUT_FILENO)?;
    // SAFETY: this restores the default handler, and the process has one thread. A signal that is
    // ignored here would also be ignored by the program.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let memory_max = setup.request.memory_bytes.saturating_add(restrictions::NATIVE_MARGIN_BYTES);
    let limit = Rlimit { current: Some(memory_max), maximum: Some(memory_max) };
    rustix::process::setrlimit(Resource::As, limit)?;
    Ok(program.as_raw_fd())
}
