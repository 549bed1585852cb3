//! Stores which native libraries and programs the operator trusts, by the SHA-256 of their bytes.
//! Names and paths do not matter. Loads no engine; the loader reads the grants.
//!
//! Invariant: a store that is damaged, or writable by others, is an error. It is never treated as
//! empty, nor as trusting everything.

mod grants;
mod store;

#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;

pub use grants::{BUILDS_KEPT, Grant, GrantSource, Grants, check_sha256};
pub use store::TrustStore;

/// Why the grants cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The user's data folder is unknown.
    #[error("there is no folder for the grants of trust: set SANDBOARD_HOME to a folder")]
    NoHome,
    /// Other users may have changed the store.
    #[error("the grants of trust are not protected: {0}")]
    NotPrivate(io::Error),
    /// The system refused a step.
    #[error("cannot {step} {}: {source}", path.display())]
    Io {
        /// The step: `read`, `write`, `lock` or `open`.
        step: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The content of the file is invalid.
    #[error(
        "{}: {reason}; repair the file, or start an empty one with `sandboard untrust --all`",
        location_text(path, *location)
    )]
    Damaged {
        path: PathBuf,
        /// Line and column from 1, if known.
        location: Option<(usize, usize)>,
        /// What is wrong.
        reason: String,
    },
    /// The file has a version that this host does not read.
    #[error(
        "{}: the grants have version {found}, and this host reads version {}; use the `sandboard` \
         that wrote them, or set SANDBOARD_HOME to another folder",
        path.display(), store::VERSION
    )]
    Version {
        path: PathBuf,
        /// The version of the file.
        found: u64,
    },
}

fn location_text(path: &std::path::Path, location: Option<(usize, usize)>) -> String {
    match location {
        Some((line, column)) => format!("{}:{line}:{column}", path.display()),
        None => path.display().to_string(),
    }
}
