//! The store of an arena: its setup, every attempt at a game, which attempts count, what changed on
//! the way, and the requests to the process that plays it. One trait, so that other databases can
//! implement it. Knows no rules and reads no records.
//!
//! Invariant: an attempt is never changed nor deleted. Which attempt of a game counts is stored
//! beside it, once for each game. If the worker that played it is excluded, or its pair is void,
//! the attempt is marked as withdrawn, and another may count.

#[cfg(test)]
mod conformance;
#[cfg(feature = "postgres")]
mod postgres;
mod queries;
mod sqlite;

#[cfg(feature = "postgres")]
pub use postgres::Postgres;
pub use sqlite::{FILE, Sqlite};

use sandboard_tournament::schedule::{Players, SeatList};

pub use crate::database::{StoreError, StoreFuture};
use sandboard_arena_plan::{GameKey, GameRow, rotated};
use sandboard_bout::record::RECORD_BYTES;

/// One change of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Adds an attempt at a game, with or without a result.
    Attempt(Box<Attempt>),
    /// Adds a player that joins.
    Player {
        /// Its number among those that joined, from 0.
        number: u32,
        /// A contestant as JSON.
        json: String,
    },
    /// Adds a change of the schedule.
    Event {
        /// Its number, from 0.
        number: u32,
        /// An event of the schedule as JSON.
        json: String,
    },
    /// Makes a pair void: none of its games counts, now or later.
    Void(u32),
    /// Answers a request.
    Answer {
        /// The number of the request.
        request: i64,
        /// The answer to the request.
        answer: RequestAnswer,
    },
    /// Replaces the status of the session.
    Status(String),
    /// Excludes a worker.
    Exclude(Exclusion),
}

/// A worker whose games no longer count: stored games are withdrawn, later ones are not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// The worker's name.
    pub worker: String,
    /// The reason, as a sentence.
    pub reason: String,
    /// Whether later games depend on results. Then the games of all pairs after the first withdrawn
    /// one are withdrawn, too. Pairs, not rounds: a tie-break of a knockout has the round of its
    /// stage.
    pub later_pairs: bool,
}

/// An attempt at a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The game that was tried.
    pub game: GameKey,
    /// The id of its pair as a job.
    pub job: [u8; 16],
    /// The round of its pair.
    pub round: u32,
    /// The number of its opening.
    pub opening: Option<u32>,
    /// The players of the pair.
    pub players: Players,
    /// The result. None: the attempt does not count.
    pub result: Option<ResultSummary>,
    /// How it ended, as a sentence.
    pub sentence: String,
    /// The record of its bout.
    pub record: PackedRecord,
    /// The remote worker that played it. None: the process that plays the arena.
    pub worker: Option<String>,
    /// When it was stored, in milliseconds since 1970.
    pub stored_ms: i64,
}

/// A compressed record: its size in bytes (4 bytes, little-endian), then its JSON in the LZ4 block
/// format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedRecord(pub Vec<u8>);

impl PackedRecord {
    /// Compresses a record. Records are repetitive; of the available methods, LZ4 costs the least
    /// time per bout.
    pub fn pack(record: &[u8]) -> Self {
        Self(lz4_flex::compress_prepend_size(record))
    }

    /// Decompresses the record. Fails if the data is damaged or the record is larger than
    /// [`RECORD_BYTES`].
    pub fn unpack(&self) -> std::io::Result<Vec<u8>> {
        let (size, block) = self.0.split_first_chunk().ok_or(std::io::ErrorKind::UnexpectedEof)?;
        let size = u32::from_le_bytes(*size);
        if u64::from(size) > RECORD_BYTES {
            return Err(std::io::Error::other(format!("it has more than {RECORD_BYTES} bytes")));
        }
        let record = lz4_flex::block::decompress(block, size as usize);
        let record = record.map_err(std::io::Error::other)?;
        match record.len() == size as usize {
            true => Ok(record),
            false => Err(std::io::Error::other(format!("it has {} of {size} bytes", record.len()))),
        }
    }
}

/// The result of an attempt, in columns that queries use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultSummary {
    /// The half points of each player of the pair, as in
    /// [`GameResult::half_points`](sandboard_arena_plan::GameResult::half_points).
    pub half_points: SeatList<u8>,
    /// The number of moves.
    pub plies: u64,
    /// The code of an engine's fault.
    pub fault: Option<String>,
    /// The whole result as JSON.
    pub result: String,
}

/// The result of a game that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedResult {
    /// The game with this result.
    pub game: GameKey,
    /// The id of its pair as a job.
    pub job: [u8; 16],
    /// As in [`ResultSummary::result`].
    pub result: String,
}

/// How much a store holds. Every write except an answer raises one of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreExtent {
    /// The number of the latest attempt; 0: there is none.
    pub attempts: i64,
    /// The number of schedule changes.
    pub events: i64,
    /// The number of players that joined.
    pub players: i64,
    /// How often the status was written.
    pub statuses: i64,
    /// The number of excluded workers.
    pub excluded: i64,
}

