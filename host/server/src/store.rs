//! The store of the server: open rooms and finished bouts, behind a trait with one implementation
//! for each database. It knows no rules and parses no records.

mod columns;
#[cfg(feature = "postgres")]
mod postgres;
mod queries;
mod sqlite;
#[cfg(test)]
mod tests;

use std::sync::Arc;

#[cfg(feature = "postgres")]
pub(crate) use postgres::Postgres;
pub(crate) use sqlite::Sqlite;

pub use sandboard_arena::database::DatabaseLocation;
pub(crate) use sandboard_arena::database::{StoreError, StoreFuture};

/// A change to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Write {
    /// Inserts or updates a room, without its record.
    Room {
        id: String,
        /// The room's state, as JSON.
        about: String,
    },
    /// Updates the record of a room's bout. Ignored if the room does not exist.
    Record {
        /// The room's id.
        id: String,
        /// The record, as JSON.
        record: String,
    },
    /// Inserts a finished bout, or replaces the one with the same id.
    Bout(Box<FinishedBout>),
    /// Deletes a room.
    Remove {
        /// The room's id.
        id: String,
    },
}

/// A stored room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredRoom {
    pub(crate) id: String,
    /// As in [`Write::Room`].
    pub(crate) about: String,
    /// As in [`Write::Record`]; none: its bout had not begun.
    pub(crate) record: Option<String>,
}

/// A finished bout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FinishedBout {
    /// The id of the bout and of its room.
    pub(crate) id: String,
    pub(crate) game: String,
    pub(crate) variant: String,
    /// The players' names.
    pub(crate) names: Vec<String>,
    /// The ids of the engines that played.
    pub(crate) engines: Vec<String>,
    /// The result, in one sentence.
    pub(crate) sentence: String,
    /// The result: `0` or `1` for the winning side, `draw`, or `aborted`.
    pub(crate) result: String,
    /// The number of plies.
    pub(crate) plies: u32,
    /// When it ended, in milliseconds since 1970.
    pub(crate) ended_ms: i64,
    /// The record; empty in lists.
    pub(crate) record: String,
}

/// Selects bouts. Empty texts match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BoutQuery {
    /// The game's id.
    pub(crate) game: String,
    /// Part of a player's name, ignoring case.
    pub(crate) name: String,
    /// The id of an engine that played.
    pub(crate) engine: String,
    pub(crate) result: String,
    /// Only bouts before this one, by end time and id.
    pub(crate) before: Option<(i64, String)>,
    /// The most bouts to return.
    pub(crate) limit: u32,
}

/// Opens the store at this location, and creates it if it does not exist; none: in memory, lost
/// with the last clone.
pub(crate) async fn open(
    location: Option<&DatabaseLocation>,
) -> Result<Arc<dyn Store>, StoreError> {
    match location {
        None => Ok(Arc::new(Sqlite::in_memory().await?)),
        Some(DatabaseLocation::File(file)) => Ok(Arc::new(Sqlite::open(file).await?)),
        #[cfg(feature = "postgres")]
        Some(DatabaseLocation::Server(url)) => Ok(Arc::new(Postgres::open(url).await?)),
        #[cfg(not(feature = "postgres"))]
        Some(DatabaseLocation::Server(url)) => Err(StoreError::unsupported(url)),
    }
}

/// Stores rooms and bouts.
pub(crate) trait Store: Send + Sync {
    /// Applies all of these writes, or none.
    fn commit<'a>(&'a self, writes: &'a [Write]) -> StoreFuture<'a, ()>;

    /// Returns all rooms, ordered by id.
    fn rooms(&self) -> StoreFuture<'_, Vec<StoredRoom>>;

    /// Returns the record of a room's bout.
    fn record<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<String>>;

    /// Returns a bout with its record.
    fn bout<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<FinishedBout>>;

    /// Returns bouts without their records, newest first.
    fn bouts<'a>(&'a self, query: &'a BoutQuery) -> StoreFuture<'a, Vec<FinishedBout>>;

    /// Returns the number of finished bouts.
    fn count(&self) -> StoreFuture<'_, u64>;
}
