//! What an arena keeps: its setup, every attempt at a game, which of them counts, what changed on the way, and
//! what is asked of whoever plays it. One trait, so that another database can stand behind it; knows no
//! rule, and reads no record.
//!
//! Invariant: an attempt is never changed nor removed; which one counts is said beside it, once for each game, unless who
//! played it is excluded, or its pair is void: then it is said that it is withdrawn, and another one may count.

#[cfg(test)]
mod conformance;
#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;
#[cfg(all(test, feature = "postgres"))]
mod tests_postgres;

#[cfg(feature = "postgres")]
pub use postgres::Postgres;
pub use sqlite::{FILE, Sqlite};

use super::job::GameKey;
pub use crate::database::{Pending, StoreError};
use crate::record::RECORD_BYTES;

/// Something to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// A game was played, to a result or to none.
    Attempt(Box<Attempt>),
    /// Somebody joins, with the next number.
    Player {
        /// From 0.
        number: u32,
        /// A contestant, as JSON.
        about: String,
    },
    /// The schedule changes.
    Event {
        /// From 0.
        number: u32,
        /// An event of the schedule, as JSON.
        event: String,
    },
    /// Nothing of this pair counts any more. What comes of it later is no result.
    Void(u32),
    /// A request was dealt with.
    Answer {
        /// Which.
        request: i64,
        /// What became of it.
        answer: Answer,
    },
    /// What goes on now, in place of what was said before.
    Status(String),
    /// Nothing of a worker counts any more.
    Exclude(Exclusion),
}

/// A worker whose games do not count any more: they are withdrawn, which is said beside the attempts, and what they played
/// later does not count either.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// Who.
    pub worker: String,
    /// Why, in a sentence.
    pub reason: String,
    /// Whether what is played later depends on results: then games of later pairs than the first that is withdrawn are
    /// withdrawn, too. Not of later rounds: a tie-break of a knockout is of the round of its stage.
    pub later_rounds: bool,
}

/// A game as it was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Which game.
    pub game: GameKey,
    /// The id of its pair as a job.
    pub job: [u8; 16],
    /// Its round.
    pub round: u32,
    /// Its opening.
    pub opening: Option<u32>,
    /// The players of the pair.
    pub players: [u32; 2],
    /// What is kept beside the record; none: it had no result, and does not count.
    pub result: Option<Summary>,
    /// How it ended, for people.
    pub sentence: String,
    /// The record.
    pub record: Packed,
    /// Who played it on another machine; none: whoever plays the arena.
    pub worker: Option<String>,
    /// When it was stored, in milliseconds since 1970.
    pub stored_ms: i64,
}

/// A record as it is kept: its JSON in the block format of LZ4, its size before it (4 bytes, the lowest first).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed(pub Vec<u8>);

impl Packed {
    /// Packs a record. Its moves and figures look much alike: of the ways to make it smaller this is the one that
    /// costs a bout least.
    pub fn of(record: &[u8]) -> Self {
        Self(lz4_flex::compress_prepend_size(record))
    }

    /// The record. An error where it is none that was packed, or a larger one than is read.
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

/// What is looked for in attempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Half points of the first player of the pair, 0 to 2.
    pub half_points: u8,
    /// Moves.
    pub plies: u64,
    /// What an engine did wrong, in a word.
    pub fault: Option<String>,
    /// The result, as JSON.
    pub result: String,
}

/// The result of a game that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Which game.
    pub game: GameKey,
    /// The id of its pair as a job.
    pub job: [u8; 16],
    /// As in [`Summary::result`].
    pub result: String,
}

/// How much a store holds; what is added makes one of these rise, requests excepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The number of the latest attempt; 0: there is none.
    pub attempts: i64,
    /// How many changes there are.
    pub events: i64,
    /// How many players joined.
    pub players: i64,
    /// How often it was said what goes on.
    pub statuses: i64,
    /// How many workers were excluded.
    pub excluded: i64,
}

