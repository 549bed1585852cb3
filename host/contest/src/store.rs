//! What a contest stores: its founding data, entrants, entries with their test results, trials, the
//! audit log, and named properties. Games are stored by the contest's arenas. One trait with one
//! conformance suite; SQLite and PostgreSQL implement it. Knows no rule and judges nothing.
//!
//! Invariant: an entry is never removed and its bytes never change. Tokens are stored only as
//! hashes.

#[cfg(test)]
mod conformance;
#[cfg(feature = "postgres")]
mod postgres;
mod queries;
mod sqlite;

use serde::Serialize;
use sha2::{Digest, Sha256};

#[cfg(feature = "postgres")]
pub use postgres::Postgres;
pub use sqlite::{FILE, Sqlite};

pub use sandboard_arena::database::{StoreError, StoreFuture};
use sandboard_arena::store::PackedRecord;
use sandboard_contest_rules::arena_rules::ArenaKind;
use sandboard_contest_rules::seed_commitment::SEED_BYTES;
use sandboard_contest_rules::{State, Status, seed_commitment};

/// The property with the name of the arena of the deciding final.
pub const FINAL_PROPERTY: &str = "final";
/// The property with the time at which all games were played, as RFC 3339; empty: games must be
/// played again.
pub const OVER_PROPERTY: &str = "over";

/// The founding data of a contest. The seed is secret until all games are played.
#[derive(Clone, PartialEq, Eq)]
pub struct Founding {
    /// The text of the contest file.
    pub file: String,
    /// The openings file, if there is one.
    pub openings: Option<Vec<u8>>,
    /// The seed of all randomness.
    pub seed: [u8; SEED_BYTES],
    /// The [hash](super::token::hash) of the organiser's token.
    pub organiser: String,
    /// The creation time, in milliseconds since 1970.
    pub founded_ms: i64,
}

impl Founding {
    /// The [commitment](seed_commitment::commitment) to seed, contest file and openings.
    pub fn commitment(&self) -> String {
        let openings = self.openings.as_ref().map(|bytes| Sha256::digest(bytes).into());
        seed_commitment::commitment(&self.seed, &self.file, openings)
    }
}

impl std::fmt::Debug for Founding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Founding").field("founded_ms", &self.founded_ms).finish_non_exhaustive()
    }
}

/// The longest name of an entrant, in characters.
pub const NAME_CHARS: usize = 40;

/// Whether an entrant can have this name: letters, digits, inner spaces and `._-'`. It is then no
/// path, and looks as it is.
pub fn is_entrant_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '_' | '-' | '\'');
    let chars = name.chars().count();
    (1..=NAME_CHARS).contains(&chars) && name.trim() == name && name.chars().all(is_plain)
}

/// A person or team that submits entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// The unique name.
    pub name: String,
    /// The [hash](super::token::hash) of the entrant's token.
    pub token: String,
    /// Whether the entrant takes part.
    pub status: Status,
    /// The reason for the status; empty if none was given.
    pub reason: String,
    /// The time of admission, in milliseconds since 1970.
    pub since_ms: i64,
}

/// An entry without its bytes; in lists, also without report and fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Its number, from 1, over all entrants.
    pub number: i64,
    /// The entrant's name.
    pub entrant: String,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// The length of the entry.
    pub bytes: u64,
    /// The time of submission, in milliseconds since 1970.
    pub submitted_ms: i64,
    /// The entry's state.
    pub state: State,
    /// The report of the last test: a [`Report`](super::Report) as JSON.
    pub report: Option<String>,
    /// The fingerprint for comparisons, as JSON.
    pub fingerprint: Option<String>,
    /// The time of the last test, in milliseconds since 1970.
    pub judged_ms: Option<i64>,
}

impl Submission {
    /// Whether the entry may play.
    pub fn may_play(&self) -> bool {
        matches!(self.state, State::Accepted | State::Retrying)
    }

    /// Whether the entry waits for a test.
    pub fn waits(&self) -> bool {
        matches!(self.state, State::Waiting | State::Retrying)
    }
}

/// An unrated bout that an entrant requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Its number, from 1.
    pub number: i64,
    /// The entrant's name.
    pub entrant: String,
    /// The number of the entry.
    pub entry: i64,
    /// The id of the house engine.
    pub house: String,
    /// The entry's side, 0 or 1.
    pub side: u8,
    /// The time of the request, in milliseconds since 1970.
    pub asked_ms: i64,
    /// The result as a sentence; `None`: not played yet.
    pub sentence: Option<String>,
}

/// An entry of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditEntry {
    /// The time, in milliseconds since 1970.
    pub at_ms: i64,
    /// What happened, as a sentence.
    pub text: String,
}

/// An invitation: a person who has its secret can register as an entrant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// Its number, from 1.
    pub number: i64,
    /// How many entrants can register with it.
    pub places: u32,
    /// How many entrants have registered with it.
    pub used: u32,
    /// The time of its creation, in milliseconds since 1970.
    pub created_ms: i64,
    /// When it ends, in milliseconds since 1970.
    pub expires_ms: i64,
    /// Whether the organiser has revoked it.
    pub is_revoked: bool,
}

/// The result of an attempt to register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registration {
    /// The entrant is stored.
    Registered,
    /// Another entrant has the name.
    NameTaken,
    /// The invitation does not exist, has ended, or has no place left.
    NoPlace,
}

