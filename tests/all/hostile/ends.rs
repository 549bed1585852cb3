//! Loops and traps, wherever an engine's code runs: the call ends, the bout is
//! lost in words that say why, and the instance is never called again.

use std::sync::Arc;

use sandboard_abi::{Limits, Unit};
use sandboard_host::bout::{PersonEvent, people};
use sandboard_host::engine::wasm::Metering;
use sandboard_host::engine::{Caps, EngineSource, Fault};
use sandboard_tests::Ear;

use super::guest::{Guest, small};
use super::room::{Room, Terms, result, told};

const LOOP: &str = "(loop $ever (br $ever)) (unreachable)";
const TRAP: &str = "(unreachable)";
const TRAPPED: &str = "trapped: wasm `unreachable` instruction executed";

/// How long looping engines may take to start, in milliseconds.
const START_MS: u64 = 150;

fn limits() -> Limits {
    Limits { unit: Unit::Wall, call_max: Some(60_000_000), ..Limits::default() }
}

/// What comes of a loop in a call that may take so many milliseconds, other than `choose`.
fn timeout(ms: u64) -> String {
    format!("did not answer within {ms} ms")
}

pub fn begin(room: &Room) {
    let constructor = r#"(func (export "_initialize") %)"#;
    let initialise = |body: &str| Guest::with("more", &constructor.replace('%', body));
    for guest in [Guest::with("begin", LOOP), initialise(LOOP)] {
        for metering in [Metering::Deadline, Metering::Fuel] {
            let mut terms = Terms { metering, ..Terms::start_within(START_MS) };
            let (mut code, mut sentence) = ("timeout", timeout(START_MS));
            if metering == Metering::Fuel {
                // A million units for each millisecond that the manifest gives.
                terms.budget = "fuel:1e9/move";
                (code, sentence) = ("fuel", "used up its 15e7 units of fuel in start".into());
            }
            room.faults(&guest, terms, code, &sentence);
        }
    }
    for guest in [Guest::with("begin", TRAP), initialise(TRAP)] {
        room.faults(&guest, Terms::default(), "crash", TRAPPED);
    }
    let memory = Guest::with("begin", "(drop (i32.load (i32.const 262144)))");
    room.faults(&memory, Terms::default(), "crash", "trapped: out of bounds memory access");
}

pub fn loops(room: &Room) {
    // Nothing is played with an engine that does not say what it is.
    let guest = Guest::with("describe", LOOP);
    assert_eq!(room.load_fault(&guest.bytes()), format!("timeout: {}", timeout(1000)));
    let guest = Guest::with("start", LOOP);
    room.faults(&guest, Terms::start_within(START_MS), "timeout", &timeout(START_MS));
    room.faults(&Guest::with("played", LOOP), Terms::default(), "timeout", &timeout(1000));
    let record = undone(room, &Guest::with("taken-back", LOOP));
    assert_eq!(record, format!("hostile (black) loses: it {}", timeout(1000)));
    let guest = Guest::with("choose", LOOP);
    let why = " on time: it did not answer within 100 ms and 50 ms of grace";
    room.loses(&guest, Terms::within("100ms/move"), why);
    // A loop that fuel ends; one that calls the host over and over, too.
    let fuel = || Terms { metering: Metering::Fuel, ..Terms::within("fuel:1e6/move") };
    let why = " on time: it used up its 1e6 units of fuel and 5e7 of grace";
    room.loses(&guest, fuel(), why);
    let guest = Guest::with("choose", "(loop $ever (drop (call $left)) (br $ever)) (unreachable)");
    room.loses(&guest, fuel(), why);
    // Nobody ponders in a bout yet.
    let mut engine = room.instance(&Guest::with("think", LOOP), &small());
    engine.control().stop();
    let fault = engine.think().unwrap_err();
    assert_eq!(told(&fault), "timeout: did not stop within 500 ms when told to");
}

/// The result of a bout in which a person takes its move back.
fn undone(room: &Room, guest: &Guest) -> String {
    let (input, people) = people();
    // Black has played a1.
    assert!(input.send(PersonEvent::Move("b1".into())));
    assert!(input.send(PersonEvent::Move("c1".into())));
    assert!(input.send(PersonEvent::Undo(None)));
    let record = room.against_person(guest, people);
    result(&record).sentence.clone()
}

