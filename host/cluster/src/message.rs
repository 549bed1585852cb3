//! The messages between an arena and its remote workers, as versioned JSON in signed
//! [envelopes](crate::keys). A task holds everything that its game depends on, except modules,
//! which it names by their hashes. Pure.

use sandboard_tournament::schedule::{Pair, SEATS_MAX};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::keys::PublicKey;
use sandboard_abi::limits::{LINE_BYTES, REASON_BYTES};
use sandboard_arena::CONCURRENCY_MAX;
use sandboard_arena::store::PackedRecord;
use sandboard_arena_plan::{GameKey, Job, LiveGame, job_id};
use sandboard_bout::record::RulesRecord;
use sandboard_bout::referee::BoutSettings;
use sandboard_common::text::{clean_text, plain};
use sandboard_engine::Budget;
use sandboard_engine_wasm::{INSTRUMENTATION_VERSION, PRICES_VERSION, RUNTIME_VERSION};

/// The version of the messages that this host writes and reads.
pub const VERSION: u32 = 3;
/// The number of hexadecimal digits in a kind of host.
const KIND_DIGITS: usize = 16;
/// The most bytes of a worker's report on itself.
const PRESENCE_BYTES_MAX: usize = 1 << 20;

/// A game to play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub version: u32,
    /// The kind of host that may play it; see [`host_kind`].
    pub kind: String,
    /// The id of the arena.
    pub arena: String,
    /// The id of the pair's job, in hexadecimal.
    pub id: String,
    /// The pair of the game.
    pub pair: Pair,
    /// Which game of the pair, 0 or 1.
    pub game: u8,
    /// The number of the opening; null: none.
    pub opening: Option<u32>,
    /// The number of the offer, from 1.
    pub attempt: u32,
    /// The purpose of the record.
    pub purpose: Purpose,
    /// Whether engines are untrusted and run in jailed processes only.
    pub contest: bool,
    /// What the game depends on.
    pub terms: Terms,
}

/// The purpose of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "for", rename_all = "kebab-case")]
pub enum Purpose {
    /// The game counts.
    Play,
    /// The record is compared with that of another worker.
    Replay {
        /// The key of the worker that played the game before and must not replay it.
        not_by: PublicKey,
    },
}

/// Everything that a game depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// The game's id.
    pub game: String,
    /// The rules of the game, if they were plugged in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesRecord>,
    /// The variant's text, including the size if it has one.
    pub variant: String,
    /// The start position; null: the variant's own.
    pub start: Option<String>,
    /// The seed of the bout.
    pub seed: u64,
    /// The settings of the bout.
    pub settings: BoutSettings,
    /// The players, the first player of the pair first; 2 to 16.
    pub players: Vec<TaskPlayer>,
}

/// A player of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskPlayer {
    /// Its name in the record.
    pub name: String,
    pub seats: Vec<u8>,
    pub budget: Budget,
    /// Whether it thinks on its opponent's time.
    pub ponders: bool,
    /// The engine that plays.
    pub engine: TaskEngine,
    /// The engine's seed; null: derived from the bout's seed.
    pub seed: Option<u64>,
}

/// An engine, with its files by hash.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TaskEngine {
    /// The engine's id.
    pub id: String,
    /// The engine's version.
    pub version: String,
    /// Whether the module is a native library, which the worker's operator must have trusted by
    /// hash.
    pub native: bool,
    /// The engine's module.
    pub module: Blob,
    /// The files that the engine may read, by name.
    pub assets: Vec<(String, Blob)>,
    /// The options that are set, with their values.
    pub options: Vec<(String, String)>,
    /// The number of threads it may use.
    pub threads: u16,
    /// The memory limit of an instance, in bytes.
    pub memory_bytes: u64,
    /// The time limit for starting an instance, in microseconds.
    pub start_us: u64,
    /// The log limit for one game, in bytes.
    pub log_bytes: u64,
}

/// A reference to a file by its hash.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Blob {
    /// The SHA-256 in hexadecimal.
    pub sha256: String,
    /// The length of the file.
    pub bytes: u64,
}

/// The result of a task. The record follows it, if there is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskResult {
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
    /// The digest of what was played ([`Terms::digest`]).
    pub terms: String,
    /// The worker's name, for people. Its key is that of the envelope.
    pub worker: String,
    /// Whether the game was played.
    pub outcome: Outcome,
}

