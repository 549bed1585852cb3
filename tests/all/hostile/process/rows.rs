//! What comes of each act in its words: a fault of its bout, or nothing but time.

use std::sync::Arc;

use sandboard_abi::{Bound, Decision, Level, Limits, Line, Score, Unit};
use sandboard_host::bout::EnginePlayer;
use sandboard_host::engine::{Caps, Deaf, Engine, EngineSource, Fault, Listener};
use sandboard_tests::gomoku;

use super::guest::{START_MS, caps, source};
use crate::engines::patient;
use crate::hostile::room::{Room, Terms, fault_of, result, told};

/// What comes of a move that takes longer than it may.
const LATE: &str = "timeout: did not answer within 60 ms and 50 ms of grace";

/// It loses its game, and this is how the reason begins.
#[track_caller]
fn loses(room: &Room, act: &str, at: &str, why: &str) {
    // Who crashes has the time to, however busy the machine is.
    let budget = if why == LATE { "60ms/move" } else { "30s/move" };
    let player = EnginePlayer::new(source(act, at, caps()), "hostile");
    let record = room.bout_with(player, Terms::within(budget));
    assert_eq!(result(&record).winner, Some(1), "{act}");
    let found = fault_of(&record);
    assert!(found.starts_with(why), "{act}: {found:?}, not {why:?}");
}

/// It chooses what no rule allows, until its requests are used up.
#[track_caller]
fn is_refused(room: &Room, act: &str) {
    let player = EnginePlayer::new(source(act, "", caps()), "hostile");
    let record = room.bout_with(player, Terms::within("30s/move"));
    let sentence = &result(&record).sentence;
    assert!(sentence.starts_with("hostile (black) loses: the move `"), "{act}: {sentence}");
    assert!(!sentence.contains('\u{1b}'), "{act}: {sentence:?}");
}

/// A game of it that has begun.
fn begun(act: &str, at: &str, caps: Caps) -> Result<Box<dyn Engine>, Fault> {
    let mut engine = source(act, at, caps).open(Arc::new(Deaf))?;
    engine.start(&gomoku(&[]))?;
    Ok(engine)
}

fn sound_again(room: &Room) {
    room.looked();
    let mut engine = begun("none", "", caps()).expect("the next game has a new process");
    let answer = engine.choose(&patient(), &[]).expect("it answers");
    assert_eq!(answer.choice.decision, Decision::Play("a15".into()));
}

pub fn ends(room: &Room) {
    let segv = "crash: was killed by SIGSEGV; the last that it printed: about to touch nothing";
    loses(room, "segv", "", segv);
    loses(room, "segv@uci", "", segv);
    let abort = "crash: was killed by SIGABRT; the last that it printed: giving up";
    loses(room, "abort", "", abort);
    loses(room, "kill-self", "", "crash: was killed by SIGKILL");
    let exit = "crash: ended its process before it answered (exit status 3)";
    loses(room, "exit", "", exit);
    loses(room, "exit@begin", "", exit);
    sound_again(room);
}

pub fn silence(room: &Room) {
    for act in ["silent", "silent@isready", "deaf", "spin", "stop-self"] {
        // The handshake asks whether it is ready, too, and has its own limit.
        let why = match act {
            "silent@isready" => "timeout: did not answer within 2000 ms",
            _ => LATE,
        };
        loses(room, act, "", why);
    }
    loses(room, "close-output", "", "crash: closed its channel before it answered");
    let unborn = format!("timeout: did not answer within {START_MS} ms");
    for act in ["silent@uci", "deaf@begin"] {
        loses(room, act, "", &unborn);
    }
    sound_again(room);
}

pub fn deaf_to_stop(room: &Room) {
    for act in ["silent", "deaf", "spin"] {
        room.looked();
        let mut engine = begun(act, "", caps()).expect("it starts");
        engine.control().stop();
        let fault = engine.choose(&Limits::default(), &[]).expect_err("it does not stop");
        assert_eq!(told(&fault), "timeout: did not stop within 500 ms when told to", "{act}");
    }
    // The near miss stops: before it has begun, and while it thinks without a limit.
    let mut engine = begun("none", "", caps()).expect("it starts");
    engine.control().stop();
    let answer = engine.choose(&Limits::default(), &[]).expect("it stops");
    assert!(answer.spent.stopped);
    let control = engine.control();
    control.clear();
    let stopper = std::thread::spawn(move || control.stop());
    engine.choose(&Limits::default(), &[]).expect("it stops");
    stopper.join().expect("it has stopped");
}

