//! Databases as server and arena keep them: files of SQLite, and databases of a server of PostgreSQL. What both share is
//! here. Knows no table: what a database holds is said by those who keep something in it.
//!
//! Invariant: no type of a database's library is in what stores offer; no password is in any message.

mod place;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod sqlite;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

pub use place::{Place, TypedPlace, Url};

/// A future of a store.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Why something is not kept, or not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database cannot be opened.
    #[error("cannot open the store {place}: {reason}")]
    Open {
        /// Which.
        place: String,
        /// What it says.
        reason: String,
    },
    /// It is a database of something else.
    #[error("{place} is a database, but not {what}")]
    Foreign {
        /// Which.
        place: String,
        /// What it was to be.
        what: &'static str,
    },
    /// It is of a later host.
    #[error("the store {place} is of version {found}, and this host writes version {known}")]
    Version {
        /// Which.
        place: String,
        /// Its version.
        found: i64,
        /// The version that is written here.
        known: i64,
    },
    /// A step failed.
    #[error("cannot {step}: {reason}")]
    Failed {
        /// Which.
        step: &'static str,
        /// What the database says.
        reason: String,
    },
}

#[cfg(not(feature = "postgres"))]
impl StoreError {
    /// This host cannot open what is on a server.
    pub(crate) fn unsupported(url: &Url) -> Self {
        let reason = "this sandboard was built without PostgreSQL (the feature `postgres`)";
        Self::Open { place: url.to_string(), reason: reason.into() }
    }
}

/// How long one waits for another.
pub const PATIENCE: Duration = Duration::from_secs(10);
