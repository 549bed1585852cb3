//! Loops and traps in every call: the call ends, the bout is lost with a sentence that states the
//! cause, and the instance is not called again.

use std::sync::Arc;

use sandboard_abi::{Limits, Unit};
use sandboard_bout::driver::{InputEvent, input_channel};
use sandboard_engine::{Caps, EngineSource, Fault};
use sandboard_engine_wasm::Metering;
use sandboard_tests::RecordingListener;

use super::guest::{Guest, small};
use super::harness::{Harness, Terms, code_and_sentence, result};

const LOOP: &str = "(loop $ever (br $ever)) (unreachable)";
const TRAP: &str = "(unreachable)";
const TRAPPED: &str = "trapped: wasm `unreachable` instruction executed";

/// Start limit of looping engines, in milliseconds.
const START_MS: u64 = 150;

fn limits() -> Limits {
    Limits { unit: Unit::Wall, call_max: Some(60_000_000), ..Limits::default() }
}

/// The fault of a trap in a function that the guest names.
fn trapped_in(name: &str) -> String {
    format!("{TRAPPED} in the module's function `{name}`")
}

/// The fault of a loop in a call other than `choose`, which has `ms` milliseconds.
fn timeout(ms: u64) -> String {
    format!("did not answer within {ms} ms")
}

pub(super) fn begin(harness: &Harness) {
    let constructor = r#"(func (export "_initialize") %)"#;
    let initialise = |body: &str| Guest::with("more", &constructor.replace('%', body));
    for guest in [Guest::with("begin", LOOP), initialise(LOOP)] {
        for metering in [Metering::Deadline, Metering::Fuel] {
            let (terms, code, sentence) = match metering {
                Metering::Deadline => (Terms::start_within(START_MS), "timeout", timeout(START_MS)),
                // The start limit is a million units of fuel per millisecond of the manifest's
                // limit. The host's guard must not come first on a busy machine.
                Metering::Fuel | Metering::RuntimeFuel => {
                    let terms = Terms { budget: "fuel:1e9/move", ..Terms::start_within(15) };
                    (terms, "fuel", "used up its 15e6 units of fuel in start".into())
                }
            };
            harness.faults(&guest, Terms { metering, ..terms }, code, &sentence);
        }
    }
    harness.faults(&Guest::with("begin", TRAP), Terms::default(), "crash", &trapped_in("begin"));
    harness.faults(&initialise(TRAP), Terms::default(), "crash", TRAPPED);
    let memory = Guest::with("begin", "(drop (i32.load (i32.const 262144)))");
    let sentence = "trapped: out of bounds memory access in the module's function `begin`";
    harness.faults(&memory, Terms::default(), "crash", sentence);
}

pub(super) fn loops(harness: &Harness) {
    // An engine that does not describe itself is not played.
    let guest = Guest::with("describe", LOOP);
    assert_eq!(harness.load_fault(&guest.bytes()), format!("timeout: {}", timeout(1000)));
    let guest = Guest::with("start", LOOP);
    harness.faults(&guest, Terms::start_within(START_MS), "timeout", &timeout(START_MS));
    harness.faults(&Guest::with("played", LOOP), Terms::default(), "timeout", &timeout(1000));
    let record = undone(harness, &Guest::with("taken-back", LOOP));
    assert_eq!(record, format!("hostile (black) loses: it {}", timeout(1000)));
    let guest = Guest::with("choose", LOOP);
    let why = " on time: it did not answer within 100 ms and 50 ms of grace";
    harness.loses(&guest, Terms::within("100ms/move"), why);
    // Fuel ends a loop, with or without host calls in it.
    let fuel = || Terms { metering: Metering::Fuel, ..Terms::within("fuel:1e6/move") };
    let why = " on time: it used up its 1e6 units of fuel and 5e7 of grace";
    harness.loses(&guest, fuel(), why);
    let guest = Guest::with("choose", "(loop $ever (drop (call $left)) (br $ever)) (unreachable)");
    harness.loses(&guest, fuel(), why);
    // `think` is called directly, without a bout.
    let mut engine = harness.instance(&Guest::with("think", LOOP), &small());
    engine.stop_handle().stop();
    let fault = engine.think().unwrap_err();
    assert_eq!(
        code_and_sentence(&fault),
        "timeout: did not stop within 500 ms after a stop request"
    );
}

/// The result of a bout in which a person takes a move back.
fn undone(harness: &Harness, guest: &Guest) -> String {
    let (input, people) = input_channel();
    // Black has played a1.
    assert!(input.send(InputEvent::Move("b1".into())));
    assert!(input.send(InputEvent::Move("c1".into())));
    assert!(input.send(InputEvent::Undo(None)));
    let record = harness.against_person(guest, people);
    result(&record).sentence.clone()
}

