//! Becoming a program, once. A filter asks about every `execveat` of the inmate; its init
//! answers the first, which is this project's own and made before anything of the program has
//! run, and leaves: from then on nobody is there to ask, and the system refuses each of them.

use std::ffi::{CString, c_char};
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use rustix::event::{PollFd, PollFlags};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{Resource, Rlimit};

use super::init::Birth;
use super::{Program, confine, wire};

/// The ends of inmate and init of a socket by which the one hands the other what is asked.
pub fn door() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
}

/// From here on, for good, this process and what it becomes must ask before an `execveat`.
/// Hands the init what it is asked by.
pub fn ask_before(asks: &OwnedFd) -> io::Result<()> {
    let step = |code: u32, jt: u8, jf: u8, k: u32| {
        let code = code as u16;
        libc::sock_filter { code, jt, jf, k }
    };
    let load_number = step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0);
    let is_execveat = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    let answer = libc::BPF_RET | libc::BPF_K;
    let mut steps = [
        load_number,
        step(is_execveat, 0, 1, libc::SYS_execveat as u32),
        step(answer, 0, 0, libc::SECCOMP_RET_USER_NOTIF),
        step(answer, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
    // SAFETY: the steps and what points to them live until the call is over.
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
    // SAFETY: the system has just made it, for nobody else.
    let listener = unsafe { OwnedFd::from_raw_fd(listener as i32) };
    wire::send(asks, &(), &[listener.as_fd()])
}

/// `_IOWR('!', 0, struct seccomp_notif)` and `_IOWR('!', 1, struct seccomp_notif_resp)`.
const RECEIVE: libc::Ioctl = request(0, size_of::<libc::seccomp_notif>());
const ANSWER: libc::Ioctl = request(1, size_of::<libc::seccomp_notif_resp>());

const fn request(number: u32, bytes: usize) -> libc::Ioctl {
    const BOTH_WAYS: u32 = 3;
    (BOTH_WAYS << 30 | (bytes as u32) << 16 | (b'!' as u32) << 8 | number) as libc::Ioctl
}

/// The init's part: waits until it is asked, says yes, and will not be asked again. Ok as well
/// where the inmate ended before.
pub fn admit_one(asked: &OwnedFd) -> io::Result<()> {
    // Nothing comes of an inmate that could not be confined, which it tells itself.
    let Some(packet) = wire::receive::<()>(asked)? else { return Ok(()) };
    let Some(listener) = packet.descriptors.into_iter().next() else {
        return Err(io::Error::other("nothing to be asked by"));
    };
    let mut polled = [PollFd::new(&listener, PollFlags::IN)];
    while matches!(rustix::event::poll(&mut polled, None), Err(rustix::io::Errno::INTR)) {}
    // SAFETY: a plain structure of numbers, which the system wants to be nought.
    let mut question: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: it is there to be written.
    if unsafe { libc::ioctl(listener.as_raw_fd(), RECEIVE, &raw mut question) } != 0 {
        let error = io::Error::last_os_error();
        // It ended before it asked, or in asking.
        return if error.raw_os_error() == Some(libc::ENOENT) { Ok(()) } else { Err(error) };
    }
    let mut answer = libc::seccomp_notif_resp {
        id: question.id,
        val: 0,
        error: 0,
        flags: libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
    };
    // SAFETY: it is there to be read.
    match unsafe { libc::ioctl(listener.as_raw_fd(), ANSWER, &raw mut answer) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// All that is needed to become a program, made while there is memory.
pub struct Becoming {
    arguments: Vec<CString>,
}

impl Becoming {
    /// What an order says. Err: an argument holds a NUL.
    pub fn of(program: &Program) -> io::Result<Self> {
        let texts = [&program.name].into_iter().chain(&program.arguments);
        let arguments = texts.map(|text| CString::new(text.as_str())).collect::<Result<_, _>>()?;
        Ok(Self { arguments })
    }

    /// Becomes the first file that was handed over. Back only with why it cannot.
    pub fn become_it(&self, birth: &Birth) -> String {
        let mut arguments: Vec<*const c_char> =
            self.arguments.iter().map(|text| text.as_ptr()).collect();
        arguments.push(std::ptr::null());
        let environment: [*const c_char; 1] = [std::ptr::null()];
        let error = match prepare(birth) {
            // SAFETY: texts and lists, each ended by NUL, live until the call is over.
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

/// The last things to do before; from here on there is little memory. Ok: the program.
fn prepare(birth: &Birth) -> io::Result<i32> {
    let program = birth.files.first().ok_or(io::ErrorKind::NotFound)?;
    confine::put_at(&birth.channel, libc::STDIN_FILENO)?;
    confine::put_at(&birth.channel, libc::STDOUT_FILENO)?;
    // SAFETY: a handler of nobody is taken away; this process has one thread. What is
    // ignored here would be ignored by the program, too.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let most = birth.request.memory_bytes.saturating_add(confine::NATIVE_MARGIN_BYTES);
    let limit = Rlimit { current: Some(most), maximum: Some(most) };
    rustix::process::setrlimit(Resource::As, limit)?;
    Ok(program.as_raw_fd())
}
