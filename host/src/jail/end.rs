//! How a jailed process ended. Judges nobody.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The end of a jailed process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// How it died.
    pub how: Death,
    /// The last of what it wrote to standard output and standard error, as clean text.
    pub output: String,
    /// All that it wrote there, as far as it was read.
    pub output_bytes: u64,
    /// CPU time that it took, in microseconds.
    pub cpu_us: u64,
    /// The most memory that it had at one time.
    pub peak_memory_bytes: u64,
}

/// How a process died.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Death {
    /// It ended by itself, with this code.
    Exited(i32),
    /// A signal killed it.
    Signal {
        /// The signal's number on this system.
        number: i32,
        /// Whether the host sent it: what is killed after it died by itself is not `ours`.
        ours: bool,
    },
    /// Nobody is left who could tell: its init was killed.
    Unknown,
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exited with code {code}"),
            Self::Signal { ours: true, .. } => f.write_str("was killed by its host"),
            Self::Signal { number, .. } => match signal_name(*number) {
                Some(name) => write!(f, "was killed by {name}"),
                None => write!(f, "was killed by signal {number}"),
            },
            Self::Unknown => f.write_str("ended, nobody knows how"),
        }
    }
}

/// The name of a signal that ends processes, such as `SIGSEGV`.
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