/// The outcome of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// The game was played, and the record follows.
    Played,
    /// The game was played. The record is too long for a message and is in the blob store.
    Stored(Blob),
    /// No worker can play the game.
    Refused {
        /// The reason of the last worker that tried.
        reason: String,
    },
}

/// A worker's report on itself, sent twice a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Presence {
    pub version: u32,
    /// Larger in each report of a worker, so that no other peer can repeat an old one.
    pub number: u64,
    /// The worker's name, for people. Its key is that of the envelope.
    pub worker: String,
    /// The kind of its host; see [`host_kind`].
    pub kind: String,
    /// The version of its host.
    pub host: String,
    /// The number of games it plays at once.
    pub slots: usize,
    /// The games in progress, each with its arena's id.
    pub games: Vec<(String, LiveGame)>,
}

/// Tells a worker that none of its results count for an arena any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dismissal {
    pub version: u32,
    /// The worker that is dismissed.
    pub worker: PublicKey,
    /// The id of the arena that dismisses it.
    pub arena: String,
    /// The reason, as a sentence.
    pub reason: String,
}

impl Dismissal {
    /// Decodes a dismissal, with texts that are safe to print.
    pub fn decode(bytes: &[u8]) -> Result<Self, MessageError> {
        let dismissal: Self = decoded(bytes)?;
        let (arena, reason) =
            (plain(&dismissal.arena), clean_text(&dismissal.reason, REASON_BYTES));
        Ok(Self { arena, reason, ..dismissal })
    }
}

/// Why bytes are not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// The bytes are cut off, or not JSON of the right form.
    #[error("not a message of this kind: {0}")]
    Form(String),
    /// The key in the envelope has not signed the message.
    #[error("the signature is not valid")]
    Signature,
    /// Another version of the host wrote the message.
    #[error("the message has version {found}; this host reads version {VERSION}")]
    Version {
        /// The message's version.
        found: u32,
    },
}

/// Identifies everything that a record depends on besides the task. Hosts of one kind write the
/// same record, bit for bit.
pub fn host_kind() -> String {
    let host = env!("CARGO_PKG_VERSION");
    let text =
        format!("{VERSION} {host} {RUNTIME_VERSION} {PRICES_VERSION} {INSTRUMENTATION_VERSION}");
    sandboard_common::hex::hex(&Sha256::digest(text))[..KIND_DIGITS].to_owned()
}

impl Task {
    /// The key of the game.
    pub fn key(&self) -> GameKey {
        GameKey { pair: self.pair.number, game: self.game }
    }

    /// The game as a job of the arena.
    pub fn job(&self) -> Job {
        Job { pair: self.pair, game: self.game, opening: self.opening, seed: self.terms.seed }
    }

    /// Encodes the task as JSON.
    pub fn encode(&self) -> Vec<u8> {
        // Cannot fail: all map keys are strings.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Decodes and validates a task.
    pub fn decode(bytes: &[u8]) -> Result<Self, MessageError> {
        let task: Self = decoded(bytes)?;
        let id = sandboard_common::hex::hex(&job_id(&task.arena, task.pair.number));
        let reason = match &task {
            _ if task.id != id => "the id does not match the arena's pair",
            _ if usize::from(task.game) >= task.pair.players.len() => "its pair has no such game",
            _ if !is_subject_token(&task.arena) => "the arena's id is invalid",
            _ => return Ok(task),
        };
        Err(MessageError::Form(reason.into()))
    }
}

impl Terms {
    /// The SHA-256 of the terms, in hexadecimal.
    pub fn digest(&self) -> String {
        sandboard_common::hex::hex(&Sha256::digest(serde_json::to_vec(self).unwrap_or_default()))
    }
}

impl TaskResult {
    /// The key of the game.
    pub fn key(&self) -> GameKey {
        GameKey { pair: self.pair, game: self.game }
    }

    /// Encodes the result: the length of the JSON (4 bytes, little-endian), the JSON, the record.
    pub fn encode(&self, record: Option<&PackedRecord>) -> Vec<u8> {
        let json = serde_json::to_vec(self).unwrap_or_default();
        let mut bytes = (json.len() as u32).to_le_bytes().to_vec();
        bytes.extend(json);
        bytes.extend(record.map_or(&[][..], |record| &record.0));
        bytes
    }

