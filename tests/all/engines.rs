//! Sample engines of every kind under the host, sound and faulty: native and wasm behave alike.

use std::collections::HashSet;
use std::sync::Arc;

use sandboard_abi::{Decision, Limits, Unit};
use sandboard_engine::{Caps, Engine, EngineSource, Fault, NullListener};
use sandboard_engine_wasm::{Metering, WasmModule};
use sandboard_tests::{RecordingListener, every_kind, gomoku, killable_kinds, wasm};

fn limits_ms(ms: u64) -> Limits {
    Limits { unit: Unit::Wall, call_max: Some(ms * 1000), grace: 20_000, ..Limits::default() }
}

/// 60 ms per move, with a grace of 30 s for busy machines.
pub(crate) fn lenient_limits() -> Limits {
    Limits { grace: 30_000_000, ..limits_ms(60) }
}

/// A sample engine in each kind.
fn each(stem: &str) -> [(&'static str, Box<dyn EngineSource>); 4] {
    every_kind(stem, Caps::default())
}

fn open(source: &dyn EngineSource) -> Box<dyn Engine> {
    source.open(Arc::new(NullListener), 1).unwrap()
}

/// One instance plays both sides for some plies; its moves.
fn random_game(source: &dyn EngineSource, seed: u64, plies: usize) -> Vec<String> {
    let mut engine = open(source);
    let mut setup = gomoku(&[]);
    setup.seed = seed;
    engine.start(&setup).unwrap();
    let mut moves = Vec::new();
    for _ in 0..plies {
        let Decision::Play(mv) = engine.choose(&limits_ms(10_000), &[]).unwrap().choice.decision
        else {
            panic!("the random mover gave up");
        };
        engine.played(&mv).unwrap();
        moves.push(mv);
    }
    moves
}

#[test]
fn all_kinds_choose_the_same_moves_for_a_seed() {
    let kinds = each("random-mover");
    let moves = random_game(&*kinds[0].1, 7, 30);
    for (kind, source) in kinds {
        assert_eq!(random_game(&*source, 7, 30), moves, "{kind}");
        assert_ne!(random_game(&*source, 8, 30), moves, "{kind}");
    }
}

#[test]
fn a_move_taken_back_can_be_played_again() {
    for (kind, source) in each("random-mover") {
        let mut engine = open(&*source);
        engine.start(&gomoku(&[])).unwrap();
        engine.played("h8").unwrap();
        engine.taken_back(1).unwrap();
        engine.played("h8").unwrap();
        let fault = engine.played("h8").unwrap_err();
        assert!(fault.sentence.contains("`h8` is refused"), "{kind}: {fault}");
    }
}

/// The fault of the engine `faulty` under this value of its option `fault`.
fn misbehave(source: &dyn EngineSource, word: &str, limits: &Limits) -> Option<Fault> {
    let mut engine = source.open(RecordingListener::new(), 1).unwrap();
    engine
        .start(&gomoku(&[("fault", word)]))
        .and_then(|_| engine.played("h8"))
        .and_then(|()| engine.choose(limits, &[]))
        .err()
}

fn check(kinds: &[(&str, Box<dyn EngineSource>)], word: &str, expected: &str) {
    let limits = if expected.starts_with("timeout") { limits_ms(60) } else { lenient_limits() };
    for (kind, source) in kinds {
        let found =
            misbehave(&**source, word, &limits).map(|f| format!("{}: {}", f.code, f.sentence));
        let found = found.unwrap_or_default();
        assert!(found.starts_with(expected), "{kind}, {word}: {found:?}, not {expected:?}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{kind}, {word}: {found:?}");
    }
}

#[test]
fn each_misbehaviour_has_the_same_sentence_for_all_kinds() {
    let kinds = each("faulty");
    let killable = killable_kinds("faulty", Caps::default());
    check(&kinds, "none", "");
    check(&kinds, "panic", "crash: gave up: panicked at sample-engines/faulty/src/lib.rs:");
    check(&kinds, "panic-in-played", "crash: gave up: panicked at");
    check(&kinds, "panic-in-start", "crash: gave up: panicked at");
    check(&kinds, "loop", "timeout: did not answer within 60 ms and 20 ms of grace");
    check(&killable, "loop-in-played", "timeout: did not answer within 1000 ms");
    check(&killable, "report-then-loop", "timeout: did not answer within 60 ms and 20 ms of grace");
    check(&kinds, "overrun", "");
    check(&kinds, "error", "error: answered with an error: asked to fail");
    check(&kinds, "refuse-start", "start: answered with an error: asked not to start");
    check(&kinds, "huge-move", "protocol: sent a move of");
    check(&killable, "report-flood", "flood: reported more than 100000 lines in one call");
    check(&kinds, "log-flood", "");
    check(&kinds, "malformed-move", "");
    check(&kinds, "resign", "");
}

/// The ids of the threads of native engines in this process that have the lowest priority.
fn abandoned_threads() -> HashSet<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let ids = tasks.map(|task| task.unwrap().file_name().to_str().unwrap().parse().unwrap());
    let is_abandoned = |id: &u32| {
        // A thread may end meanwhile.
        let stat = std::fs::read_to_string(format!("/proc/self/task/{id}/stat"));
        let stat = stat.unwrap_or_default();
        let (name, fields) = stat.rsplit_once(')').unwrap_or_default();
        // `nice` is field 19 of proc_pid_stat(5), and the fields here begin with the third.
        name.ends_with("(native engine") && fields.split_whitespace().nth(16) == Some("19")
    };
    ids.filter(is_abandoned).collect()
}

