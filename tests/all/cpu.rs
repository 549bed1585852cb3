//! Budgets of CPU time: an engine is charged for the CPU time of its own thread only, and stopped
//! by it. An engine that sleeps is stopped by a wall-clock guard.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use sandboard_abi::{Limits, Line, Unit};
use sandboard_bout::record::{Record, load};
use sandboard_engine::{
    Caps, ChooseResponse, EngineSource, Fault, FaultCode, Listener, NullListener,
};
use sandboard_games::Games;
use sandboard_tests::{every_kind, gomoku, killable_kinds};

use crate::cli::TestHome;

/// Wall-clock guard in these tests, in microseconds, beyond the CPU time of a call.
const GUARD_US: u64 = 60_000_000;

/// The engine `faulty` of each kind, with this guard.
fn each(guard_us: u64) -> [(&'static str, Box<dyn EngineSource>); 4] {
    every_kind("faulty", Caps { guard_us, ..Caps::default() })
}

fn cpu_ms(ms: u64, grace_ms: u64) -> Limits {
    let (call_max, grace) = (Some(ms * 1000), grace_ms * 1000);
    Limits { unit: Unit::Cpu, call_max, grace, ..Limits::default() }
}

/// One call of `choose` on an engine with this fault.
fn choose(
    source: &dyn EngineSource,
    word: &str,
    limits: &Limits,
    listener: Arc<dyn Listener>,
) -> Result<ChooseResponse, Fault> {
    let mut engine = source.open(listener, 1).unwrap();
    engine.start(&gomoku(&[("fault", word)])).unwrap();
    engine.choose(limits, &[])
}

#[test]
fn an_engine_that_loops_is_stopped_after_limit_and_grace() {
    for (kind, source) in killable_kinds("faulty", Caps::default()) {
        let fault = choose(&*source, "loop", &cpu_ms(60, 20), Arc::new(NullListener)).unwrap_err();
        assert_eq!(fault.code, FaultCode::Timeout, "{kind}");
        let expected = "did not answer within 60 ms of CPU time and 20 ms of grace";
        assert_eq!(fault.sentence, expected, "{kind}");
        assert!(fault.spent.cpu_us >= Some(80_000), "{kind}: {:?}", fault.spent);
    }
}

#[test]
fn an_engine_that_queries_its_time_returns_within_the_grace() {
    for (kind, source) in each(GUARD_US) {
        let answer =
            choose(&*source, "overrun", &cpu_ms(60, 30_000), Arc::new(NullListener)).unwrap();
        assert!(answer.spent.cpu_us >= Some(60_000), "{kind}: {answer:?}");
    }
}

/// A listener that blocks the engine's thread at its first report until released.
struct Gate {
    at: Mutex<Sender<()>>,
    go: Mutex<Receiver<()>>,
}

impl Listener for Gate {
    fn report(&self, _line: &Line) {
        self.at.lock().unwrap().send(()).unwrap();
        self.go.lock().unwrap().recv().unwrap();
    }
}

#[test]
fn concurrent_engines_are_charged_separately() {
    // A listener cannot block an engine in another process, so only engines in this process are
    // tested.
    let [wasm, native, _, _] = each(GUARD_US);
    for (kind, source) in [wasm, native] {
        let ((at, is_at), (let_go, go)) = (channel(), channel());
        let gate = Arc::new(Gate { at: Mutex::new(at), go: Mutex::new(go) });
        let limits = cpu_ms(40, 10);
        let (held, other) = std::thread::scope(|scope| {
            let held = scope.spawn(|| choose(&*source, "report-then-loop", &limits, gate));
            is_at.recv().unwrap();
            // The other engine waits during all of this one's time.
            let other = choose(&*source, "loop", &cpu_ms(100, 10), Arc::new(NullListener));
            let_go.send(()).unwrap();
            (held.join().unwrap().unwrap_err(), other.unwrap_err())
        });
        assert!(held.sentence.starts_with("did not answer within 40 ms of CPU"), "{kind}: {held}");
        assert!(
            other.sentence.starts_with("did not answer within 100 ms of CPU"),
            "{kind}: {other}"
        );
        let cpu_us = |fault: &Fault| fault.spent.cpu_us.unwrap();
        assert!(cpu_us(&held) >= 50_000 && cpu_us(&other) >= 110_000, "{kind}");
        let all_us = cpu_us(&held) + cpu_us(&other);
        assert!(all_us <= held.spent.wall_us, "{kind}: {all_us} of {:?}", held.spent);
    }
}

#[test]
fn an_engine_that_sleeps_is_stopped_by_the_guard() {
    let [_, native, _, jailed] = each(50_000);
    for (kind, native) in [native, jailed] {
        let fault = choose(&*native, "sleep", &cpu_ms(2, 1), Arc::new(NullListener)).unwrap_err();
        assert_eq!(fault.code, FaultCode::Timeout, "{kind}");
        let expected = "did not answer within 110 ms, in which it used ";
        assert!(fault.sentence.starts_with(expected), "{kind}: {fault}");
        assert!(fault.sentence.ends_with(" ms of CPU time"), "{kind}: {fault}");
    }
    // A wasm engine cannot sleep.
    let [wasm, _, jailed, _] = each(GUARD_US);
    for (kind, wasm) in [wasm, jailed] {
        let fault = choose(&*wasm, "sleep", &cpu_ms(20, 10), Arc::new(NullListener)).unwrap_err();
        let expected = "did not answer within 20 ms of CPU time and 10 ms of grace";
        assert_eq!(fault.sentence, expected, "{kind}");
    }
}

#[test]
fn usage_has_the_cpu_time_of_each_call() {
    for (kind, source) in each(GUARD_US) {
        let mut engine = source.open(Arc::new(NullListener), 1).unwrap();
        let started = engine.start(&gomoku(&[])).unwrap();
        assert!(started.cpu_us.is_some(), "{kind}: {started:?}");
        let wall = Limits { call_max: Some(60_000_000), unit: Unit::Wall, ..Limits::default() };
        // A first choice under wall time, then two under CPU time.
        for limits in [&wall, &cpu_ms(60_000, 0), &cpu_ms(60_000, 0)] {
            let spent = engine.choose(limits, &[]).unwrap().spent;
            assert!(spent.cpu_us.is_some(), "{kind}: {spent:?}");
        }
    }
}

/// Plays two engines by the command line.
fn play(home: &TestHome, budget: &str, seats: [&str; 2]) -> Record {
    let line = home.play_json(&[
        "gomoku",
        "--variant",
        "freestyle-9",
        "--seed",
        "5",
        "--budget",
        budget,
        "--seat",
        seats[0],
        "--seat",
        seats[1],
    ]);
    let path = line["record"].as_str().expect("the path is printed");
    load(std::path::Path::new(path), &Games::default()).expect("the record is sound")
}

#[test]
fn a_bout_keeps_its_clock_in_cpu_time() {
    const BASE_US: i64 = 30_000_000;
    const INCREMENT_US: i64 = 100_000;
    let home = TestHome::trusting();
    for seats in
        [["gomoku-simple", "random-mover"], ["random-mover-native", "gomoku-simple-native"]]
    {
        let record = play(&home, "cpu:30s+100ms,nodes:2e3", seats);
        assert_eq!(record.result.as_ref().map(|result| result.counts()), Some(true));
        let mut left = [BASE_US; 2];
        for ply in &record.plies {
            let seat = usize::from(ply.seat.unwrap());
            let cpu_us = ply.spent.cpu_us.expect("every call is counted");
            left[seat] += INCREMENT_US - i64::try_from(cpu_us).unwrap();
            assert_eq!(ply.clock_left, Some(left[seat]), "{seats:?}: {ply:?}");
        }
        assert!(record.plies.iter().any(|ply| ply.spent.cpu_us > Some(0)), "{seats:?}");
    }
}

#[test]
fn a_loop_loses_on_cpu_time() {
    let home = TestHome::trusting();
    for seat in ["faulty:fault=loop:at=2", "faulty-native:fault=loop:at=2"] {
        let record = play(&home, "cpu:60ms/move", [seat, "random-mover"]);
        let sentence = record.result.expect("it is finished").sentence;
        let why = "loses on time: it did not answer within 60 ms of CPU time and 50 ms of grace";
        assert!(sentence.ends_with(why), "{sentence}");
    }
}