    /// Decodes a result and its record, which is empty if there is none.
    pub fn decode(bytes: &[u8]) -> Result<(Self, PackedRecord), MessageError> {
        let cut = || MessageError::Form("cut off".into());
        let (length, rest) = bytes.split_first_chunk().ok_or_else(cut)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (json, record) = rest.split_at_checked(length).ok_or_else(cut)?;
        let mut result: Self = decoded(json)?;
        if let Outcome::Refused { reason } = &mut result.outcome {
            *reason = clean_text(reason, REASON_BYTES);
        }
        let has_names = is_subject_token(&result.worker) && is_subject_token(&result.arena);
        if !has_names || usize::from(result.game) >= SEATS_MAX {
            return Err(MessageError::Form("invalid name or number".into()));
        }
        Ok((result, PackedRecord(record.to_vec())))
    }
}

impl Presence {
    /// Decodes and validates a report. Numbers are within the limits of a worker, and texts are
    /// safe to print.
    pub fn decode(bytes: &[u8]) -> Result<Self, MessageError> {
        if bytes.len() > PRESENCE_BYTES_MAX {
            return Err(MessageError::Form(format!("{} bytes", bytes.len())));
        }
        let Self { version, number, worker, kind, host, slots, games } = decoded(bytes)?;
        if !is_subject_token(&worker) || !is_subject_token(&kind) {
            return Err(MessageError::Form("invalid name".into()));
        }
        let slots = slots.min(CONCURRENCY_MAX);
        let games = games.into_iter().take(slots);
        let games = games.filter_map(|(arena, game)| Some((arena, valid_game(game)?))).collect();
        Ok(Self { version, number, worker, kind, host: plain(&host), slots, games })
    }
}

/// A game in progress that is safe to print; none: its name or its players are invalid.
fn valid_game(game: LiveGame) -> Option<LiveGame> {
    GameKey::from_name(&game.name)?;
    let has_players = (2..=SEATS_MAX).contains(&game.players.len());
    if !has_players || game.scores.len() != game.players.len() {
        return None;
    }
    let text = |text: &String| clean_text(text, LINE_BYTES);
    Some(LiveGame {
        start: game.start.as_ref().map(text),
        moves: game.moves.iter().map(text).collect(),
        worker: None,
        ..game
    })
}

/// Decodes a JSON message of the current version.
pub fn decoded<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, MessageError> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let invalid = |error: serde_json::Error| MessageError::Form(error.to_string());
    let found = serde_json::from_slice::<Versioned>(bytes).map_err(invalid)?.version;
    if found != VERSION {
        return Err(MessageError::Version { found });
    }
    serde_json::from_slice(bytes).map_err(invalid)
}

