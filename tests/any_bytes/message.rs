//! Any bytes as what a worker sends and as what it is sent: a message or the reason
//! why it is none, with no more memory taken than there are bytes. And any message
//! as bytes, which read as that message.

use std::io::Read;

use sandboard_abi::{
    Abilities, Barred, Bound, Choice, Decision, Description, GameSpec, Kind, Level, Limits, Line,
    OptionSpec, Score, Setup, Unit,
};
use sandboard_host::engine::wasm::{Allocator, Metering, OptLevel, RuntimeOptions};
use sandboard_host::engine::{Answer, BorderHash, CallName, Caps, Fault, FaultCode, Spent};
use sandboard_host::worker::frame::{self, FROM_WORKER_BYTES, FrameError, TO_WORKER_BYTES};
use sandboard_host::worker::message::{FromWorker, Task, ToWorker};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::source::Source;

/// Reads the bytes as a host reads what a worker sends.
pub fn from_worker(bytes: &[u8]) {
    stream::<FromWorker>(bytes, FROM_WORKER_BYTES);
}

/// Reads the bytes as a worker reads what its host sends.
pub fn to_worker(bytes: &[u8]) {
    stream::<ToWorker>(bytes, TO_WORKER_BYTES);
}

/// A stream that notes how much room its reader offers: what it has taken of memory.
struct Metered<'a> {
    left: &'a [u8],
    came: usize,
}

/// What a reader may hold before anything has come.
const FIRST_BYTES: usize = 64 * 1024;

impl Read for Metered<'_> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let most = FIRST_BYTES + 4 * self.came;
        assert!(room.len() <= most, "room for {} when {} have come", room.len(), self.came);
        // In pieces, as a pipe brings it.
        let length = room.len().min(self.left.len()).min(1000);
        let (now, later) = self.left.split_at(length);
        room[..length].copy_from_slice(now);
        self.left = later;
        self.came += length;
        Ok(length)
    }
}

fn stream<T>(bytes: &[u8], most_bytes: u32)
where
    T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let mut stream = Metered { left: bytes, came: 0 };
    loop {
        let before = stream.came;
        match frame::read::<T>(&mut stream, most_bytes) {
            Ok(message) => check_round_trip(&message, most_bytes),
            Err(error) => {
                let said = u32::from_le_bytes(std::array::from_fn(|i| {
                    bytes.get(before + i).copied().unwrap_or(0)
                }));
                match error {
                    FrameError::Closed => assert_eq!(before, bytes.len()),
                    FrameError::TooLong(found, most) => {
                        assert_eq!((found, most), (said, most_bytes));
                        assert_eq!(stream.came, before + 4, "none of it was read");
                    }
                    FrameError::Broken(_) => assert_eq!(stream.came, bytes.len()),
                    FrameError::Unknown(_) => assert_eq!(stream.came, before + 4 + said as usize),
                    other => panic!("an error of no kind that is known: {other}"),
                }
                return;
            }
        }
    }
}

/// What can be read can be written, and that reads alike.
fn check_round_trip<T>(message: &T, most_bytes: u32)
where
    T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let mut written = Vec::new();
    frame::write(&mut written, message).expect("a vector takes everything");
    let mut rest = &written[..];
    let again: T = frame::read(&mut rest, most_bytes.max(written.len() as u32))
        .unwrap_or_else(|error| panic!("{error}: {message:?}"));
    assert_eq!(&again, message);
    assert!(rest.is_empty());
    // The near miss: one byte less is no message.
    let cut = frame::read::<T>(&mut &written[..written.len() - 1], u32::MAX);
    assert!(matches!(cut, Err(FrameError::Broken(_))), "{cut:?}");
}

/// Makes messages of the bytes, both ways.
pub fn messages(bytes: &[u8]) {
    let mut source = Source::new(bytes);
    while !source.is_empty() {
        match source.flag() {
            true => check_round_trip(&said_by_worker(&mut source), FROM_WORKER_BYTES),
            false => check_round_trip(&said_by_host(&mut source), TO_WORKER_BYTES),
        }
    }
}

fn said_by_host(s: &mut Source) -> ToWorker {
    match s.byte() % 8 {
        0 => ToWorker::Task(task(s)),
        1 => ToWorker::Describe,
        2 => ToWorker::Start(setup(s)),
        3 => ToWorker::Played(s.text()),
        4 => ToWorker::TakenBack(s.number() as u32),
        5 => ToWorker::Choose(limits(s), s.list(barred)),
        6 => ToWorker::Open,
        _ => ToWorker::Think,
    }
}

fn said_by_worker(s: &mut Source) -> FromWorker {
    match s.byte() % 8 {
        0 => FromWorker::Report(line(s)),
        1 => FromWorker::Log(level(s), s.text()),
        2 => FromWorker::Ready(or_fault(s, |_| ())),
        3 => FromWorker::Described(or_fault(s, description)),
        4 => FromWorker::Done(or_fault(s, spent)),
        5 => FromWorker::Chosen(or_fault(s, answer)),
        6 => FromWorker::Opened(or_fault(s, |s| s.number())),
        _ => FromWorker::Compiled(if s.flag() { Ok(s.number()) } else { Err(s.text()) }),
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
        opt_level: s.pick(&[OptLevel::None, OptLevel::Speed, OptLevel::SpeedAndSize]),
        allocator: s.pick(&[Allocator::Pool, Allocator::OnDemand]),
    }
}

fn caps(s: &mut Source) -> Caps {
    Caps {
        memory_bytes: s.number(),
        start_us: s.number(),
        log_bytes: s.number(),
        deadlines: s.flag(),
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

fn spent(s: &mut Source) -> Spent {
    Spent {
        wall_us: s.number(),
        cpu_us: s.maybe(Source::number),
        fuel: s.maybe(Source::number),
        peak_memory_bytes: s.maybe(Source::number),
        logged_bytes: s.number(),
        border: s.maybe(border),
        stopped: s.flag(),
    }
}

fn border(s: &mut Source) -> BorderHash {
    BorderHash(std::array::from_fn(|_| s.byte()))
}

fn answer(s: &mut Source) -> Answer {
    let decision = match s.byte() % 3 {
        0 => Decision::Play(s.text()),
        1 => Decision::Resign,
        _ => Decision::AcceptDraw,
    };
    let choice = Choice { decision, offers_draw: s.flag(), line: s.maybe(line) };
    Answer { choice, spent: spent(s) }
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