/// A game that counts, without its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGame {
    /// The pair and number of the game.
    pub game: GameKey,
    /// The round of its pair.
    pub round: u32,
    /// The number of its opening.
    pub opening: Option<u32>,
    /// The players of the pair.
    pub players: Players,
    /// The half points of each of them.
    pub half_points: SeatList<u8>,
    /// The number of moves.
    pub plies: u64,
    /// The code of an engine's fault.
    pub fault: Option<String>,
    /// How it ended, as a sentence.
    pub sentence: String,
    /// When it was stored, in milliseconds since 1970.
    pub stored_ms: i64,
}

impl From<&StoredGame> for GameRow {
    fn from(listed: &StoredGame) -> Self {
        Self {
            name: listed.game.name(),
            pair: listed.game.pair,
            round: listed.round,
            opening: listed.opening,
            players: rotated(&listed.players, listed.game.game).to_vec(),
            half_points: rotated(&listed.half_points, listed.game.game).to_vec(),
            plies: listed.plies,
            sentence: listed.sentence.clone(),
            fault: listed.fault.clone(),
            stored_ms: listed.stored_ms,
        }
    }
}

/// Selects games; a field that is none selects any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameQuery {
    /// Games of this player.
    pub player: Option<u32>,
    /// Games in which this player takes part, too.
    pub opponent: Option<u32>,
    /// Games from this opening.
    pub opening: Option<u32>,
    /// Games of this round.
    pub round: Option<u32>,
    /// Games with (true) or without (false) an engine's fault.
    pub fault: Option<bool>,
    /// Games before this one in the schedule.
    pub before: Option<GameKey>,
    /// The most games returned.
    pub limit: u32,
}

/// A request to the process that plays the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRequest {
    /// The number of the request.
    pub number: i64,
    /// A [`Request`](crate::Request) as JSON.
    pub json: String,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestAnswer {
    /// Whether the request was carried out.
    pub done: bool,
    /// A sentence for the requester.
    pub text: String,
}

/// The store of an arena.
pub trait Store: Send + Sync {
    /// The setup as JSON and the file of openings. None: no arena was created yet.
    fn setup(&self) -> StoreFuture<'_, Option<(String, Option<Vec<u8>>)>>;

    /// Creates the arena. Fails if it exists.
    fn create<'a>(&'a self, setup: &'a str, openings: Option<&'a [u8]>) -> StoreFuture<'a, ()>;

    /// Stores all of these, or none. Of two results of one game the first counts.
    fn commit<'a>(&'a self, writes: &'a [Write]) -> StoreFuture<'a, ()>;

    /// The players that joined as JSON, in the order of their numbers.
    fn players(&self) -> StoreFuture<'_, Vec<String>>;

    /// The schedule changes as JSON, in order.
    fn events(&self) -> StoreFuture<'_, Vec<String>>;

    /// The excluded workers and the reasons, sorted by name.
    fn excluded(&self) -> StoreFuture<'_, Vec<(String, String)>>;

    /// The results that count, in the order of the schedule.
    fn accepted(&self) -> StoreFuture<'_, Vec<AcceptedResult>>;

    /// The results that count of attempts after this one, in the order in which they were stored.
    fn accepted_after(&self, attempt: i64) -> StoreFuture<'_, Vec<AcceptedResult>>;

    /// Games that count, without their records, the latest of the schedule first.
    fn games<'a>(&'a self, query: &'a GameQuery) -> StoreFuture<'a, Vec<StoredGame>>;

    /// At most `limit` games that count, without their records, in the order of the schedule: those
    /// after this game, or from the first one on.
    fn games_after(&self, game: Option<GameKey>, limit: u32) -> StoreFuture<'_, Vec<StoredGame>>;

    /// The record of a game that counts.
    fn record(&self, game: GameKey) -> StoreFuture<'_, Option<PackedRecord>>;

    /// Adds a request to the process that plays the arena. Returns the number of the request.
    fn add_request<'a>(&'a self, json: &'a str) -> StoreFuture<'a, i64>;

    /// The answer to a request, if there is one yet.
    fn answer(&self, request: i64) -> StoreFuture<'_, Option<RequestAnswer>>;

    /// The requests without an answer, in order.
    fn requests(&self) -> StoreFuture<'_, Vec<StoredRequest>>;

    /// The latest status of the session.
    fn status(&self) -> StoreFuture<'_, Option<String>>;

    /// How much the store holds.
    fn extent(&self) -> StoreFuture<'_, StoreExtent>;

    /// Locks the arena for this value until it is closed or lost. False: another process plays the
    /// arena. A store in a file needs no lock, since its folder has one.
    fn lock(&self) -> StoreFuture<'_, bool> {
        Box::pin(std::future::ready(Ok(true)))
    }

    /// Whether a process has locked the arena. Always false for a store in a file.
    fn is_locked(&self) -> StoreFuture<'_, bool> {
        Box::pin(std::future::ready(Ok(false)))
    }

    /// Closes the store. Afterwards others can read everything that was stored.
    fn close(&self) -> StoreFuture<'_, ()>;
}