/// Whether a name can be part of a broker subject: 1 to 64 letters, digits, `-` and `_`.
pub fn is_subject_token(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=64).contains(&name.len()) && name.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(worker: &str) -> TaskResult {
        TaskResult {
            version: VERSION,
            arena: "00000000000000a1".into(),
            pair: 3,
            game: 1,
            attempt: 2,
            purpose: Purpose::Replay { not_by: "0b".repeat(32).parse().unwrap() },
            terms: "0f".repeat(32),
            worker: worker.into(),
            outcome: Outcome::Played,
        }
    }

    fn check(bytes: &[u8], expected: &str) {
        let error = TaskResult::decode(bytes).map(drop).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn a_result_is_decoded_with_its_record() {
        for record in [&b""[..], b"abc", &[0; 70_000]] {
            let packed = PackedRecord(record.to_vec());
            let bytes = result("a").encode(Some(&packed));
            assert_eq!(TaskResult::decode(&bytes).unwrap(), (result("a"), packed));
        }
        let valid = result("a").encode(None);
        for cut in 0..valid.len() {
            check(&valid[..cut], "not a message of this kind");
        }
        check(&u32::MAX.to_le_bytes(), "cut off");
        check(&result("a b").encode(None), "invalid name or number");
        check(&result("").encode(None), "invalid name or number");
        check(&TaskResult { game: 16, ..result("a") }.encode(None), "invalid name or number");
        check(&TaskResult { version: 9, ..result("a") }.encode(None), "has version 9");
    }

    #[test]
    fn reports_of_workers_are_limited_and_safe_to_print() {
        let game = |name: &str, mv: &str| {
            let (start, moves) = (Some("\u{1b}[2J".into()), vec![mv.to_owned()]);
            let (round, players, scores) = (0, vec![0, 1], vec![None, None]);
            let worker = Some("other".into());
            LiveGame { name: name.into(), round, players, start, moves, scores, worker }
        };
        let presence = |worker: &str, slots: usize, games: Vec<LiveGame>| Presence {
            version: VERSION,
            number: 1,
            worker: worker.into(),
            kind: host_kind(),
            host: "\u{1b}]0;title\u{7}".into(),
            slots,
            games: games.into_iter().map(|game| ("a".to_owned(), game)).collect(),
        };
        let check = |presence: Presence, expected: Option<(usize, &[&str])>| {
            let found = Presence::decode(&serde_json::to_vec(&presence).unwrap()).ok();
            assert_eq!(found.is_some(), expected.is_some(), "{presence:?}");
            let (Some(found), Some((slots, moves))) = (found, expected) else { return };
            assert_eq!(found.slots, slots);
            let games = found.games.iter().map(|(_, game)| game);
            assert_eq!(games.clone().flat_map(|it| &it.moves).collect::<Vec<_>>(), moves);
            assert!(games.clone().all(|it| it.worker.is_none()));
            let starts = games.filter_map(|it| it.start.clone());
            let mut texts = starts.chain([found.host, found.kind]);
            assert!(texts.all(|text| !text.chars().any(char::is_control)));
        };
        check(presence("a", 2, vec![game("pair-000001-1", "h8")]), Some((2, &["h8"])));
        check(presence("a", 2, vec![game("pair-000001-1", "\u{7}")]), Some((2, &["\\u{7}"])));
        check(presence("a", 2, vec![game("\u{1b}", "h8")]), Some((2, &[])));
        let crowd = LiveGame {
            players: vec![0; 17],
            scores: vec![None; 17],
            ..game("pair-000001-1", "h8")
        };
        let odd = LiveGame { scores: vec![None; 3], ..game("pair-000001-1", "h8") };
        check(presence("a", 2, vec![crowd, odd]), Some((2, &[])));
        check(presence("a", usize::MAX, Vec::new()), Some((CONCURRENCY_MAX, &[])));
        check(presence("a", 0, vec![game("pair-000001-1", "h8")]), Some((0, &[])));
        check(presence("\u{1b}[2J", 1, Vec::new()), None);
        check(presence("a", 1, vec![game(&"x".repeat(PRESENCE_BYTES_MAX), "h8")]), None);
    }

    #[test]
    fn texts_of_peers_are_safe_to_print() {
        let reason = "\u{1b}[2Jit\u{202e}";
        let refused =
            TaskResult { outcome: Outcome::Refused { reason: reason.into() }, ..result("a") };
        let (found, _) = TaskResult::decode(&refused.encode(None)).unwrap();
        let Outcome::Refused { reason: cleaned } = found.outcome else { panic!("{found:?}") };
        let worker = "0b".repeat(32).parse().unwrap();
        let (arena, reason) = (reason.to_owned(), reason.to_owned());
        let dismissal = Dismissal { version: VERSION, worker, arena, reason };
        let bytes = serde_json::to_vec(&dismissal).unwrap();
        let Dismissal { arena, reason, .. } = Dismissal::decode(&bytes).unwrap();
        for text in [cleaned, arena, reason] {
            assert!(text.contains("it") && text.chars().all(|c| c.is_ascii_graphic()), "{text}");
        }
    }

    #[test]
    fn names_fit_into_subjects() {
        let check =
            |name: &str, expected: bool| assert_eq!(is_subject_token(name), expected, "{name}");
        check("a", true);
        check("Host-1_2", true);
        check(&"a".repeat(64), true);
        for wrong in ["", "a.b", "a b", "*", ">", "ä", &"a".repeat(65)] {
            check(wrong, false);
        }
    }

    #[test]
    fn the_kind_of_host_is_stable() {
        assert_eq!(host_kind(), host_kind());
        assert!(is_subject_token(&host_kind()) && host_kind().len() == KIND_DIGITS);
    }
}
