//! The acts with their results: a fault that ends the bout, or only lost time.

use std::sync::Arc;

use sandboard_abi::{Bound, Decision, Level, Limits, Line, Score, Unit};
use sandboard_bout::driver::EnginePlayer;
use sandboard_engine::{Caps, Engine, EngineSource, Fault, Listener, NullListener};
use sandboard_tests::gomoku;

use super::guest::{START_MS, caps, source};
use crate::engines::lenient_limits;
use crate::hostile::harness::{Harness, Terms, code_and_sentence, fault_of, result};

/// The fault of a move that exceeds its time.
const OVERRUN: &str = "timeout: did not answer within 60 ms and 50 ms of grace";

/// The program loses its game by a fault that starts with `why`.
#[track_caller]
fn loses(harness: &Harness, act: &str, at: &str, why: &str) {
    // A long budget, so that a crash comes first on a busy machine, too.
    let budget = if why == OVERRUN { "60ms/move" } else { "30s/move" };
    let player = EnginePlayer::new(source(act, at, caps()), "hostile");
    let record = harness.bout_with(player, Terms::within(budget));
    assert_eq!(result(&record).winner, Some(1), "{act}");
    let found = fault_of(&record);
    assert!(found.starts_with(why), "{act}: {found:?}, not {why:?}");
}

/// The program chooses illegal moves until its requests are used up.
#[track_caller]
fn is_refused(harness: &Harness, act: &str) {
    let player = EnginePlayer::new(source(act, "", caps()), "hostile");
    let record = harness.bout_with(player, Terms::within("30s/move"));
    let sentence = &result(&record).sentence;
    assert!(sentence.starts_with("hostile (black) loses: the move `"), "{act}: {sentence}");
    assert!(!sentence.contains('\u{1b}'), "{act}: {sentence:?}");
}

/// Starts a game.
fn start_game(act: &str, at: &str, caps: Caps) -> Result<Box<dyn Engine>, Fault> {
    let mut engine = source(act, at, caps).open(Arc::new(NullListener), 1)?;
    engine.start(&gomoku(&[]))?;
    Ok(engine)
}

fn check_next_game_is_sound(harness: &Harness) {
    harness.count_check();
    let mut engine = start_game("none", "", caps()).expect("the next game has a new process");
    let answer = engine.choose(&lenient_limits(), &[]).expect("it answers");
    assert_eq!(answer.choice.decision, Decision::Play("a15".into()));
}

pub(super) fn ends(harness: &Harness) {
    let segv = "crash: was killed by SIGSEGV; its last output: about to touch nothing";
    loses(harness, "segv", "", segv);
    loses(harness, "segv@uci", "", segv);
    let abort = "crash: was killed by SIGABRT; its last output: giving up";
    loses(harness, "abort", "", abort);
    loses(harness, "kill-self", "", "crash: was killed by SIGKILL");
    let exit = "crash: ended its process before it answered (exit status 3)";
    loses(harness, "exit", "", exit);
    loses(harness, "exit@begin", "", exit);
    check_next_game_is_sound(harness);
}

pub(super) fn silence(harness: &Harness) {
    for act in ["silent", "silent@isready", "deaf", "spin", "stop-self"] {
        // The handshake sends `isready`, too, and has its own limit.
        let why = match act {
            "silent@isready" => "timeout: did not answer within 2000 ms",
            _ => OVERRUN,
        };
        loses(harness, act, "", why);
    }
    loses(harness, "close-output", "", "crash: closed its channel before it answered");
    let start_timeout = format!("timeout: did not answer within {START_MS} ms");
    for act in ["silent@uci", "deaf@begin"] {
        loses(harness, act, "", &start_timeout);
    }
    check_next_game_is_sound(harness);
}

pub(super) fn ignored_stop(harness: &Harness) {
    for act in ["silent", "deaf", "spin"] {
        harness.count_check();
        let mut engine = start_game(act, "", caps()).expect("it starts");
        engine.stop_handle().stop();
        let fault = engine.choose(&Limits::default(), &[]).expect_err("it does not stop");
        assert_eq!(
            code_and_sentence(&fault),
            "timeout: did not stop within 500 ms after a stop request",
            "{act}"
        );
    }
    // A sound program stops: before its search and during an unlimited search.
    let mut engine = start_game("none", "", caps()).expect("it starts");
    engine.stop_handle().stop();
    let answer = engine.choose(&Limits::default(), &[]).expect("it stops");
    assert!(answer.spent.stopped);
    let control = engine.stop_handle();
    control.clear();
    let stopper = std::thread::spawn(move || control.stop());
    engine.choose(&Limits::default(), &[]).expect("it stops");
    stopper.join().expect("it has stopped");
}

