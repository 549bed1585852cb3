//! Faults of engines in C and the host's sentences: the shim validates an engine's output in the
//! same way as the native backend.

use sandboard_builder::c::{self, Clang};
use sandboard_engine::{Caps, EngineSource, Fault};
use sandboard_engine_wasm::{Metering, WasmModule};
use sandboard_tests::{gomoku, root, runtime};

use super::{both, engine_of, faulty, resources};
use crate::engines::lenient_limits;

fn misbehave(source: &dyn EngineSource, word: &str) -> String {
    let (mut engine, _) = engine_of(source);
    let life = engine
        .start(&gomoku(&[("fault", word)]))
        .and_then(|_| engine.played("h8"))
        .and_then(|()| engine.think())
        .and_then(|_| engine.choose(&lenient_limits(), &[]));
    life.err().map(|fault: Fault| format!("{}: {}", fault.code, fault.sentence)).unwrap_or_default()
}

/// `wasm` is the fault of the component, where an engine can only give up.
fn check_faults(word: &str, native: &str, wasm: &str) {
    for ((kind, source), expected) in both().into_iter().zip([wasm, native]) {
        let found = misbehave(source, word);
        assert!(found.starts_with(expected), "{kind}, {word}: {found:?}, not {expected:?}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{kind}, {word}: {found:?}");
    }
}

#[test]
fn each_fault_has_the_same_sentence_for_both_kinds() {
    let check = |word, sentence: &str| {
        check_faults(word, &format!("protocol: {sentence}"), &format!("crash: gave up: {sentence}"))
    };
    check("unknown-result", "returned the unknown result 7");
    check("unknown-decision", "made the unknown decision 3");
    check("nothing", "made the unknown decision 4294967295");
    check("unknown-bound", "sent a score of the unknown bound 9");
    check("short-line", "sent a line of size 8");
    check("unknown-cell-op", "asked for the unknown cell operation 4");
    check("cell-256", "asked for cell 256; there are cells 0 to 63");
    check("no-instance", "started without an instance");

    let check = |word, expected| check_faults(word, expected, expected);
    check("none", "");
    check("cell-64", "protocol: asked for cell 64; there are cells 0 to 63");
    check("error", "error: answered with an error: asked to fail");
    check("error-in-think", "error: answered with an error: asked to fail in think");
    check("crash", "crash: gave up: asked to fail");
    check("crash-in-played", "crash: gave up: asked to crash in played");
    check("crash-in-start", "crash: gave up: asked not to start");
    check("refuse-start", "start: answered with an error: asked not to start");
    check("refuse-start-as-null", "start: answered with an error: asked not to start");
}

#[test]
fn aborts_end_a_component() {
    let check = |word, expected: &str| {
        let found = misbehave(&faulty().wasm, word);
        assert!(found.starts_with(expected), "{found}");
    };
    check("abort", "crash: gave up: aborted");
    check("assert", "crash: gave up: assertion failed: n == 12345, engine.c:");
}

#[test]
fn a_component_instance_starts_once() {
    let (mut engine, _) = engine_of(&faulty().wasm);
    let early = engine.played("h8").unwrap_err();
    assert_eq!(early.sentence, "answered with an error: called before start");
    let (mut engine, _) = engine_of(&faulty().wasm);
    engine.start(&gomoku(&[])).unwrap();
    let again = engine.start(&gomoku(&[])).unwrap_err();
    assert_eq!(again.sentence, "answered with an error: started a second time");
}

/// The fault of the engine when compiled with this value of `TABLE`.
fn load_table(number: u32) -> String {
    let scratch = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("tests/c/faulty/engine.c")).unwrap();
    let text = format!("#define TABLE {number}\n{text}");
    std::fs::write(scratch.path().join("engine.c"), text).unwrap();
    let clang = Clang::find().unwrap();
    let bytes = c::build_component(scratch.path(), &clang, &scratch.path().join("out")).unwrap();
    let caps = Caps::default();
    let module =
        WasmModule::load(runtime(), &bytes, Metering::Deadline, caps, resources()).unwrap();
    module.describe().err().map(|fault| fault.sentence).unwrap_or_default()
}

#[test]
fn an_invalid_table_is_refused_with_its_reason() {
    let check = |number, expected| assert_eq!(load_table(number), expected);
    check(0, "");
    check(1, "gave up: has a table of 8 bytes; it is too small");
    check(2, "gave up: is built for ABI 3; this is ABI 1");
    check(3, "gave up: has no function `think` in its table");
    check(4, "gave up: returns NULL instead of its table");
}
