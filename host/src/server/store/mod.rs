//! What the server keeps: rooms that go on, and bouts that are over. One trait, so that another
//! database can stand behind it; knows no rule, and reads no record.

mod columns;
#[cfg(test)]
mod conformance;
#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;

use std::sync::Arc;

#[cfg(feature = "postgres")]
pub use postgres::Postgres;
pub use sqlite::Sqlite;

pub use crate::database::{Pending, Place, StoreError};

/// Something to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// A room is there, with what is known of it beside its record.
    Room {
        /// Its id.
        id: String,
        /// JSON.
        about: String,
    },
    /// The record of a room's bout as it stands; of a room that is not there, nothing.
    Record {
        /// The room's id.
        id: String,
        /// JSON.
        record: String,
    },
    /// A bout is over; one of the same id is replaced.
    Bout(Box<Bout>),
    /// A room is no more.
    Remove {
        /// Its id.
        id: String,
    },
}

/// A room as it was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRoom {
    /// Its id.
    pub id: String,
    /// As in [`Write::Room`].
    pub about: String,
    /// As in [`Write::Record`]; none: its bout had not begun.
    pub record: Option<String>,
}

/// A bout that is over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bout {
    /// Its id: that of its room.
    pub id: String,
    /// The game's id.
    pub game: String,
    /// The variant's text.
    pub variant: String,
    /// Who played.
    pub names: Vec<String>,
    /// The ids of engines that played.
    pub engines: Vec<String>,
    /// How it ended, for people.
    pub sentence: String,
    /// How it ended, in a word: `0` or `1` for the side that won, `draw`, `aborted`.
    pub result: String,
    /// How many moves there were.
    pub plies: u32,
    /// When it ended, in milliseconds since 1970.
    pub ended_ms: i64,
    /// The record; empty in lists.
    pub record: String,
}

/// Which bouts are wanted. Empty texts want anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Of this game.
    pub game: String,
    /// With this in somebody's name, whatever the case.
    pub name: String,
    /// With this engine.
    pub engine: String,
    /// With this result.
    pub result: String,
    /// Older than this one: time and id.
    pub before: Option<(i64, String)>,
    /// At most so many.
    pub limit: u32,
}

/// The store in this place, which is made where it is not there; none: in memory, and gone with the last clone.
pub async fn open(place: Option<&Place>) -> Result<Arc<dyn Store>, StoreError> {
    match place {
        None => Ok(Arc::new(Sqlite::in_memory().await?)),
        Some(Place::File(file)) => Ok(Arc::new(Sqlite::open(file).await?)),
        #[cfg(feature = "postgres")]
        Some(Place::Server(url)) => Ok(Arc::new(Postgres::open(url).await?)),
        #[cfg(not(feature = "postgres"))]
        Some(Place::Server(url)) => Err(StoreError::unsupported(url)),
    }
}

/// A place where rooms and bouts are kept.
pub trait Store: Send + Sync {
    /// Keeps all of these, or none.
    fn commit<'a>(&'a self, writes: &'a [Write]) -> Pending<'a, ()>;

    /// All rooms, in the order of their ids.
    fn rooms(&self) -> Pending<'_, Vec<StoredRoom>>;

    /// The record of a room's bout that goes on.
    fn record<'a>(&'a self, id: &'a str) -> Pending<'a, Option<String>>;

    /// A bout with its record.
    fn bout<'a>(&'a self, id: &'a str) -> Pending<'a, Option<Bout>>;

    /// Bouts without their records, the latest first.
    fn bouts<'a>(&'a self, query: &'a Query) -> Pending<'a, Vec<Bout>>;

    /// How many bouts are over.
    fn count(&self) -> Pending<'_, u64>;
}