pub fn realloc_and_post_return(room: &Room) {
    // `setup` comes in by it: before the first line of `start`.
    let guest = Guest::with("realloc", LOOP);
    room.faults(&guest, Terms::start_within(START_MS), "timeout", &timeout(START_MS));
    room.faults(&Guest::with("realloc", TRAP), Terms::default(), "crash", TRAPPED);
    // What the host answers comes in by it as well: in the middle of `choose`.
    let late = |what: &str| {
        let realloc = format!(
            "(if (global.get $late) (then {what}))
             (call $bump (local.get $size) (local.get $align))"
        );
        Guest::with("realloc", &realloc)
            .and("more", "(global $late (mut i32) (i32.const 0))")
            .and("choose", "(global.set $late (i32.const 1)) (call $pick) (i32.const 1024)")
    };
    let on_time = " on time: it did not answer within 100 ms and 50 ms of grace";
    room.loses(&late(LOOP), Terms::within("100ms/move"), on_time);
    room.faults(&late(TRAP), Terms::default(), "crash", TRAPPED);
    // Where it says that memory is, there is none.
    let guest = Guest::with("realloc", "(i32.const 0x7ffffff0)");
    let sentence = "broke the border: realloc return: beyond end of memory";
    room.faults(&guest, Terms::default(), "protocol", sentence);
    // After each call it may clean up.
    let guest = Guest::with("post", LOOP);
    assert_eq!(room.load_fault(&guest.bytes()), format!("timeout: {}", timeout(1000)));
    room.faults(&guest, Terms::start_within(START_MS), "timeout", &timeout(START_MS));
    room.faults(&Guest::with("post", TRAP), Terms::default(), "crash", TRAPPED);
    let choosing = |what: &str| {
        Guest::with("post", &format!("(if (global.get $late) (then {what}))"))
            .and("more", "(global $late (mut i32) (i32.const 0))")
            .and("choose", "(global.set $late (i32.const 1)) (call $pick) (i32.const 1024)")
    };
    room.loses(&choosing(LOOP), Terms::within("100ms/move"), on_time);
    room.faults(&choosing(TRAP), Terms::default(), "crash", TRAPPED);
}

pub fn traps(room: &Room) {
    assert_eq!(
        room.load_fault(&Guest::with("describe", TRAP).bytes()),
        format!("crash: {TRAPPED}")
    );
    for part in ["start", "played", "choose"] {
        room.faults(&Guest::with(part, TRAP), Terms::default(), "crash", TRAPPED);
    }
    let sentence = undone(room, &Guest::with("taken-back", TRAP));
    assert_eq!(sentence, format!("hostile (black) loses: it {TRAPPED}"));
    let zero = "(i32.div_u (i32.const 1) (i32.load (i32.const 0)))";
    for (choose, sentence) in [
        (zero, "trapped: integer divide by zero"),
        ("(i32.div_s (i32.const 0x80000000) (i32.const -1))", "trapped: integer overflow"),
        ("(i32.trunc_f64_s (f64.const nan))", "trapped: invalid conversion to integer"),
        ("(i32.load (i32.const -1))", "trapped: out of bounds memory access"),
        ("(call_indirect (result i32) (i32.const 1))", "trapped: uninitialized element"),
        (
            "(call_indirect (result i32) (i32.const 99))",
            "trapped: undefined element: out of bounds table access",
        ),
        ("(call_indirect (result i32) (i32.const 0))", "trapped: indirect call type mismatch"),
    ] {
        let table = "(table 2 funcref) (elem (i32.const 0) func $begin)";
        let guest = Guest::with("choose", choose).and("more", table);
        room.faults(&guest, Terms::default(), "crash", sentence);
    }
    // What it says just before is its sentence.
    let guest = Guest::with("more", r#"(data (i32.const 4096) "out of book")"#)
        .and("choose", "(call $log (i32.const 0) (i32.const 4096) (i32.const 11)) (unreachable)");
    room.faults(&guest, Terms::default(), "crash", "gave up: out of book");
    poisoned(room);
}

/// After a fault, an instance is not called again, though its code would run.
fn poisoned(room: &Room) {
    room.looked();
    let guest = Guest::with(
        "choose",
        "(call $log (i32.const 2) (i32.const 3072) (i32.const 5)) (unreachable)",
    );
    let ear = Ear::new();
    let source = guest.load(Metering::Deadline, Caps::default());
    let mut engine = source.open(ear.clone()).unwrap();
    engine.start(&small()).unwrap();
    let fault = engine.choose(&limits(), &[]).unwrap_err();
    assert_eq!(told(&fault), format!("crash: {TRAPPED}"));
    let again: [Fault; 5] = [
        engine.choose(&limits(), &[]).unwrap_err(),
        engine.played("a1").unwrap_err(),
        engine.taken_back(1).unwrap_err(),
        engine.think().unwrap_err(),
        engine.start(&small()).unwrap_err(),
    ];
    assert!(again.iter().all(|other| *other == fault), "{again:?}");
    assert_eq!(ear.log.lock().unwrap().len(), 1, "it was called again");
    // The next instance is a fresh one.
    let mut fresh = Arc::clone(&source).open(ear).unwrap();
    fresh.start(&small()).unwrap();
}