/// A change to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Adds an entrant, or changes status and token.
    Entrant(Entrant),
    /// Sets the result of a test, or requests another.
    EntryTested {
        /// The entry's or trial's number.
        number: i64,
        /// The new state.
        state: State,
        /// As in [`Submission::report`].
        report: Option<String>,
        /// As in [`Submission::fingerprint`].
        fingerprint: Option<String>,
        /// The time, in milliseconds since 1970.
        at_ms: i64,
    },
    /// Sets the result of a trial.
    TrialPlayed {
        /// The entry's or trial's number.
        number: i64,
        /// The result as a sentence.
        sentence: String,
        /// The record; `None`: the bout could not be played.
        record: Option<PackedRecord>,
    },
    /// Appends to the audit log.
    Audit(AuditEntry),
    /// Adds an invitation with the next number.
    Invitation {
        /// The [hash](super::token::hash) of its secret.
        secret: String,
        places: u32,
        created_ms: i64,
        expires_ms: i64,
    },
    /// Revokes the invitation with this number.
    InvitationRevoked(i64),
    /// Sets a named property.
    Property {
        name: String,
        /// The value of the property.
        text: String,
    },
}

/// The arena of the deciding final, started or not. Fails if the store names no final.
pub async fn final_arena(store: &dyn Store) -> Result<ArenaKind, StoreError> {
    let Some(name) = store.property(FINAL_PROPERTY).await? else { return Ok(ArenaKind::Final(1)) };
    match ArenaKind::from_name(&name) {
        Some(kind @ ArenaKind::Final(_)) => Ok(kind),
        _ => Err(StoreError::Failed {
            step: "read the name of the final",
            reason: format!("{} is not final, final-2, …", sandboard_common::text::quoted(&name)),
        }),
    }
}

/// The store of a contest.
pub trait Store: Send + Sync {
    /// The founding data; `None` in an empty store.
    fn founding(&self) -> StoreFuture<'_, Option<Founding>>;

    /// Writes the founding data. Fails if the store already has them.
    fn found<'a>(&'a self, founding: &'a Founding) -> StoreFuture<'a, ()>;

    /// All entrants, by name.
    fn entrants(&self) -> StoreFuture<'_, Vec<Entrant>>;

    /// The entrant with this token hash.
    fn entrant_of<'a>(&'a self, token: &'a str) -> StoreFuture<'a, Option<Entrant>>;

    /// All invitations, by number.
    fn invitations(&self) -> StoreFuture<'_, Vec<Invitation>>;

    /// The invitation with this hash of its secret.
    fn invitation_of<'a>(&'a self, secret: &'a str) -> StoreFuture<'a, Option<Invitation>>;

    /// Adds a new entrant, takes a place of the invitation with this hash at the time of the audit
    /// entry, and writes the audit entry: all of this, or nothing.
    fn register<'a>(
        &'a self,
        secret: &'a str,
        entrant: &'a Entrant,
        act: &'a AuditEntry,
    ) -> StoreFuture<'a, Registration>;

    /// Stores an entry that arrived at `at_ms` and returns its number. `None`, without any change,
    /// if the entrant already submitted `most.0` entries since `most.1` (milliseconds since 1970).
    fn submit<'a>(
        &'a self,
        entrant: &'a str,
        module: &'a [u8],
        at_ms: i64,
        most: (u32, i64),
    ) -> StoreFuture<'a, Option<i64>>;

    /// The entries of this entrant, or of all, in the order of submission.
    fn entries<'a>(&'a self, entrant: Option<&'a str>) -> StoreFuture<'a, Vec<Submission>>;

    /// The fingerprint of each entrant's latest accepted entry, with its number, the latest first;
    /// at most `most` of them.
    fn fingerprints(&self, most: u32) -> StoreFuture<'_, Vec<(i64, String)>>;

    fn entry(&self, number: i64) -> StoreFuture<'_, Option<Submission>>;

    /// The bytes of the entry with this SHA-256.
    fn module<'a>(&'a self, sha256: &'a str) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// Stores the request for a trial (its number and sentence are ignored) and returns its number.
    /// `None`, without any change, if `most` trials of the entrant wait, or if the entrant already
    /// requested `a_day.0` trials since `a_day.1` (milliseconds since 1970).
    fn request_trial<'a>(
        &'a self,
        trial: &'a Trial,
        most: u32,
        a_day: (u32, i64),
    ) -> StoreFuture<'a, Option<i64>>;

    /// The length of all entries and records of trials of this entrant, or of all, in bytes.
    fn stored_bytes<'a>(&'a self, entrant: Option<&'a str>) -> StoreFuture<'a, u64>;

    /// The trials of this entrant, or of all, in the order of the requests.
    fn trials<'a>(&'a self, entrant: Option<&'a str>) -> StoreFuture<'a, Vec<Trial>>;

    /// The record of a trial.
    fn trial_record(&self, number: i64) -> StoreFuture<'_, Option<PackedRecord>>;

    /// The audit log, in order.
    fn audit_log(&self) -> StoreFuture<'_, Vec<AuditEntry>>;

    /// The property with this name.
    fn property<'a>(&'a self, name: &'a str) -> StoreFuture<'a, Option<String>>;

    /// Writes all of these changes, or none.
    fn commit<'a>(&'a self, writes: &'a [Write]) -> StoreFuture<'a, ()>;

    /// Closes the store and flushes everything to it.
    fn close(&self) -> StoreFuture<'_, ()>;
}
