//! How a jailed process ended. Draws no conclusion about the cause.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The end of a jailed process, as its init process measured it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitReport {
    /// Why the process ended.
    pub cause: ExitCause,
    /// The end of its standard output and standard error, at most 16 KiB, as clean text.
    pub output: String,
    /// The size of its whole output, as far as it was read, in bytes.
    pub output_bytes: u64,
    /// CPU time of the process, in microseconds.
    pub cpu_us: u64,
    /// The peak of its resident memory, in bytes.
    pub peak_memory_bytes: u64,
}

/// Why a process ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExitCause {
    /// The process exited with this code.
    Exited(i32),
    /// A signal killed it.
    Signal {
        /// The number of the signal on this system.
        number: i32,
        /// Whether the host sent the signal. If the process had already ended, a kill by the host
        /// does not count.
        by_host: bool,
    },
    /// The host or the kernel killed it because of the memory that it held.
    Memory {
        /// What it held when the host measured, in bytes. If the kernel killed it: at most the
        /// limit, because the kernel then refused to give it more.
        held_bytes: u64,
        /// The limit, in bytes.
        limit_bytes: u64,
    },
    /// Unknown, because its init process was killed, too.
    Unknown,
}

impl fmt::Display for ExitCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exited with code {code}"),
            Self::Signal { by_host: true, .. } => f.write_str("was killed by its host"),
            Self::Signal { number, .. } => match signal_name(*number) {
                Some(name) => write!(f, "was killed by {name}"),
                None => write!(f, "was killed by signal {number}"),
            },
            Self::Memory { held_bytes, limit_bytes } => {
                let (held, limit) = (held_bytes >> 20, limit_bytes >> 20);
                match held_bytes > limit_bytes {
                    true => {
                        write!(f, "held {held} MiB of memory, more than its limit of {limit} MiB")
                    }
                    false => write!(f, "needed more memory than its limit of {limit} MiB"),
                }
            }
            Self::Unknown => f.write_str("ended for an unknown reason"),
        }
    }
}

/// The name of a signal that ends processes, such as `SIGSEGV`. None: the number is unknown.
pub fn signal_name(number: i32) -> Option<&'static str> {
    NAMES.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

#[cfg(target_os = "linux")]
const NAMES: &[(i32, &str)] = &[
    (libc::SIGHUP, "SIGHUP"),
    (libc::SIGINT, "SIGINT"),
    (libc::SIGQUIT, "SIGQUIT"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGTRAP, "SIGTRAP"),
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGKILL, "SIGKILL"),
    (libc::SIGUSR1, "SIGUSR1"),
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGUSR2, "SIGUSR2"),
    (libc::SIGPIPE, "SIGPIPE"),
    (libc::SIGALRM, "SIGALRM"),
    (libc::SIGTERM, "SIGTERM"),
    (libc::SIGXCPU, "SIGXCPU"),
    (libc::SIGXFSZ, "SIGXFSZ"),
    (libc::SIGSYS, "SIGSYS"),
];

#[cfg(not(target_os = "linux"))]
const NAMES: &[(i32, &str)] = &[];
