//! Keeps a rolling hash of all ABI calls and answers of one instance, so that two runs can be
//! compared call by call. Does not store the calls themselves.
//!
//! The hash covers a sequence of entries, one for each call and each answer, in the order in which
//! they occurred. An entry is a byte for its kind ([`Entry`]), then its values in the order of the
//! ABI. Numbers are 8 bytes, little-endian. Texts and lists are preceded by their length, options
//! and results by a byte for their variant. Of an asset's bytes only their number is included.

use std::fmt;
use std::str::FromStr;

use sandboard_abi::{Barred, CellOp, Choice, Decision, Level, Limits, Line, Setup, View};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// The first 16 bytes of the SHA-256 of an instance's transcript; its text form is hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TranscriptHash(pub [u8; 16]);

impl fmt::Display for TranscriptHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}

impl TranscriptHash {
    /// Calls `read` with the hash's text, without an allocation.
    fn with_text<T>(self, read: impl FnOnce(&str) -> T) -> T {
        let mut digits = [0; 32];
        for (pair, byte) in digits.as_chunks_mut().0.iter_mut().zip(self.0) {
            *pair = sandboard_common::hex::hex_digits(byte);
        }
        read(std::str::from_utf8(&digits).unwrap_or_default())
    }
}

/// A text that is not a transcript hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a transcript hash has 32 hexadecimal digits")]
pub struct TranscriptHashError;

impl FromStr for TranscriptHash {
    type Err = TranscriptHashError;

    fn from_str(text: &str) -> Result<Self, TranscriptHashError> {
        let digits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u128::from_str_radix(text, 16).ok().filter(|_| digits);
        number.map(|number| Self(number.to_be_bytes())).ok_or(TranscriptHashError)
    }
}

impl Serialize for TranscriptHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

impl<'de> Deserialize<'de> for TranscriptHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The kind of an entry. The numbers are part of every record.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Entry {
    Start = 1,
    Played = 2,
    TakenBack = 3,
    Choose = 4,
    Chosen = 5,
    Think = 6,
    Report = 16,
    Log = 17,
    Left = 18,
    Legal = 19,
    Look = 20,
    Asset = 21,
    Probe = 22,
    Store = 23,
    Cell = 24,
}

/// Number of bytes after which entries are hashed. An entry has a dozen values of a few bytes each,
/// so hashing them together is faster.
const BUFFER_BYTES: usize = 1024;

/// The transcript of one instance.
#[derive(Clone, Default)]
pub(crate) struct Transcript {
    hasher: Sha256,
    /// Bytes that are not hashed yet.
    buffer: Vec<u8>,
}

impl Transcript {
    /// The hash of all entries so far.
    pub(crate) fn hash(&mut self) -> TranscriptHash {
        self.flush();
        let digest = self.hasher.clone().finalize();
        let mut hash = [0; 16];
        hash.copy_from_slice(&digest[..16]);
        TranscriptHash(hash)
    }

    pub(crate) fn start(&mut self, setup: &Setup) {
        let Setup { game, variant, start, moves, seats, seed, options, .. } = setup;
        self.entry(Entry::Start);
        [game, variant, start, moves].into_iter().for_each(|text| self.text(text));
        self.bytes(seats);
        self.number(*seed);
        self.number(options.len() as u64);
        for (name, value) in options {
            self.text(name);
            self.text(value);
        }
        self.number(setup.memory_bytes);
        for count in [setup.threads, setup.helper, setup.helpers] {
            self.number(count.into());
        }
        self.number(setup.table_slots);
    }

    pub(crate) fn played(&mut self, mv: &str) {
        self.entry(Entry::Played);
        self.text(mv);
    }

    pub(crate) fn taken_back(&mut self, plies: u32) {
        self.entry(Entry::TakenBack);
        self.number(plies.into());
    }

