//! What an arena and workers on other machines say to each other, as versioned JSON. A job holds everything that its
//! game depends on but the modules, which are named by their hashes. Pure.

use sandboard_tournament::schedule::Pair;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::arena::store::Packed;
use crate::arena::{GameKey, Job, LiveGame, job_id};
use crate::budget::Budget;
use crate::engine::wasm::{PRICES_VERSION, RUNTIME_VERSION};
use crate::referee::Settings;

/// The version of the messages that this host writes, and the only one it reads.
pub const VERSION: u32 = 1;
/// So many digits name a kind of host.
const KIND_DIGITS: usize = 16;

/// A game to be played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// [`VERSION`].
    pub version: u32,
    /// What kind of host is to play it; see [`kind_of_host`].
    pub kind: String,
    /// The id of its arena.
    pub arena: String,
    /// The id of its pair as a job, in hexadecimal.
    pub id: String,
    /// Its pair.
    pub pair: Pair,
    /// Which game of the pair, 0 or 1.
    pub game: u8,
    /// The number of its opening; null: none.
    pub opening: Option<u32>,
    /// How often it was offered, from 1.
    pub attempt: u32,
    /// What its record is wanted for.
    pub purpose: Purpose,
    /// Whether engines are trusted by nobody, and run in jailed processes only.
    pub contest: bool,
    /// What is played.
    pub terms: Terms,
}

/// What a record is wanted for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "for", rename_all = "kebab-case")]
pub enum Purpose {
    /// To count.
    Play,
    /// To be held against that of another worker.
    Replay {
        /// Who is not to play it, since it played it before.
        not_by: String,
    },
}

/// What a game depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// The game's id.
    pub game: String,
    /// The variant's text, its size included where it has one.
    pub variant: String,
    /// Where it begins; null: the variant's start.
    pub start: Option<String>,
    /// The seed of the bout.
    pub seed: u64,
    /// The rules of the bout that are not the game's.
    pub settings: Settings,
    /// Who plays, the first player of the pair first.
    pub players: [TaskPlayer; 2],
}

/// A player of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskPlayer {
    /// Its name in the record.
    pub name: String,
    /// Its seats.
    pub seats: Vec<u8>,
    /// What it may spend.
    pub budget: Budget,
    /// Whether it thinks on its opponent's time.
    pub ponders: bool,
    /// Its engine.
    pub engine: TaskEngine,
    /// The seed of its engine; null: it is drawn from the bout's.
    pub seed: Option<u64>,
}

/// An engine, by hashes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TaskEngine {
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// Whether its module is a native library, which whoever plays must have trusted by its hash.
    pub native: bool,
    /// Its module.
    pub module: Blob,
    /// The files that it may read, by name.
    pub assets: Vec<(String, Blob)>,
    /// The options that are set.
    pub options: Vec<(String, String)>,
    /// How many threads it may use.
    pub threads: u16,
    /// What an instance may hold, in bytes.
    pub memory_bytes: u64,
    /// What starting an instance may take, in microseconds.
    pub start_us: u64,
    /// What it may log in one game, in bytes.
    pub log_bytes: u64,
}

/// A file by its hash.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Blob {
    /// The SHA-256 in hexadecimal.
    pub sha256: String,
    /// How long it is.
    pub bytes: u64,
}

/// What became of a task; behind it comes the record, where there is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// [`VERSION`].
    pub version: u32,
    /// The arena's id.
    pub arena: String,
    /// The pair's number.
    pub pair: u32,
    /// Which game of the pair.
    pub game: u8,
    /// As in [`Task::attempt`].
    pub attempt: u32,
    /// As in [`Task::purpose`].
    pub purpose: Purpose,
    /// What was played, as [`Terms::digest`] names it.
    pub terms: String,
    /// Who did it.
    pub worker: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// It was played, and the record follows.
    Played,
    /// It was played; the record, which is too long for a message, lies in the store of blobs.
    Stored(Blob),
    /// Nobody can play it, for this reason, which the last who tried told.
    Refused {
        /// A sentence.
        reason: String,
    },
}

/// What a worker tells of itself, once a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Presence {
    /// [`VERSION`].
    pub version: u32,
    /// Its name.
    pub worker: String,
    /// Its kind; see [`kind_of_host`].
    pub kind: String,
    /// The version of its host.
    pub host: String,
    /// How many games it plays at once.
    pub slots: usize,
    /// The games that it plays: the arena's id, and the game.
    pub games: Vec<(String, LiveGame)>,
}

/// A worker is told that nothing of it counts any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dismissal {
    /// The arena that says so.
    pub arena: String,
    /// Why, in a sentence.
    pub reason: String,
}

/// Why bytes are no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// They are cut, or not JSON of the right form.
    #[error("it is no message of this kind: {0}")]
    Form(String),
    /// Another host wrote them.
    #[error("it is of version {found}, and this host reads version {VERSION}")]
    Version {
        /// Its version.
        found: u32,
    },
}

