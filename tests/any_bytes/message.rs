//! Arbitrary bytes as messages from and to an engine process: each is a message or an error, and
//! reading takes memory in proportion to the received bytes. Generated messages are written and
//! read again.

use std::io::Read;

use sandboard_abi::{
    Abilities, Barred, Bound, Choice, Decision, Description, GameSpec, Kind, Level, Limits, Line,
    OptionSpec, Score, Setup, Unit,
};
use sandboard_engine::{CallName, Caps, ChooseResponse, Fault, FaultCode, TranscriptHash, Usage};
use sandboard_engine_process::frame;
use sandboard_engine_process::frame::{
    FrameError, HOST_MESSAGE_BYTES_MAX, PROCESS_MESSAGE_BYTES_MAX,
};
use sandboard_engine_process::message::{HostMessage, ProcessMessage, Task};
use sandboard_engine_wasm::{Allocator, Metering, OptLevel, RuntimeKind, RuntimeOptions};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::source::Source;

/// Reads the bytes as messages from an engine process.
pub fn from_engine_process(bytes: &[u8]) {
    stream::<ProcessMessage>(bytes, PROCESS_MESSAGE_BYTES_MAX);
}

/// Reads the bytes as messages from the host.
pub fn to_engine_process(bytes: &[u8]) {
    stream::<HostMessage>(bytes, HOST_MESSAGE_BYTES_MAX);
}

/// A stream that checks the size of its reader's buffer.
struct Metered<'a> {
    left: &'a [u8],
    received: usize,
}

/// Buffer size that a reader may have before it has received anything.
const FIRST_BYTES: usize = 64 * 1024;

impl Read for Metered<'_> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let most = FIRST_BYTES + 4 * self.received;
        assert!(room.len() <= most, "a buffer of {} after {} bytes", room.len(), self.received);
        // In pieces, as from a pipe.
        let length = room.len().min(self.left.len()).min(1000);
        let (now, later) = self.left.split_at(length);
        room[..length].copy_from_slice(now);
        self.left = later;
        self.received += length;
        Ok(length)
    }
}

fn stream<T>(bytes: &[u8], most_bytes: u32)
where
    T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let mut stream = Metered { left: bytes, received: 0 };
    loop {
        let before = stream.received;
        match frame::read::<T>(&mut stream, most_bytes) {
            Ok(message) => check_round_trip(&message, most_bytes),
            Err(error) => {
                let length_field = u32::from_le_bytes(std::array::from_fn(|i| {
                    bytes.get(before + i).copied().unwrap_or(0)
                }));
                match error {
                    FrameError::Closed => assert_eq!(before, bytes.len()),
                    FrameError::TooLong(found, most) => {
                        assert_eq!((found, most), (length_field, most_bytes));
                        assert_eq!(stream.received, before + 4, "the body was not read");
                    }
                    FrameError::Broken(_) => assert_eq!(stream.received, bytes.len()),
                    FrameError::Unknown(_) => {
                        assert_eq!(stream.received, before + 4 + length_field as usize)
                    }
                    other => panic!("an unknown kind of error: {other}"),
                }
                return;
            }
        }
    }
}

/// A message is written and read as the same message.
fn check_round_trip<T>(message: &T, most_bytes: u32)
where
    T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let mut written = Vec::new();
    frame::write(&mut written, message).expect("writing to a vector cannot fail");
    let mut rest = &written[..];
    let again: T = frame::read(&mut rest, most_bytes.max(written.len() as u32))
        .unwrap_or_else(|error| panic!("{error}: {message:?}"));
    assert_eq!(&again, message);
    assert!(rest.is_empty());
    // A message without its last byte is invalid.
    let cut = frame::read::<T>(&mut &written[..written.len() - 1], u32::MAX);
    assert!(matches!(cut, Err(FrameError::Broken(_))), "{cut:?}");
}

/// Generates messages in both directions from the bytes.
pub fn messages(bytes: &[u8]) {
    let mut source = Source::new(bytes);
    while !source.is_empty() {
        match source.flag() {
            true => check_round_trip(&process_message(&mut source), PROCESS_MESSAGE_BYTES_MAX),
            false => check_round_trip(&host_message(&mut source), HOST_MESSAGE_BYTES_MAX),
        }
    }
}

fn host_message(s: &mut Source) -> HostMessage {
    match s.byte() % 8 {
        0 => HostMessage::Task(task(s)),
        1 => HostMessage::Describe,
        2 => HostMessage::Start(setup(s)),
        3 => HostMessage::Played(s.text()),
        4 => HostMessage::TakenBack(s.number() as u32),
        5 => HostMessage::Choose(limits(s), s.list(barred)),
        6 => HostMessage::Open,
        _ => HostMessage::Think,
    }
}

fn process_message(s: &mut Source) -> ProcessMessage {
    match s.byte() % 8 {
        0 => ProcessMessage::Report(line(s)),
        1 => ProcessMessage::Log(level(s), s.text()),
        2 => ProcessMessage::Ready(or_fault(s, |_| ())),
        3 => ProcessMessage::Described(or_fault(s, description)),
        4 => ProcessMessage::Done(or_fault(s, spent)),
        5 => ProcessMessage::Chosen(or_fault(s, answer)),
        6 => ProcessMessage::Opened(or_fault(s, |s| s.number())),
        _ => ProcessMessage::Compiled(if s.flag() { Ok(s.number()) } else { Err(s.text()) }),
    }
}

