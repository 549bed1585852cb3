//! Opens the databases of servers, arenas and contests: SQLite files, and PostgreSQL databases.
//! Knows no tables: each kind of store brings its own schema.
//!
//! Invariant: the interface of stores contains no type of a database library, and no message
//! contains a password.

mod location;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod sqlite;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

pub use location::{DatabaseLocation, LocationArgument, Url};

/// A future of a store.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Why an operation of a store failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database cannot be opened.
    #[error("cannot open the store {location}: {reason}")]
    Open {
        /// The location of the database.
        location: String,
        /// Why it cannot be opened.
        reason: String,
    },
    /// The database belongs to another program or kind of store.
    #[error("{location} is a database, but not {description}")]
    Foreign {
        /// The location of the database.
        location: String,
        /// The expected kind.
        description: &'static str,
    },
    /// The database was written by a newer host.
    #[error("the store {location} has version {found}, and this host writes version {known}")]
    Version {
        /// The location of the database.
        location: String,
        /// The version of the database.
        found: i64,
        /// The version of this host.
        known: i64,
    },
    /// An operation failed.
    #[error("cannot {step}: {reason}")]
    Failed {
        /// The operation that failed.
        step: &'static str,
        /// The database's message.
        reason: String,
    },
}

#[cfg(not(feature = "postgres"))]
impl StoreError {
    /// The error for a database on a server that this host cannot open.
    pub fn unsupported(url: &Url) -> Self {
        let reason = "this sandboard was built without its client of PostgreSQL; `cargo build \
                      --package sandboard-cli` in the repository builds it with everything";
        Self::Open { location: url.to_string(), reason: reason.into() }
    }
}

/// The longest wait for a lock or a connection.
pub const WAIT_MAX: Duration = Duration::from_secs(10);