#[test]
fn a_native_engine_that_never_returns_uses_only_cpu_time_that_is_left_over() {
    let before = abandoned_threads();
    let [_, (_, native), ..] = each("faulty");
    misbehave(&*native, "loop", &limits_ms(60)).unwrap();
    assert_ne!(abandoned_threads(), before);
}

#[test]
fn resource_faults_are_contained_by_the_sandbox() {
    let [wasm, _, jailed, _] = each("faulty");
    let wasm = [wasm, jailed];
    check(&wasm, "stack", "stack: used up its 1024 KiB of stack");
    check(&wasm, "memory", "memory: used up its 64 MiB of memory");
    check(&wasm, "huge-log", "flood: handed over more than 1024 KiB in one call");
    check(&wasm, "huge-line", "protocol: sent a line of moves of 300000 bytes");
}

/// Loads a component in WebAssembly text; the fault, or an empty text.
fn load(wat: &str) -> String {
    let bytes = wat::parse_str(wat).unwrap();
    let runtime = sandboard_tests::runtime();
    let caps = Caps::default();
    match WasmModule::load(runtime, &bytes, Metering::Deadline, caps, Default::default()) {
        Ok(_) => String::new(),
        Err(fault) => format!("{}: {}", fault.code, fault.sentence),
    }
}

fn check_load(wat: &str, expected: &str) {
    let found = load(wat);
    assert!(found.contains(expected), "{wat}: {found:?}, not {expected:?}");
}

#[test]
fn invalid_components_are_refused_with_a_reason() {
    check_load("(module)", "load: cannot be loaded: ");
    check_load("(component)", "load: cannot be loaded: exports no `sandboard:engine/engine@1`");
    check_load(
        r#"(component (import "wasi:cli/exit@0.2.0" (instance (export "exit" (func)))))"#,
        "`wasi:cli/exit@0.2.0`",
    );
    let of = |module: &str| format!("(component (core module {module}))");
    check_load(&of("(memory i64 1)"), "memory64 must be enabled");
    check_load(&of("(memory 1) (memory 1)"), "multiple memories");
    check_load(&of("(memory 1 2 shared)"), "threads must be enabled");
    check_load(&of("(func (return_call 0))"), "tail calls support is not enabled");
    check_load(
        &of(
            "(func (result v128) v128.const i32x4 0 0 0 0 v128.const i32x4 0 0 0 0 v128.const i32x4 0 0 0 0 f32x4.relaxed_madd)",
        ),
        "relaxed SIMD support is not enabled",
    );
}