pub(super) fn slow(harness: &Harness) {
    harness.count_check();
    let mut engine = start_game("slow", "40", caps()).expect("it starts");
    let limits =
        Limits { unit: Unit::Wall, call_max: Some(20_000), grace: 30_000_000, ..Limits::default() };
    let answer = engine.choose(&limits, &[]).expect("it has grace");
    assert!(answer.spent.wall_us >= 40_000, "{:?}", answer.spent);
    // Without grace the same is a fault.
    let limits = Limits { grace: 0, ..limits };
    let fault = engine.choose(&limits, &[]).expect_err("it exceeds its time");
    assert_eq!(code_and_sentence(&fault), "timeout: did not answer within 20 ms");
    assert!(fault.spent.wall_us >= 20_000, "{:?}", fault.spent);
}

pub(super) fn cpu(harness: &Harness) {
    harness.count_check();
    let mut engine = start_game("work", "40", caps()).expect("it starts");
    let limits =
        Limits { unit: Unit::Cpu, call_max: Some(30_000_000), grace: 0, ..Limits::default() };
    let spent = engine.choose(&limits, &[]).expect("it answers").spent;
    // Two threads; the system's count for another process is complete once it is idle.
    assert!((80_000..200_000).contains(&spent.cpu_us.unwrap_or(0)), "{spent:?}");
    let limits = Limits { call_max: Some(30_000), grace: 10_000, ..limits };
    let fault = engine.choose(&limits, &[]).expect_err("two threads exceed the limit");
    let why = "timeout: did not answer within 30 ms of CPU time and 10 ms of grace";
    assert_eq!(code_and_sentence(&fault), why);
}

pub(super) fn memory(harness: &Harness) {
    let why = "crash: was killed by SIGABRT; its last output: out of memory";
    loses(harness, "eat-memory", "", why);
    check_next_game_is_sound(harness);
}

pub(super) fn invalid_answers(harness: &Harness) {
    // The referee refuses illegal moves, as those of any engine.
    is_refused(harness, "illegal");
    is_refused(harness, "escape");
    loses(harness, "no-move", "", "error: reported that it has no move: `bestmove (none)`");
    let no_text = "protocol: printed a line that is not UTF-8: bestmove \u{fffd}\u{fffd}";
    loses(harness, "no-text", "", no_text);
    let long = "protocol: sent a move of 100 bytes; at most 64 are admitted";
    loses(harness, "long-move", "100", long);
    loses(harness, "long-move", "69000", "flood: printed a line of more than 65536 bytes");
    check_next_game_is_sound(harness);
}

pub(super) fn unrequested(harness: &Harness) {
    let why = "protocol: answered without a question: `bestmove a1`";
    for act in ["unasked@isready", "unasked@position", "twice", "unasked@setoption"] {
        loses(harness, act, "", why);
    }
    loses(harness, "unasked@uci", "", "protocol: answered `uci` with `bestmove a1`");
    loses(harness, "ready@uci", "", "protocol: answered `uci` with `readyok`");
}

/// A listener that keeps all reported lines.
#[derive(Default)]
struct Reports(std::sync::Mutex<Vec<Line>>);

impl Listener for Reports {
    fn report(&self, line: &Line) {
        self.0.lock().expect("no test panics here").push(line.clone());
    }

    fn log(&self, _: Level, _: &str) {}
}

pub(super) fn reports(harness: &Harness) {
    harness.count_check();
    let reported = Arc::<Reports>::default();
    let mut engine = source("wild-report", "", caps()).open(reported.clone(), 1).expect("it opens");
    engine.start(&gomoku(&[])).expect("it starts");
    let answer = engine.choose(&lenient_limits(), &[]).expect("it answers");
    let lines = reported.0.lock().expect("no test panics here");
    let scores: Vec<Option<Score>> = lines.iter().map(|line| line.score).collect();
    let score = |value, bound| Some(Score { value, bound });
    let expected =
        [score(0, Bound::Estimate), score(30_000, Bound::AtLeast), score(3, Bound::Estimate)];
    assert_eq!(scores, expected);
    assert!(lines.iter().all(|line| !line.moves.contains('\u{1b}')), "{lines:?}");
    assert_eq!(answer.choice.line.map(|line| line.nodes), Some(7));
}

pub(super) fn floods(harness: &Harness) {
    let bytes = "flood: printed more than 67108864 bytes in one call";
    loses(harness, "flood-lines", "", bytes);
    // The handshake counts as a call.
    let caps = Caps { start_us: 60_000_000, ..caps() };
    let fault = start_game("flood-lines@uci", "", caps).err().expect("the handshake never ends");
    assert_eq!(code_and_sentence(&fault), bytes);
    loses(harness, "flood-reports", "", "flood: reported more than 100000 lines in one call");
    loses(harness, "flood-line", "", "flood: printed a line of more than 65536 bytes");
    loses(harness, "flood-options@uci", "", "flood: offers more than 1024 options");
}

pub(super) fn stderr(harness: &Harness) {
    harness.count_check();
    let mut engine = start_game("flood-stderr", "", caps()).expect("it starts");
    engine.choose(&lenient_limits(), &[]).expect("it answers although standard error is full");
}