pub(super) fn realloc_and_post_return(harness: &Harness) {
    // `realloc` allocates `setup`, before the first instruction of `start`.
    let guest = Guest::with("realloc", LOOP);
    harness.faults(&guest, Terms::start_within(START_MS), "timeout", &timeout(START_MS));
    let trapped = trapped_in("realloc");
    harness.faults(&Guest::with("realloc", TRAP), Terms::default(), "crash", &trapped);
    // `realloc` also allocates the host's answers, in the middle of `choose`.
    let on_later_call = |what: &str| {
        let realloc = format!(
            "(if (global.get $late) (then {what}))
             (call $bump (local.get $size) (local.get $align))"
        );
        Guest::with("realloc", &realloc)
            .and("more", "(global $late (mut i32) (i32.const 0))")
            .and("choose", "(global.set $late (i32.const 1)) (call $pick) (i32.const 1024)")
    };
    let on_time = " on time: it did not answer within 100 ms and 50 ms of grace";
    harness.loses(&on_later_call(LOOP), Terms::within("100ms/move"), on_time);
    harness.faults(&on_later_call(TRAP), Terms::default(), "crash", &trapped);
    // It returns an address outside of memory.
    let guest = Guest::with("realloc", "(i32.const 0x7ffffff0)");
    let sentence = "violated the ABI: realloc return: beyond end of memory";
    harness.faults(&guest, Terms::default(), "protocol", sentence);
    // The post-return function runs after each call.
    let guest = Guest::with("post", LOOP);
    assert_eq!(harness.load_fault(&guest.bytes()), format!("timeout: {}", timeout(1000)));
    harness.faults(&guest, Terms::start_within(START_MS), "timeout", &timeout(START_MS));
    harness.faults(&Guest::with("post", TRAP), Terms::default(), "crash", TRAPPED);
    let choosing = |what: &str| {
        Guest::with("post", &format!("(if (global.get $late) (then {what}))"))
            .and("more", "(global $late (mut i32) (i32.const 0))")
            .and("choose", "(global.set $late (i32.const 1)) (call $pick) (i32.const 1024)")
    };
    harness.loses(&choosing(LOOP), Terms::within("100ms/move"), on_time);
    harness.faults(&choosing(TRAP), Terms::default(), "crash", TRAPPED);
}

pub(super) fn traps(harness: &Harness) {
    assert_eq!(
        harness.load_fault(&Guest::with("describe", TRAP).bytes()),
        format!("crash: {TRAPPED}")
    );
    for part in ["start", "played", "choose"] {
        harness.faults(&Guest::with(part, TRAP), Terms::default(), "crash", TRAPPED);
    }
    let sentence = undone(harness, &Guest::with("taken-back", TRAP));
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
        harness.faults(&guest, Terms::default(), "crash", sentence);
    }
    // A log text directly before a trap becomes the sentence.
    let guest = Guest::with("more", r#"(data (i32.const 4096) "out of book")"#)
        .and("choose", "(call $log (i32.const 0) (i32.const 4096) (i32.const 11)) (unreachable)");
    harness.faults(&guest, Terms::default(), "crash", "gave up: out of book");
    check_not_called_again(harness);
}

/// After a fault, an instance is not called again, even if its code could run.
fn check_not_called_again(harness: &Harness) {
    harness.count_check();
    let guest = Guest::with(
        "choose",
        "(call $log (i32.const 2) (i32.const 3072) (i32.const 5)) (unreachable)",
    );
    let listener = RecordingListener::new();
    let source = guest.load(Metering::Deadline, Caps::default());
    let mut engine = source.open(listener.clone(), 1).unwrap();
    engine.start(&small()).unwrap();
    let fault = engine.choose(&limits(), &[]).unwrap_err();
    assert_eq!(code_and_sentence(&fault), format!("crash: {TRAPPED}"));
    let again: [Fault; 5] = [
        engine.choose(&limits(), &[]).unwrap_err(),
        engine.played("a1").unwrap_err(),
        engine.taken_back(1).unwrap_err(),
        engine.think().unwrap_err(),
        engine.start(&small()).unwrap_err(),
    ];
    assert!(again.iter().all(|other| *other == fault), "{again:?}");
    assert_eq!(listener.log.lock().unwrap().len(), 1, "it was called again");
    // The next instance is independent.
    let mut fresh = Arc::clone(&source).open(listener, 1).unwrap();
    fresh.start(&small()).unwrap();
}
