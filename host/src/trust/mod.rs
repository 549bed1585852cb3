//! Which native modules the operator lets run: by the SHA-256 of their bytes, whatever
//! they are called and wherever they lie. Knows no engine and loads none; the loader asks.
//!
//! Invariant: a store that is damaged, or that others may write to, is an error: it is
//! never taken for an empty one, nor for one that trusts everything.

mod grants;
mod store;

#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;

pub use grants::{BUILDS_KEPT, Grant, Grants, How, check_sha256};
pub use store::Store;

/// Why it cannot be told, or not be changed, what is trusted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// No variable says where the user's data belongs.
    #[error("there is no place for what you trust: set SANDBOARD_HOME to a folder")]
    NoHome,
    /// Others may have written what is there.
    #[error("what is trusted cannot be relied on: {0}")]
    NotPrivate(io::Error),
    /// The system refused a step.
    #[error("cannot {step} {}: {source}", path.display())]
    Io {
        /// What was tried.
        step: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not what this host writes.
    #[error(
        "{}: {reason}; repair the file, or let `sandboard untrust --all` begin a new one, in which \
         nothing is trusted", place(path, *at)
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Line and column, where there is a place.
        at: Option<(usize, usize)>,
        /// What is wrong there.
        reason: String,
    },
    /// The file is of another host's version.
    #[error(
        "{}: what is trusted is written in version {found} here, and this host reads version {}; \
         use the `sandboard` that wrote it, or name another folder in SANDBOARD_HOME",
        path.display(), store::VERSION
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version that it names.
        found: u64,
    },
}

fn place(path: &std::path::Path, at: Option<(usize, usize)>) -> String {
    match at {
        Some((line, column)) => format!("{}:{line}:{column}", path.display()),
        None => path.display().to_string(),
    }
}
