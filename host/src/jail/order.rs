//! What a host orders of the jail, what the jailed process is given, and why there is
//! none. Values only.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A stream between host and inmate.
#[cfg(unix)]
pub use std::os::unix::net::UnixStream as Channel;

/// A stream between host and inmate: there is none on this system.
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

/// What the process is for, and so which calls of the system it may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Loads a native library, and may read the libraries of the system for it.
    Native,
    /// Runs compiled wasm. Opens no file.
    Wasm,
    /// Compiles wasm. Opens no file.
    Compile,
    /// Becomes a program, and may read the libraries of the system for it.
    Program,
}

/// The program that an inmate becomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// What it is called: its argument 0.
    pub name: String,
    /// Its arguments after that.
    pub arguments: Vec<String>,
    /// Where it finds the files after the first: whole paths in one of [`PROGRAM_FOLDERS`].
    pub shown: Vec<String>,
}

/// Where a program finds its files, to be read only.
pub const PROGRAM_FOLDER: &str = "/own";
/// Where it finds those that it looks for where its system's packages have them.
pub const SHARED_FOLDER: &str = "/usr/share";
/// Both.
pub const PROGRAM_FOLDERS: [&str; 2] = [PROGRAM_FOLDER, SHARED_FOLDER];

/// A process to be made.
#[derive(Debug)]
pub struct Order {
    /// What it is for.
    pub role: Role,
    /// What it may have of memory, beside what the process itself and its threads need.
    pub memory_bytes: u64,
    /// CPU time after which the system kills it.
    pub cpu_s: Option<u64>,
    /// The longest file that it may write.
    pub file_bytes: u64,
    /// What it is handed, in this order. Of [`Role::Native`] the first is the library, of
    /// [`Role::Program`] the program.
    pub files: Vec<File>,
    /// Of [`Role::Program`], what it becomes; its channel is its standard input and output.
    pub program: Option<Program>,
}

/// What a jailed process has.
#[derive(Debug)]
pub struct Cell {
    /// What it is for.
    pub role: Role,
    /// The protocol.
    pub channel: Channel,
    /// Words that overtake the protocol.
    pub stops: Channel,
    /// What it was handed, in the same order.
    pub files: Vec<File>,
    /// [`Role::Native`]: where the loader of the system finds the first file. It is a copy
    /// that nobody else writes to.
    pub library: Option<PathBuf>,
}

/// What `sandboard zygote` does.
pub struct Zygote {
    /// Runs once, before anything is forked. It must start no thread and stay small: every
    /// page that it touches is paid for by each fork.
    pub prepare: fn(),
    /// What a jailed process runs; the result is its exit code.
    pub serve: fn(Cell) -> i32,
}

/// Why there is no jail, or no inmate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JailError {
    /// This system cannot keep anybody.
    #[error("there is no jail on this system: {0}")]
    NoJail(String),
    /// The zygote does not start.
    #[error("cannot start `{} zygote`, which makes the jailed processes: {cause}", program.display())]
    Start {
        /// What was run.
        program: PathBuf,
        /// Why it does not.
        cause: io::Error,
    },
    /// The zygote has died, or says what is no answer, and so does the one started instead.
    #[error("the process that makes the jailed ones does not answer: {0}")]
    Zygote(String),
    /// The zygote could not make the process, or not confine it.
    #[error("cannot jail a process: {0}")]
    Refused(String),
    /// More files than can be handed over.
    #[error("{0} files for one jailed process; at most {1} can be handed over")]
    TooManyFiles(usize, usize),
}
