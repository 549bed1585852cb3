//! What a contest keeps: how it was made, who is in it, every entry by its hash with what was found of it, unrated bouts, what its
//! organiser did, and papers that whoever runs it writes for others to read. Its games are kept by its arenas. One trait with
//! one suite of cases, so that another database can stand behind it; knows no rule, and judges nothing.
//!
//! Invariant: an entry is never removed nor are its bytes changed; no token is kept, only its hash.

#[cfg(test)]
mod conformance;
#[cfg(feature = "postgres")]
mod postgres;
mod queries;
mod sqlite;

use serde::{Deserialize, Serialize};

#[cfg(feature = "postgres")]
pub use postgres::Postgres;
pub use sqlite::{FILE, Sqlite};

use super::lot::SEED_BYTES;
use crate::arena::store::Packed;
pub use crate::database::{Pending, StoreError};

/// How a contest was made. Its seed is a secret until all is played.
#[derive(Clone, PartialEq, Eq)]
pub struct Founding {
    /// The contest's file, as it was written.
    pub file: String,
    /// The file of openings.
    pub openings: Option<Vec<u8>>,
    /// What all chance comes from.
    pub seed: [u8; SEED_BYTES],
    /// The [hash](super::token::kept) of the organiser's token.
    pub organiser: String,
    /// When it was made, in milliseconds since 1970.
    pub founded_ms: i64,
}

impl std::fmt::Debug for Founding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Founding").field("founded_ms", &self.founded_ms).finish_non_exhaustive()
    }
}

/// Whether an entrant is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// He is.
    In,
    /// He has left, or was taken out without blame.
    Withdrawn,
    /// He was taken out, for a reason.
    Disqualified,
}

/// Somebody who submits entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// His name, which no other has.
    pub name: String,
    /// The [hash](super::token::kept) of his token.
    pub token: String,
    /// Whether he is in.
    pub status: Status,
    /// Why he is not; empty: nothing is said.
    pub reason: String,
    /// Since when he is known, in milliseconds since 1970.
    pub since_ms: i64,
}

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It was not tried yet, or is to be tried again.
    Waiting,
    /// It may play.
    Accepted,
    /// It may play, and is to be tried again.
    Retrying,
    /// It may not.
    Refused,
    /// It could not be told, by no fault of the entry.
    Undecided,
}

/// An entry, without its bytes; in lists without report and fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Its number, from 1, over all entrants.
    pub number: i64,
    /// Whose it is.
    pub entrant: String,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// How long it is.
    pub bytes: u64,
    /// When it came, in milliseconds since 1970.
    pub submitted_ms: i64,
    /// What became of it.
    pub state: State,
    /// What was found when it was tried last: a [`Report`](super::Report) as JSON.
    pub report: Option<String>,
    /// What it is compared with others by, as JSON.
    pub fingerprint: Option<String>,
    /// When it was tried last, in milliseconds since 1970.
    pub judged_ms: Option<i64>,
}

impl Submission {
    /// Whether it may play.
    pub fn may_play(&self) -> bool {
        matches!(self.state, State::Accepted | State::Retrying)
    }

    /// Whether it is to be tried.
    pub fn waits(&self) -> bool {
        matches!(self.state, State::Waiting | State::Retrying)
    }
}

/// A bout that an entrant asked for, and that counts for nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Its number, from 1.
    pub number: i64,
    /// Who asked.
    pub entrant: String,
    /// The number of his entry.
    pub entry: i64,
    /// The id of the house's engine.
    pub house: String,
    /// The side that the entry has, 0 or 1.
    pub side: u8,
    /// When it was asked for, in milliseconds since 1970.
    pub asked_ms: i64,
    /// How it ended, for people; none: it was not played yet.
    pub sentence: Option<String>,
}

/// Something that an organiser did, or that happened by his file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Act {
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// What, in a sentence.
    pub text: String,
}

/// Something to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// An entrant as he is now; his status and his token may differ from before.
    Entrant(Entrant),
    /// An entry was tried, or is to be tried again.
    Judged {
        /// Which.
        number: i64,
        /// What became of it.
        state: State,
        /// As in [`Submission::report`].
        report: Option<String>,
        /// As in [`Submission::fingerprint`].
        fingerprint: Option<String>,
        /// When, in milliseconds since 1970.
        at_ms: i64,
    },
    /// An unrated bout was played.
    Tried {
        /// Which.
        number: i64,
        /// How it ended, for people.
        sentence: String,
        /// Its record; none: it could not be played.
        record: Option<Packed>,
    },
    /// Something is written into the book of what was done.
    Act(Act),
    /// A paper, in place of the one of that name.
    Paper {
        /// Its name.
        name: String,
        /// What it says.
        text: String,
    },
}

/// A place where a contest is kept.
pub trait Store: Send + Sync {
    /// How it was made; none where nothing was made yet.
    fn founding(&self) -> Pending<'_, Option<Founding>>;

    /// Makes it. An error where there is one already.
    fn found<'a>(&'a self, founding: &'a Founding) -> Pending<'a, ()>;

    /// Everybody, by name.
    fn entrants(&self) -> Pending<'_, Vec<Entrant>>;

    /// The entrant of this token's hash.
    fn entrant_of<'a>(&'a self, token: &'a str) -> Pending<'a, Option<Entrant>>;

    /// Keeps an entry that came at this time, to be tried; its number. None, and nothing is kept: so many of his came since then
    /// already.
    fn submit<'a>(
        &'a self,
        entrant: &'a str,
        module: &'a [u8],
        at_ms: i64,
        most: (u32, i64),
    ) -> Pending<'a, Option<i64>>;

    /// Entries of this entrant, or (none) of all, in the order in which they came.
    fn entries<'a>(&'a self, entrant: Option<&'a str>) -> Pending<'a, Vec<Submission>>;

    /// The fingerprint of each entrant's latest entry that may play, by the entries' numbers, the latest first; at most so many.
    fn fingerprints(&self, most: u32) -> Pending<'_, Vec<(i64, String)>>;

    /// One entry.
    fn entry(&self, number: i64) -> Pending<'_, Option<Submission>>;

    /// The bytes of an entry with this SHA-256.
    fn module<'a>(&'a self, sha256: &'a str) -> Pending<'a, Option<Vec<u8>>>;

    /// Asks for an unrated bout, whose number and end do not count; the number. None, and nothing is kept: so many of his
    /// are asked for and not played yet.
    fn ask<'a>(&'a self, trial: &'a Trial, most: u32) -> Pending<'a, Option<i64>>;

    /// Unrated bouts of this entrant, or (none) of all, in the order in which they were asked for.
    fn trials<'a>(&'a self, entrant: Option<&'a str>) -> Pending<'a, Vec<Trial>>;

    /// The record of an unrated bout.
    fn trial_record(&self, number: i64) -> Pending<'_, Option<Packed>>;

    /// The book of what was done, in order.
    fn acts(&self) -> Pending<'_, Vec<Act>>;

    /// A paper of this name.
    fn paper<'a>(&'a self, name: &'a str) -> Pending<'a, Option<String>>;

    /// Keeps all of these, or none.
    fn commit<'a>(&'a self, writes: &'a [Write]) -> Pending<'a, ()>;

    /// Closes it: all that was kept is where others find it.
    fn close(&self) -> Pending<'_, ()>;
}
