//! `sandboard serve`: games in the browser, between people, engines, or both. Rooms with a
//! referee each, a store that nobody is ahead of, sockets for who plays and who watches.
//!
//! Invariant: no engine is called on a thread of the runtime, and no rule, clock or fault is
//! decided here: a room's bout is [`bout::run`](crate::bout::run) on a thread of its own.

mod arenas;
mod bucket;
mod client;
mod contests;
mod engines;
mod guard;
mod http;
mod hub;
mod lobby;
mod problem;
mod room;
mod socket;
mod start;
mod store;
mod supply;
mod upload;
mod watch;
mod wire;
mod writer;

use std::sync::Arc;

pub use hub::Settings;
pub use problem::{Answer, Kind, Problem};
pub use start::{Config, Running, StartError, start};
#[cfg(feature = "postgres")]
pub use store::Postgres;
pub use store::{Bout, Place, Query, Sqlite, Store, StoreError, StoredRoom, Write};
pub use supply::Supplier;
pub use wire::{EngineSeat, text_of};

/// What every request may ask.
struct App {
    hub: Arc<hub::Hub>,
    engines: Arc<engines::Shelf>,
    arenas: Arc<arenas::Arenas>,
    contests: contests::Contests,
    token: guard::Token,
    asks: bucket::Buckets,
    guesses: bucket::Buckets,
    /// How many analyses run at once.
    analyses: Arc<tokio::sync::Semaphore>,
    /// How many positions are solved at once.
    solvers: Arc<tokio::sync::Semaphore>,
}