fn task(s: &mut Source) -> Task {
    match s.byte() % 3 {
        0 => Task::Native { caps: caps(s), assets: s.list(Source::text) },
        1 => Task::Wasm {
            metering: metering(s),
            options: options(s),
            caps: caps(s),
            assets: s.list(Source::text),
        },
        _ => Task::Compile { metering: metering(s), options: options(s) },
    }
}

fn metering(s: &mut Source) -> Metering {
    s.pick(&[Metering::Deadline, Metering::Fuel])
}

fn options(s: &mut Source) -> RuntimeOptions {
    RuntimeOptions {
        kind: s.pick(&[RuntimeKind::Wasmtime, RuntimeKind::Wasmi]),
        opt_level: s.pick(&[OptLevel::None, OptLevel::Speed, OptLevel::SpeedAndSize]),
        allocator: s.pick(&[Allocator::Pool, Allocator::OnDemand]),
    }
}

fn caps(s: &mut Source) -> Caps {
    Caps {
        memory_bytes: s.number(),
        start_us: s.number(),
        log_bytes: s.number(),
        enforce_deadlines: s.flag(),
        guard_us: s.number(),
    }
}

fn setup(s: &mut Source) -> Setup {
    Setup {
        game: s.text(),
        variant: s.text(),
        start: s.text(),
        moves: s.text(),
        seats: s.list(Source::byte),
        seed: s.number(),
        options: s.list(|s| (s.text(), s.text())),
        memory_bytes: s.number(),
        threads: s.short(),
        helper: s.short(),
        helpers: s.short(),
        table_slots: s.number(),
    }
}

fn limits(s: &mut Source) -> Limits {
    Limits {
        unit: s.pick(&[Unit::Unlimited, Unit::Wall, Unit::Cpu, Unit::Fuel]),
        call_max: s.maybe(Source::number),
        game_left: s.maybe(Source::number),
        increment: s.number(),
        moves_to_go: s.maybe(|s| s.number() as u32),
        grace: s.number(),
        depth: s.maybe(|s| s.number() as u32),
        nodes: s.maybe(Source::number),
        lines: s.short(),
        others_left: s.list(|s| (s.byte(), s.number())),
        draw_offered: s.flag(),
    }
}

fn barred(s: &mut Source) -> Barred {
    Barred { r#move: s.text(), reason: s.text() }
}

fn level(s: &mut Source) -> Level {
    s.pick(&[Level::Fatal, Level::Warning, Level::Info, Level::Debug])
}

fn line(s: &mut Source) -> Line {
    let bounds = [Bound::Estimate, Bound::AtLeast, Bound::AtMost, Bound::Exact];
    Line {
        rank: s.short(),
        score: s.maybe(|s| Score { value: s.number() as i32, bound: s.pick(&bounds) }),
        depth: s.number() as u32,
        nodes: s.number(),
        spent: s.number(),
        moves: s.text(),
    }
}

fn or_fault<T>(s: &mut Source, one: impl FnOnce(&mut Source) -> T) -> Result<T, Fault> {
    if s.flag() {
        return Ok(one(s));
    }
    let codes = [FaultCode::Load, FaultCode::Timeout, FaultCode::IllegalMove, FaultCode::Host];
    let mut fault = Fault::new(s.pick(&codes), s.text());
    fault.call = s.maybe(|s| s.pick(&[CallName::Start, CallName::TakenBack, CallName::Think]));
    fault.spent = spent(s);
    Err(fault)
}

fn spent(s: &mut Source) -> Usage {
    Usage {
        wall_us: s.number(),
        cpu_us: s.maybe(Source::number),
        fuel: s.maybe(Source::number),
        peak_memory_bytes: s.maybe(Source::number),
        logged_bytes: s.number(),
        transcript_hash: s.maybe(transcript_hash),
        stopped: s.flag(),
    }
}

fn transcript_hash(s: &mut Source) -> TranscriptHash {
    TranscriptHash(std::array::from_fn(|_| s.byte()))
}

fn answer(s: &mut Source) -> ChooseResponse {
    let decision = match s.byte() % 3 {
        0 => Decision::Play(s.text()),
        1 => Decision::Resign,
        _ => Decision::AcceptDraw,
    };
    let choice = Choice { decision, offers_draw: s.flag(), line: s.maybe(line) };
    ChooseResponse { choice, spent: spent(s) }
}

fn description(s: &mut Source) -> Description {
    Description {
        id: s.text(),
        name: s.text(),
        author: s.text(),
        version: s.text(),
        games: s.list(|s| GameSpec { game: s.text(), variants: s.list(Source::text) }),
        options: s.list(option),
        abilities: Abilities { ponders: s.flag(), helpers: s.flag(), proves: s.flag() },
    }
}

fn option(s: &mut Source) -> OptionSpec {
    let kind = match s.byte() % 5 {
        0 => Kind::Toggle,
        1 => Kind::Whole(s.number() as i64, s.number() as i64),
        2 => Kind::Real(s.real(), s.real()),
        3 => Kind::Pick(s.list(Source::text)),
        _ => Kind::Text(s.number() as u32),
    };
    OptionSpec { name: s.text(), about: s.text(), kind, initial: s.text(), tunable: s.flag() }
}
