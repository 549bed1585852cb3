//! The request for a jailed process, what the process receives, and the errors. Values only.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A stream between the host and a jailed process.
#[cfg(unix)]
pub use std::os::unix::net::UnixStream as Channel;

/// A stream between the host and a jailed process. This system has none.
#[cfg(not(unix))]
#[derive(Debug)]
pub enum Channel {}

#[cfg(not(unix))]
impl io::Read for Channel {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }
}

#[cfg(not(unix))]
impl io::Write for Channel {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match *self {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match *self {}
    }
}

/// The purpose of a jailed process, which decides what system calls it may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Loads a native library. May read the system's libraries.
    Native,
    /// Runs compiled wasm. Cannot open files.
    Wasm,
    /// Compiles wasm. Cannot open files.
    Compile,
    /// Becomes an external engine. May read the system's libraries.
    Program,
}

/// The program that a jailed process becomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Argument 0 of the program.
    pub name: String,
    /// The arguments after argument 0.
    pub arguments: Vec<String>,
    /// The absolute path of each file after the first, in one of
    /// [`PROGRAM_FOLDERS`](sandboard_common::jail_paths::PROGRAM_FOLDERS).
    pub file_paths: Vec<String>,
}

/// A request for a jailed process.
#[derive(Debug)]
pub struct SpawnRequest {
    /// The purpose of the process.
    pub role: Role,
    /// The memory that it may use, in bytes, in addition to what the process itself and its threads
    /// need.
    pub memory_bytes: u64,
    /// The limit of its CPU time, in seconds; then the system kills it.
    pub cpu_s: Option<u64>,
    /// The size of the largest file that it may write, in bytes.
    pub file_bytes: u64,
    /// The files that it receives, in this order. The first is the library for [`Role::Native`] and
    /// the program for [`Role::Program`].
    pub files: Vec<File>,
    /// The program that it becomes, for [`Role::Program`]. The channel is its standard input and
    /// output.
    pub program: Option<Program>,
}

/// What a jailed process receives.
#[derive(Debug)]
pub struct ChildContext {
    /// The purpose of the process.
    pub role: Role,
    /// The channel of the calls and answers.
    pub channel: Channel,
    /// The channel of stop requests, which are read while a call is in progress.
    pub stop_channel: Channel,
    /// The files of the request, in the same order.
    pub files: Vec<File>,
    /// The path of the library for the system's loader, for [`Role::Native`]. It is a copy that no
    /// other process writes to.
    pub library: Option<PathBuf>,
}

/// The code that `sandboard zygote` runs.
pub struct ZygoteHooks {
    /// Runs once, before the first fork. It must not start a thread. It should touch little memory,
    /// because each fork copies its page tables.
    pub prepare: fn(),
    /// The code of a jailed process. It returns the exit code.
    pub serve: fn(ChildContext) -> i32,
}

/// Why there is no jail, or no jailed process.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JailError {
    /// This system cannot jail processes.
    #[error("there is no jail on this system: {0}")]
    Unsupported(String),
    /// The zygote does not start.
    #[error("cannot start `{} zygote`, which makes the jailed processes: {cause}", program.display())]
    Start {
        /// The program that the host tried to run.
        program: PathBuf,
        /// The error of the system, or of the first message.
        cause: io::Error,
    },
    /// The zygote has ended or sent an invalid message, and a second one did so, too.
    #[error("the zygote, which makes the jailed processes, does not answer: {0}")]
    Zygote(String),
    /// The zygote could not make or confine the process.
    #[error("cannot jail a process: {0}")]
    Refused(String),
    /// The request has more files than one message can carry.
    #[error("{0} files for one jailed process; at most {1} are possible")]
    TooManyFiles(usize, usize),
}