    pub(crate) fn choose(&mut self, limits: &Limits, barred: &[Barred]) {
        self.entry(Entry::Choose);
        self.number(limits.unit as u64);
        self.option(limits.call_max);
        self.option(limits.game_left);
        self.number(limits.increment);
        self.option(limits.moves_to_go.map(u64::from));
        self.number(limits.grace);
        self.option(limits.depth.map(u64::from));
        self.option(limits.nodes);
        self.number(limits.lines.into());
        self.number(limits.others_left.len() as u64);
        for (seat, left) in &limits.others_left {
            self.number((*seat).into());
            self.number(*left);
        }
        self.flag(limits.draw_offered);
        self.number(barred.len() as u64);
        for barred in barred {
            self.text(&barred.r#move);
            self.text(&barred.reason);
        }
    }

    pub(crate) fn chosen(&mut self, choice: &Choice) {
        self.entry(Entry::Chosen);
        match &choice.decision {
            Decision::Play(mv) => {
                self.number(0);
                self.text(mv);
            }
            Decision::Resign => self.number(1),
            Decision::AcceptDraw => self.number(2),
        }
        self.flag(choice.offers_draw);
        self.flag(choice.line.is_some());
        if let Some(line) = &choice.line {
            self.line(line);
        }
    }

    pub(crate) fn think(&mut self) {
        self.entry(Entry::Think);
    }

    pub(crate) fn report(&mut self, line: &Line) {
        self.entry(Entry::Report);
        self.line(line);
    }

    pub(crate) fn log(&mut self, level: Level, text: &str) {
        self.entry(Entry::Log);
        self.number(level as u64);
        self.text(text);
    }

    pub(crate) fn left(&mut self, left: u64) {
        self.entry(Entry::Left);
        self.number(left);
    }

    pub(crate) fn legal(&mut self, moves: &str, answer: &Result<String, String>) {
        self.entry(Entry::Legal);
        self.text(moves);
        self.flag(answer.is_ok());
        let (Ok(text) | Err(text)) = answer;
        self.text(text);
    }

    pub(crate) fn look(&mut self, moves: &str, answer: &Result<View, String>) {
        self.entry(Entry::Look);
        self.text(moves);
        self.flag(answer.is_ok());
        match answer {
            Ok(View { position, to_move, ending }) => {
                self.text(position);
                self.number((*to_move).into());
                self.flag(ending.is_some());
                if let Some(ending) = ending {
                    self.number(ending.scores.len() as u64);
                    for score in &ending.scores {
                        self.number(i64::from(*score).cast_unsigned());
                    }
                    self.text(&ending.reason);
                }
            }
            Err(reason) => self.text(reason),
        }
    }

    pub(crate) fn asset(
        &mut self,
        (name, offset, length): (&str, u64, u32),
        answer: Result<&[u8], &String>,
    ) {
        self.entry(Entry::Asset);
        self.text(name);
        self.number(offset);
        self.number(length.into());
        self.flag(answer.is_ok());
        match answer {
            // The files are identified by their hashes, so the number of bytes is enough.
            Ok(bytes) => self.number(bytes.len() as u64),
            Err(reason) => self.text(reason),
        }
    }

    pub(crate) fn probe(&mut self, key: u64, value: u64) {
        self.entry(Entry::Probe);
        self.number(key);
        self.number(value);
    }

    pub(crate) fn store(&mut self, key: u64, value: u64) {
        self.entry(Entry::Store);
        self.number(key);
        self.number(value);
    }

    pub(crate) fn cell(&mut self, index: u32, op: CellOp, value: i64, before: i64) {
        self.entry(Entry::Cell);
        self.number(index.into());
        self.number(op as u64);
        self.number(value as u64);
        self.number(before as u64);
    }

    fn line(&mut self, line: &Line) {
        self.number(line.rank.into());
        self.flag(line.score.is_some());
        if let Some(score) = line.score {
            self.number(i64::from(score.value) as u64);
            self.number(score.bound as u64);
        }
        self.number(line.depth.into());
        self.number(line.nodes);
        self.number(line.spent);
        self.text(&line.moves);
    }

    fn flush(&mut self) {
        self.hasher.update(&self.buffer);
        self.buffer.clear();
    }

    fn entry(&mut self, entry: Entry) {
        if self.buffer.len() >= BUFFER_BYTES {
            self.flush();
        }
        self.buffer.push(entry as u8);
    }

    fn flag(&mut self, flag: bool) {
        self.buffer.push(u8::from(flag));
    }

    fn number(&mut self, number: u64) {
        self.buffer.extend_from_slice(&number.to_le_bytes());
    }

    fn option(&mut self, number: Option<u64>) {
        self.flag(number.is_some());
        self.number(number.unwrap_or(0));
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        match bytes.len() {
            0..BUFFER_BYTES => self.buffer.extend_from_slice(bytes),
            _ => {
                self.flush();
                self.hasher.update(bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(write: impl FnOnce(&mut Transcript)) -> TranscriptHash {
        let mut transcript = Transcript::default();
        write(&mut transcript);
        transcript.hash()
    }

    #[test]
    fn the_hash_is_the_first_half_of_sha256_over_the_entries() {
        let bytes = [&[2, 2, 0, 0, 0, 0, 0, 0, 0][..], b"h8"].concat();
        let expected = &sandboard_common::hex::hex(&Sha256::digest(bytes))[..32];
        let found = hash(|transcript| transcript.played("h8"));
        assert_eq!(found.to_string(), expected);
        assert_eq!(expected.parse(), Ok(found));
        let invalid =
            ["", "ab", "g0000000000000000000000000000000", "+0000000000000000000000000000000"];
        for text in invalid {
            assert_eq!(text.parse::<TranscriptHash>(), Err(TranscriptHashError), "{text}");
        }
    }

    #[test]
    fn long_entries_are_hashed_like_short_ones() {
        let text = |length: usize| "x".repeat(length);
        for lengths in [[0, 1023, 5], [1024, 0, 1], [1, 5000, 1015], [600, 600, 600]] {
            let mut bytes = Vec::new();
            for length in lengths {
                bytes.push(2);
                bytes.extend((length as u64).to_le_bytes());
                bytes.extend(text(length).bytes());
            }
            let found = hash(|transcript| {
                lengths.into_iter().for_each(|length| transcript.played(&text(length)));
            });
            assert_eq!(
                found.to_string(),
                sandboard_common::hex::hex(&Sha256::digest(bytes))[..32],
                "{lengths:?}"
            );
        }
    }

    #[test]
    fn different_entries_have_different_hashes() {
        let limits = |call_max| Limits { call_max, ..Limits::default() };
        let line = |depth| Line { depth, ..Line::default() };
        let play = |mv: &str, line: Option<Line>| Choice {
            decision: Decision::Play(mv.into()),
            offers_draw: false,
            line,
        };
        let (ok, refused) = (Ok(String::from("a1")), Err(String::from("a1")));
        let all = [
            hash(|_| ()),
            hash(|t| t.played("a")),
            hash(|t| t.played("b")),
            hash(|t| {
                t.played("a");
                t.played("b");
            }),
            hash(|t| t.played("ab")),
            hash(|t| t.taken_back(1)),
            hash(|t| t.taken_back(2)),
            hash(|t| t.choose(&limits(None), &[])),
            hash(|t| t.choose(&limits(Some(0)), &[])),
            hash(|t| t.choose(&Limits { game_left: Some(0), ..Limits::default() }, &[])),
            hash(|t| t.choose(&Limits { draw_offered: true, ..Limits::default() }, &[])),
            hash(|t| t.chosen(&play("a", None))),
            hash(|t| t.chosen(&play("a", Some(line(0))))),
            hash(|t| t.chosen(&play("a", Some(line(1))))),
            hash(|t| t.chosen(&Choice { decision: Decision::Resign, ..play("", None) })),
            hash(|t| t.chosen(&Choice { decision: Decision::AcceptDraw, ..play("", None) })),
            hash(|t| t.report(&line(1))),
            hash(|t| t.log(Level::Info, "a")),
            hash(|t| t.log(Level::Debug, "a")),
            hash(|t| t.left(1)),
            hash(|t| t.legal("a", &ok)),
            hash(|t| t.legal("a", &refused)),
            hash(|t| t.asset(("a", 0, 1), Ok(b"a"))),
            hash(|t| t.asset(("a", 1, 1), Ok(b"a"))),
            hash(|t| t.asset(("a", 0, 1), Ok(b""))),
            hash(|t| t.asset(("a", 0, 1), Err(&"a".into()))),
            hash(|t| t.probe(1, 2)),
            hash(|t| t.store(1, 2)),
            hash(|t| t.cell(1, CellOp::Put, 2, 3)),
            hash(|t| t.cell(1, CellOp::Add, 2, 3)),
            hash(|t| t.think()),
        ];
        for (index, one) in all.iter().enumerate() {
            assert!(!all[..index].contains(one), "entry {index} has the hash of another entry");
        }
    }
}