#[test]
fn memory_is_limited_to_the_cap() {
    let start = |memory_bytes: u64| {
        let caps = Caps { memory_bytes, ..Caps::default() };
        let source = wasm("random-mover", Metering::Deadline, caps).unwrap();
        let opened = source.open(Arc::new(NullListener), 1);
        opened.and_then(|mut engine| engine.start(&gomoku(&[])).map(drop))
    };
    let fault = start(64 * 1024).unwrap_err();
    assert_eq!(fault.sentence, "needs more than its 64 KiB of memory to begin with");
    start(4 * 1024 * 1024).unwrap();
}

#[test]
fn fuel_runs_out_at_the_same_point_each_time() {
    let source = wasm("faulty", Metering::Fuel, Caps::default()).unwrap();
    let limits =
        Limits { unit: Unit::Fuel, call_max: Some(1_000_000), grace: 1000, ..Limits::default() };
    let run = |word: &str| {
        let mut engine = open(&source);
        engine.start(&gomoku(&[("fault", word)])).unwrap();
        engine.choose(&limits, &[])
    };
    let fault = run("loop").unwrap_err();
    assert_eq!(fault.sentence, "used up its 1e6 units of fuel and 1e3 of grace");
    // An engine that queries its remaining fuel returns within the grace.
    let (overrun, again) = (run("overrun").unwrap(), run("overrun").unwrap());
    assert_eq!(overrun.spent.fuel, again.spent.fuel);
    assert!((1_000_000..1_001_000).contains(&overrun.spent.fuel.unwrap()), "{overrun:?}");
}

#[test]
fn a_stop_from_another_thread_ends_a_call_without_a_limit() {
    for (kind, source) in each("faulty") {
        let mut engine = open(&*source);
        engine.start(&gomoku(&[("fault", "overrun")])).unwrap();
        let control = engine.stop_handle();
        std::thread::scope(|scope| {
            scope.spawn(|| control.stop());
            let answer = engine.choose(&Limits::default(), &[]);
            assert!(answer.is_ok(), "{kind}: {answer:?}");
        });
    }
    // An engine that ignores the stop request is killed.
    for (kind, source) in killable_kinds("faulty", Caps::default()) {
        let mut engine = open(&*source);
        engine.start(&gomoku(&[("fault", "loop")])).unwrap();
        let control = engine.stop_handle();
        control.stop();
        let fault = engine.choose(&Limits::default(), &[]).unwrap_err();
        assert_eq!(fault.sentence, "did not stop within 500 ms after a stop request", "{kind}");
    }
}

/// The log of an engine that makes every host call, in any language.
const ANSWERS: [&str; 14] = [
    "left true",
    "legal Ok(224)",
    "legal a1 Ok(223)",
    "legal a1 a1 Err(\"`a1` is refused: a white stone is on a1\")",
    "look Ok(View { position: \"15/15/15/15/15/15/15/7x7/15/15/15/15/15/15/o14 b\", to_move: 0, ending: None })",
    "look won Ok(View { position: \"15/15/15/15/15/15/15/7x7/15/15/15/15/15/xxxx11/ooooo10 b\", to_move: 0, \
     ending: Some(Ending { scores: [-1, 1], reason: \"five in a row\" }) })",
    "look nonsense Err(\"`\\\\u{7}` is refused: ",
    "asset Ok([99, 100, 101])",
    "asset end Ok([101, 102])",
    "asset past Ok([])",
    "asset none Err(\"the pack has no asset `no`\")",
    "cell 5",
    "cell 6",
    "probe 0",
];

/// Plays one move of an engine with `fault=query-host` and compares its log with `ANSWERS`.
pub(crate) fn check_answers(kind: &str, source: &dyn EngineSource) {
    let listener = RecordingListener::new();
    let mut engine = source.open(listener.clone(), 1).unwrap();
    engine.start(&gomoku(&[("fault", "query-host")])).unwrap();
    engine.played("h8").unwrap();
    engine.choose(&lenient_limits(), &[]).unwrap();
    let logged = listener.log.lock().unwrap();
    assert_eq!(logged.len(), ANSWERS.len(), "{kind}: {logged:#?}");
    for (line, expected) in logged.iter().zip(ANSWERS) {
        assert!(line.starts_with(expected), "{kind}: {line}, not {expected}");
    }
}

#[test]
fn host_calls_have_the_same_answers_for_all_kinds() {
    for (kind, source) in each("faulty") {
        check_answers(kind, &*source);
    }
}