/// Names all that a record depends on beside what a task says: hosts of one kind write the same record bit for bit.
pub fn kind_of_host() -> String {
    let host = env!("CARGO_PKG_VERSION");
    let text = format!("{VERSION} {host} {RUNTIME_VERSION} {PRICES_VERSION}");
    crate::hex(&Sha256::digest(text))[..KIND_DIGITS].to_owned()
}

impl Task {
    /// The game.
    pub fn key(&self) -> GameKey {
        GameKey { pair: self.pair.number, game: self.game }
    }

    /// The game as a job of its arena.
    pub fn job(&self) -> Job {
        Job { pair: self.pair, game: self.game, opening: self.opening, seed: self.terms.seed }
    }

    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        // Keys are texts, and no value can fail.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// From bytes. A task that is not sound is an error, too.
    pub fn decode(bytes: &[u8]) -> Result<Self, MessageError> {
        let task: Self = decoded(bytes)?;
        let id = crate::hex(&job_id(&task.arena, task.pair.number));
        let wrong = match &task {
            _ if task.id != id => "the id is not that of the arena's pair",
            _ if task.game > 1 => "a pair has two games",
            _ if !is_plain(&task.arena) => "the arena's id is none",
            _ => return Ok(task),
        };
        Err(MessageError::Form(wrong.into()))
    }
}

impl Terms {
    /// The SHA-256 of all of it, in hexadecimal.
    pub fn digest(&self) -> String {
        crate::hex(&Sha256::digest(serde_json::to_vec(self).unwrap_or_default()))
    }
}

impl Done {
    /// The game.
    pub fn key(&self) -> GameKey {
        GameKey { pair: self.pair, game: self.game }
    }

    /// As bytes: the length of the JSON (4 bytes, the lowest first), the JSON, the record.
    pub fn encode(&self, record: Option<&Packed>) -> Vec<u8> {
        let json = serde_json::to_vec(self).unwrap_or_default();
        let mut bytes = (json.len() as u32).to_le_bytes().to_vec();
        bytes.extend(json);
        bytes.extend(record.map_or(&[][..], |record| &record.0));
        bytes
    }

    /// From bytes: it and its record, which is empty where none follows.
    pub fn decode(bytes: &[u8]) -> Result<(Self, Packed), MessageError> {
        let cut = || MessageError::Form("it is cut".into());
        let (length, rest) = bytes.split_first_chunk().ok_or_else(cut)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (json, record) = rest.split_at_checked(length).ok_or_else(cut)?;
        let done: Self = decoded(json)?;
        if !is_plain(&done.worker) || !is_plain(&done.arena) || done.game > 1 {
            return Err(MessageError::Form("a name or a number in it is none".into()));
        }
        Ok((done, Packed(record.to_vec())))
    }
}

/// A message of JSON whose version is this one.
pub fn decoded<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, MessageError> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let wrong = |error: serde_json::Error| MessageError::Form(error.to_string());
    let found = serde_json::from_slice::<Versioned>(bytes).map_err(wrong)?.version;
    if found != VERSION {
        return Err(MessageError::Version { found });
    }
    serde_json::from_slice(bytes).map_err(wrong)
}

/// Whether a name can be a part of a subject of the broker: letters, digits, `-` and `_`.
pub fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=64).contains(&name.len()) && name.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(worker: &str) -> Done {
        Done {
            version: VERSION,
            arena: "00000000000000a1".into(),
            pair: 3,
            game: 1,
            attempt: 2,
            purpose: Purpose::Replay { not_by: "b".into() },
            terms: "0f".repeat(32),
            worker: worker.into(),
            outcome: Outcome::Played,
        }
    }

    fn check(bytes: &[u8], expected: &str) {
        let told = Done::decode(bytes).map(drop).unwrap_err().to_string();
        assert!(told.contains(expected), "{told}");
    }

    #[test]
    fn what_is_done_comes_with_its_record() {
        for record in [&b""[..], b"abc", &[0; 70_000]] {
            let packed = Packed(record.to_vec());
            let bytes = done("a").encode(Some(&packed));
            assert_eq!(Done::decode(&bytes).unwrap(), (done("a"), packed));
        }
        let sound = done("a").encode(None);
        for cut in 0..sound.len() {
            check(&sound[..cut], "it is no message of this kind");
        }
        check(&u32::MAX.to_le_bytes(), "it is cut");
        check(&done("a b").encode(None), "a name or a number in it is none");
        check(&done("").encode(None), "a name or a number in it is none");
        check(&Done { game: 2, ..done("a") }.encode(None), "a name or a number in it is none");
        check(&Done { version: 9, ..done("a") }.encode(None), "of version 9");
    }

    #[test]
    fn names_are_parts_of_subjects() {
        let check = |name: &str, expected: bool| assert_eq!(is_plain(name), expected, "{name}");
        check("a", true);
        check("Host-1_2", true);
        check(&"a".repeat(64), true);
        for wrong in ["", "a.b", "a b", "*", ">", "ä", &"a".repeat(65)] {
            check(wrong, false);
        }
    }

    #[test]
    fn a_kind_of_host_is_always_the_same() {
        assert_eq!(kind_of_host(), kind_of_host());
        assert!(is_plain(&kind_of_host()) && kind_of_host().len() == KIND_DIGITS);
    }
}