pub fn slow(room: &Room) {
    room.looked();
    let mut engine = begun("slow", "40", caps()).expect("it starts");
    let limits =
        Limits { unit: Unit::Wall, call_max: Some(20_000), grace: 30_000_000, ..Limits::default() };
    let answer = engine.choose(&limits, &[]).expect("it has grace");
    assert!(answer.spent.wall_us >= 40_000, "{:?}", answer.spent);
    // Without grace the same is a loss.
    let limits = Limits { grace: 0, ..limits };
    let fault = engine.choose(&limits, &[]).expect_err("it is late");
    assert_eq!(told(&fault), "timeout: did not answer within 20 ms");
    assert!(fault.spent.wall_us >= 20_000, "{:?}", fault.spent);
}

pub fn cpu(room: &Room) {
    room.looked();
    let mut engine = begun("work", "40", caps()).expect("it starts");
    let limits =
        Limits { unit: Unit::Cpu, call_max: Some(30_000_000), grace: 0, ..Limits::default() };
    let spent = engine.choose(&limits, &[]).expect("it answers").spent;
    // Two threads, and what the system counts of another process is whole once it is at rest.
    assert!((80_000..200_000).contains(&spent.cpu_us.unwrap_or(0)), "{spent:?}");
    let limits = Limits { call_max: Some(30_000), grace: 10_000, ..limits };
    let fault = engine.choose(&limits, &[]).expect_err("they are more than it may have");
    let why = "timeout: did not answer within 30 ms of CPU time and 10 ms of grace";
    assert_eq!(told(&fault), why);
}

pub fn memory(room: &Room) {
    let why = "crash: was killed by SIGABRT; the last that it printed: out of memory";
    loses(room, "eat-memory", "", why);
    sound_again(room);
}

pub fn lies(room: &Room) {
    // What no rule allows is the referee's to refuse, as any engine's.
    is_refused(room, "illegal");
    is_refused(room, "escape");
    loses(room, "no-move", "", "error: has no move, it says: `bestmove (none)`");
    let no_text = "protocol: printed a line that is no UTF-8: bestmove \u{fffd}\u{fffd}";
    loses(room, "no-text", "", no_text);
    let long = "protocol: sent a move of 100 bytes; at most 64 are admitted";
    loses(room, "long-move", "100", long);
    loses(room, "long-move", "69000", "flood: printed a line of more than 65536 bytes");
    sound_again(room);
}

pub fn unasked(room: &Room) {
    let why = "protocol: answered what it was not asked: `bestmove a1`";
    for act in ["unasked@isready", "unasked@position", "twice", "unasked@setoption"] {
        loses(room, act, "", why);
    }
    loses(room, "unasked@uci", "", "protocol: answered `uci` with `bestmove a1`");
    loses(room, "ready@uci", "", "protocol: answered `uci` with `readyok`");
}

/// Keeps the lines.
#[derive(Default)]
struct Reports(std::sync::Mutex<Vec<Line>>);

impl Listener for Reports {
    fn report(&self, line: &Line) {
        self.0.lock().expect("nobody panics").push(line.clone());
    }

    fn log(&self, _: Level, _: &str) {}
}

pub fn reports(room: &Room) {
    room.looked();
    let heard = Arc::<Reports>::default();
    let mut engine = source("wild-report", "", caps()).open(heard.clone()).expect("it opens");
    engine.start(&gomoku(&[])).expect("it starts");
    let answer = engine.choose(&patient(), &[]).expect("it answers");
    let lines = heard.0.lock().expect("nobody panics");
    let scores: Vec<Option<Score>> = lines.iter().map(|line| line.score).collect();
    let score = |value, bound| Some(Score { value, bound });
    let expected =
        [score(0, Bound::Estimate), score(30_000, Bound::AtLeast), score(3, Bound::Estimate)];
    assert_eq!(scores, expected);
    assert!(lines.iter().all(|line| !line.moves.contains('\u{1b}')), "{lines:?}");
    assert_eq!(answer.choice.line.map(|line| line.nodes), Some(7));
}

pub fn floods(room: &Room) {
    let bytes = "flood: printed more than 67108864 bytes in one call";
    loses(room, "flood-lines", "", bytes);
    // The handshake is a call as well.
    let caps = Caps { start_us: 60_000_000, ..caps() };
    let fault = begun("flood-lines@uci", "", caps).err().expect("it is never done");
    assert_eq!(told(&fault), bytes);
    loses(room, "flood-reports", "", "flood: reported more than 100000 lines in one call");
    loses(room, "flood-line", "", "flood: printed a line of more than 65536 bytes");
    loses(room, "flood-options@uci", "", "flood: offers more than 1024 options");
}

pub fn stderr(room: &Room) {
    room.looked();
    let mut engine = begun("flood-stderr", "", caps()).expect("it starts");
    engine.choose(&patient(), &[]).expect("nobody waits for who reads it");
}
