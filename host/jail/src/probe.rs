//! A jailed process that tries actions and reports the results, for `sandboard doctor` and tests.
//! It reads one action after another from its channel.

use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsRawFd;

use serde::{Deserialize, Serialize};

use super::{ChildContext, Layer, Layers, Role};

mod allowed;
mod forbidden;
mod forbidden_calls;
mod open_ended;

/// An action that a probe can try.
pub struct ProbeAction {
    /// Its name on the probe's channel.
    pub name: &'static str,
    /// One line for users about the action.
    pub about: &'static str,
    /// The outcome that the jail should cause.
    pub expected: ExpectedOutcome,
    run: fn(&ChildContext, &str) -> io::Result<String>,
}

/// The outcome that the jail should cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedOutcome {
    /// Refused to every role, with one of these errors.
    Forbidden(&'static [i32]),
    /// The file does not exist or cannot be opened. Without landlock and a root of its own, files
    /// are visible to [`Role::Native`].
    NoFile,
    /// A path says nothing: roles that need no files get EPERM. [`Role::Native`] learns which
    /// files exist in its root, which is the host's without [`Layer::MountNamespace`].
    NoPath,
    /// Allowed to every role.
    Allowed,
    /// Allowed to [`Role::Native`] only. The other roles get one of these errors.
    NativeOnly(&'static [i32]),
    /// Not fixed, because it depends on the argument or ends the process. The test or the doctor
    /// judges it.
    Open,
}

/// The result of an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeResult {
    /// Its name, and an argument.
    pub act: String,
    /// None: the action succeeded. Some: the number of the system's error; 0 if the error has none.
    pub refused: Option<i32>,
    /// The result, or the text of the error.
    pub words: String,
}

impl ProbeAction {
    /// Whether the action has one expected outcome.
    pub fn has_expected_outcome(&self) -> bool {
        self.expected != ExpectedOutcome::Open
    }

    /// Whether this outcome is as expected with these layers. Open-ended actions may have any
    /// outcome.
    pub fn is_expected(&self, role: Role, layers: &Layers, refused: Option<i32>) -> bool {
        let open_files = !layers.has(Layer::Landlock) && !layers.has(Layer::MountNamespace);
        let among = |errors: &[i32]| refused.is_some_and(|number| errors.contains(&number));
        match self.expected {
            ExpectedOutcome::Forbidden(errors) => among(errors),
            ExpectedOutcome::NoFile if role == Role::Native && open_files => true,
            ExpectedOutcome::NoFile => among(&[libc::EPERM, libc::EACCES, libc::ENOENT]),
            ExpectedOutcome::NoPath => match role {
                Role::Native if !layers.has(Layer::MountNamespace) => true,
                Role::Native => among(&[libc::ENOENT]),
                _ => among(&[libc::EPERM]),
            },
            ExpectedOutcome::NativeOnly(errors) if role != Role::Native => among(errors),
            ExpectedOutcome::NativeOnly(_) | ExpectedOutcome::Allowed => refused.is_none(),
            ExpectedOutcome::Open => true,
        }
    }
}

/// All actions that a probe can try.
pub fn probe_actions() -> impl Iterator<Item = &'static ProbeAction> {
    [forbidden_calls::ACTIONS, forbidden::ACTIONS, allowed::ACTIONS, open_ended::ACTIONS]
        .into_iter()
        .flatten()
}

/// The code of a probe: reads one action in each line of its channel, with an argument after a
/// blank, and answers with one line of JSON.
pub fn serve(context: ChildContext) -> i32 {
    let Ok(channel) = context.channel.try_clone() else { return 1 };
    for line in BufReader::new(channel).lines() {
        let Ok(act) = line else { return 0 };
        let (name, argument) = act.split_once(' ').unwrap_or((&act, ""));
        let done = match probe_actions().find(|it| it.name == name) {
            Some(found) => (found.run)(&context, argument),
            None => Err(io::Error::other("unknown action")),
        };
        let tried = match done {
            Ok(words) => ProbeResult { act, refused: None, words },
            Err(error) => {
                let number = error.raw_os_error().unwrap_or(0);
                ProbeResult { act, refused: Some(number), words: error.to_string() }
            }
        };
        let Ok(mut answer) = serde_json::to_vec(&tried) else { return 1 };
        answer.push(b'\n');
        if (&context.channel).write_all(&answer).is_err() {
            return 1;
        }
    }
    0
}

/// Makes a system call whose arguments are numbers, null or the address of a constant.
fn call(number: libc::c_long, arguments: [usize; 6]) -> io::Result<String> {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: numbers, null and a constant text; no action maps over or frees memory in use.
    to_result(unsafe { libc::syscall(number, a, b, c, d, e, f) })
}

/// The result of a system call, or its error.
fn to_result(result: libc::c_long) -> io::Result<String> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        value => Ok(value.to_string()),
    }
}

/// Makes a futex call on a number of its own, which is 0.
fn futex(operation: libc::c_int) -> io::Result<String> {
    let number = std::sync::atomic::AtomicU32::new(0);
    let operation = operation | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the number lives until the call is over, which does not wait for a free futex.
    to_result(unsafe { libc::syscall(libc::SYS_futex, number.as_ptr(), operation, 1, 0, 0, 0) })
}

/// Gives this advice on a page of its own.
fn advise(advice: libc::c_int) -> io::Result<String> {
    const PAGE_BYTES: usize = 64 << 10;
    let (access, flags) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: new memory at an address that the system chooses.
    let place = unsafe { libc::mmap(std::ptr::null_mut(), PAGE_BYTES, access, flags, -1, 0) };
    if place == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the pages were just mapped and are not in use.
    let done = to_result(unsafe { libc::madvise(place, PAGE_BYTES, advice) }.into());
    // SAFETY: as above.
    unsafe { libc::munmap(place, PAGE_BYTES) };
    done
}

/// Reads an option of a socket.
fn socket_option(socket: &impl AsRawFd, option: libc::c_int) -> io::Result<String> {
    let mut value = [0_u8; 64];
    let mut bytes = value.len() as libc::socklen_t;
    let (socket, level) = (socket.as_raw_fd(), libc::SOL_SOCKET);
    // SAFETY: value and length are valid for writes, and the length is that of the value.
    to_result(
        unsafe { libc::getsockopt(socket, level, option, value.as_mut_ptr().cast(), &mut bytes) }
            .into(),
    )
}

/// Receives a byte with these flags.
fn receive(socket: &impl AsRawFd, flags: libc::c_int) -> io::Result<String> {
    let mut byte = [0_u8];
    // SAFETY: the byte is valid for writes.
    let received = unsafe { libc::recv(socket.as_raw_fd(), byte.as_mut_ptr().cast(), 1, flags) };
    to_result(received as libc::c_long)
}

fn parent() -> usize {
    // SAFETY: this call only returns a number.
    unsafe { libc::getppid() as usize }
}

/// Handles a call that returns twice if it is allowed. The second process ends at once.
fn check_fork(result: libc::c_long) -> io::Result<String> {
    if result == 0 {
        // SAFETY: this only ends the new process.
        unsafe { libc::_exit(0) }
    }
    to_result(result)
}