/// A game that counts, in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Which game.
    pub game: GameKey,
    /// Its round.
    pub round: u32,
    /// Its opening.
    pub opening: Option<u32>,
    /// The players of the pair.
    pub players: [u32; 2],
    /// Half points of the first of them, 0 to 2.
    pub half_points: u8,
    /// Moves.
    pub plies: u64,
    /// What an engine did wrong, in a word.
    pub fault: Option<String>,
    /// How it ended, for people.
    pub sentence: String,
    /// When it was stored, in milliseconds since 1970.
    pub stored_ms: i64,
}

/// Which games are wanted; what is none wants any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Of this player.
    pub player: Option<u32>,
    /// And of this one.
    pub opponent: Option<u32>,
    /// From this opening.
    pub opening: Option<u32>,
    /// Of this round.
    pub round: Option<u32>,
    /// Where an engine did something wrong (true), or none did (false).
    pub fault: Option<bool>,
    /// Before this one in the schedule.
    pub before: Option<GameKey>,
    /// At most so many.
    pub limit: u32,
}

/// Something that somebody asks of whoever plays the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its number.
    pub number: i64,
    /// As JSON.
    pub what: String,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether it was done.
    pub done: bool,
    /// A sentence.
    pub text: String,
}

/// A place where an arena is kept.
pub trait Store: Send + Sync {
    /// The setup as JSON and the file of openings; none where nothing was begun yet.
    fn setup(&self) -> Pending<'_, Option<(String, Option<Vec<u8>>)>>;

    /// Begins an arena. An error where there is one already.
    fn begin<'a>(&'a self, setup: &'a str, openings: Option<&'a [u8]>) -> Pending<'a, ()>;

    /// Keeps all of these, or none. Of two results of one game the first counts.
    fn commit<'a>(&'a self, writes: &'a [Write]) -> Pending<'a, ()>;

    /// Who joined, in the order of their numbers.
    fn players(&self) -> Pending<'_, Vec<String>>;

    /// What changed, in order.
    fn events(&self) -> Pending<'_, Vec<String>>;

    /// Whose games do not count any more, and why, by name.
    fn excluded(&self) -> Pending<'_, Vec<(String, String)>>;

    /// The results that count, in the order of the schedule.
    fn accepted(&self) -> Pending<'_, Vec<Accepted>>;

    /// The results that count of attempts after this one, in the order in which they were kept.
    fn accepted_after(&self, attempt: i64) -> Pending<'_, Vec<Accepted>>;

    /// Games that count, without their records, the latest of the schedule first.
    fn games<'a>(&'a self, query: &'a Query) -> Pending<'a, Vec<Listed>>;

    /// Games that count, without their records, in the order of the schedule after this one (none: from the first
    /// on), at most so many.
    fn games_after(&self, game: Option<GameKey>, limit: u32) -> Pending<'_, Vec<Listed>>;

    /// The record of a game that counts.
    fn record(&self, game: GameKey) -> Pending<'_, Option<Packed>>;

    /// Asks something of whoever plays the arena; the number of the request.
    fn ask<'a>(&'a self, what: &'a str) -> Pending<'a, i64>;

    /// What became of a request; none yet.
    fn answer(&self, request: i64) -> Pending<'_, Option<Answer>>;

    /// Requests without an answer, in order.
    fn requests(&self) -> Pending<'_, Vec<Request>>;

    /// What was last said of what goes on.
    fn status(&self) -> Pending<'_, Option<String>>;

    /// How much it holds.
    fn extent(&self) -> Pending<'_, Extent>;

    /// Takes the arena for this value, until it is closed or lost; false: another one plays it. Where files are
    /// kept, the lock of their folder says so, and this says nothing.
    fn hold(&self) -> Pending<'_, bool> {
        Box::pin(std::future::ready(Ok(true)))
    }

    /// Whether somebody has taken the arena, as far as the store knows.
    fn is_held(&self) -> Pending<'_, bool> {
        Box::pin(std::future::ready(Ok(false)))
    }

    /// Closes it: all that was kept is where others find it.
    fn close(&self) -> Pending<'_, ()>;
}
