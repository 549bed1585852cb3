//! Engines in engine processes: they behave the same as in this process, each game has a process of
//! its own, and contests require a jail. `jail` tests what the processes may do; `hostile` tests
//! attacks on the host.

use std::sync::Arc;

use sandboard_abi::{Decision, Limits, Unit};
use sandboard_bout::record::{Record, load};
use sandboard_engine::{Caps, EngineSource, FaultCode, NullListener, Resources, Usage};
use sandboard_engine_process::{CompileLimits, EngineProcesses};
use sandboard_engine_wasm::{CompilerFallback, Metering, Runtime, WasmModule};
use sandboard_games::Games;
use sandboard_tests::{
    JAILED_NATIVE, RecordingListener, binary, built, every_kind, gomoku, jailed_native,
    jailed_wasm, killable_kinds, wasm,
};
use serde_json::Value;

use crate::cli::TestHome;
use crate::hostile::guest::{Guest, with_component};

fn fuel(units: u64) -> Limits {
    Limits { unit: Unit::Fuel, call_max: Some(units), grace: 1000, ..Limits::default() }
}

/// Ten moves of a game by one instance, each with its usage without times.
fn game(source: &dyn EngineSource) -> Vec<(String, Usage)> {
    let mut engine = source.open(RecordingListener::new(), 1).unwrap();
    engine.start(&gomoku(&[])).unwrap();
    let mut moves = Vec::new();
    for _ in 0..10 {
        let answer = engine.choose(&fuel(2_000_000), &[]).unwrap();
        let Decision::Play(mv) = answer.choice.decision else { panic!("it gave up") };
        engine.played(&mv).unwrap();
        moves.push((mv, Usage { wall_us: 0, cpu_us: None, ..answer.spent }));
    }
    moves
}

#[test]
fn fuel_and_transcript_are_the_same_in_an_engine_process() {
    for stem in ["random-mover", "gomoku-simple", "c-minimal"] {
        let here = game(&wasm(stem, Metering::Fuel, Caps::default()).unwrap());
        let there = jailed_wasm(stem, Metering::Fuel, Caps::default()).unwrap();
        assert!(
            here.iter().all(|(_, spent)| spent.transcript_hash.is_some() && spent.fuel > Some(0))
        );
        assert_eq!(game(&there), here, "{stem}");
        let clock = wasm(stem, Metering::Fuel, Caps::default()).unwrap().fuel_meter();
        assert!(clock.is_some());
        assert_eq!(there.fuel_meter(), clock);
    }
}

#[test]
fn the_description_is_the_same_in_an_engine_process() {
    for stem in ["random-mover", "gomoku-simple", "c-minimal", "faulty"] {
        let here = wasm(stem, Metering::Deadline, Caps::default()).unwrap().describe().unwrap();
        let wasm = jailed_wasm(stem, Metering::Deadline, Caps::default()).unwrap();
        assert_eq!(wasm.describe().unwrap(), here);
        assert_eq!(jailed_native(stem, Caps::default()).unwrap().describe().unwrap(), here);
    }
}

#[test]
fn stop_requests_affect_exactly_one_call() {
    for (kind, source) in every_kind("faulty", Caps::default()) {
        let mut engine = source.open(Arc::new(NullListener), 1).unwrap();
        engine.start(&gomoku(&[("fault", "overrun"), ("at", "2")])).unwrap();
        let control = engine.stop_handle();
        engine.choose(&Limits::default(), &[]).unwrap();
        // A stop request without a call that is cleared does not affect the next call.
        control.stop();
        control.clear();
        engine.played("h8").unwrap();
        let limits = Limits { unit: Unit::Wall, call_max: Some(30_000), ..Limits::default() };
        let limits = Limits { grace: 30_000_000, ..limits };
        let spent = engine.choose(&limits, &[]).unwrap().spent;
        assert!(spent.wall_us >= 30_000 && !spent.stopped, "{kind}: {spent:?}");
        // Without the stop request this call would never return.
        control.stop();
        let spent = engine.choose(&Limits::default(), &[]).unwrap().spent;
        assert!(spent.stopped, "{kind}: {spent:?}");
    }
}

#[test]
fn every_game_has_a_process_of_its_own() {
    // In one process these faults would change the moves of other instances.
    for word in ["depend-on-instances", "ignore-seed"] {
        let source = jailed_native("faulty", Caps::default()).unwrap();
        let play = || {
            let mut engine = source.open(Arc::new(NullListener), 1).unwrap();
            engine.start(&gomoku(&[("fault", word)])).unwrap();
            let choice = engine.choose(&Limits::default(), &[]).unwrap().choice;
            (choice, engine)
        };
        let (alone, first) = play();
        let (beside, _) = play();
        assert_eq!(beside, alone, "{word}");
        drop(first);
        assert_eq!(play().0, alone, "{word}");
    }
}

#[test]
fn a_dead_engine_process_repeats_its_fault() {
    for (kind, source) in killable_kinds("faulty", Caps::default()) {
        let mut engine = source.open(Arc::new(NullListener), 1).unwrap();
        engine.start(&gomoku(&[("fault", "loop")])).unwrap();
        let limits = Limits { unit: Unit::Wall, call_max: Some(5_000), ..Limits::default() };
        let fault = engine.choose(&limits, &[]).unwrap_err();
        assert_eq!(fault.code, FaultCode::Timeout, "{kind}");
        assert_eq!(engine.choose(&limits, &[]).unwrap_err(), fault, "{kind}");
        assert_eq!(engine.played("h8").unwrap_err(), fault, "{kind}");
    }
}

#[test]
fn a_native_engine_is_charged_for_its_whole_process() {
    let source = jailed_native("faulty", Caps::default()).unwrap();
    let mut engine = source.open(Arc::new(NullListener), 1).unwrap();
    engine.start(&gomoku(&[("fault", "overrun")])).unwrap();
    let (call_max, grace) = (Some(40_000), 30_000_000);
    let limits = Limits { unit: Unit::Cpu, call_max, grace, ..Limits::default() };
    let spent = engine.choose(&limits, &[]).unwrap().spent;
    assert!(spent.cpu_us >= Some(40_000), "{JAILED_NATIVE}: {spent:?}");
    assert!(spent.cpu_us <= Some(spent.wall_us + 5_000), "{JAILED_NATIVE}: {spent:?}");
}

/// An engine that contains this number of other functions, each with this number of additions.
fn large(functions: usize, additions: usize) -> Vec<u8> {
    let body =
        "(i32.add (local.get 0)".repeat(additions) + "(local.get 0)" + &")".repeat(additions);
    let function = format!("(func (param i32) (result i32) {body})");
    let module = format!("(core module $m {})", function.repeat(functions));
    let component = format!("(component {module} (core instance (instantiate $m)))");
    with_component(Guest::sound().bytes(), &component)
}

#[test]
fn compile_limits_are_enforced_and_named() {
    let check = |limits: CompileLimits, functions: usize, expected: Option<&str>| {
        let workers = EngineProcesses::new(binary(), limits, &[]);
        let (runtime, caps) = (Runtime::new(), Caps::default());
        let runtime = runtime.with_compiler(workers.clone(), CompilerFallback::Fail);
        let bytes = large(functions, 100);
        let resources = Resources::default();
        let compiled = WasmModule::load(&runtime, &bytes, Metering::Deadline, caps, resources);
        let found = compiled.err().map(|fault| format!("{}: {}", fault.code, fault.sentence));
        let is_expected = match (&found, expected) {
            (Some(found), Some(expected)) => found.starts_with(expected),
            (found, expected) => found.is_none() && expected.is_none(),
        };
        assert!(is_expected, "{limits:?}: {found:?}, not {expected:?}");
    };
    let usual = CompileLimits::CONTEST;
    let exceeded = |what: &str| format!("load: cannot be loaded: compile budget exceeded: {what}");
    check(CompileLimits { cpu_s: 1, ..usual }, 15_000, Some(&exceeded("1 s of CPU time")));
    check(CompileLimits { wall_s: 0, ..usual }, 15_000, Some(&exceeded("0 s")));
    check(
        CompileLimits { memory_bytes: 1 << 20, ..usual },
        15_000,
        Some(&exceeded("1 MiB of memory")),
    );
    check(
        CompileLimits { code_bytes: 4096, ..usual },
        1000,
        Some(&exceeded("0 MiB of machine code")),
    );
    check(usual, 100, None);
}

#[test]
fn the_compiler_fallback_is_respected() {
    let unavailable =
        EngineProcesses::new("/nowhere/sandboard".into(), CompileLimits::EVERYDAY, &[]);
    let bytes = std::fs::read(built("random-mover.wasm")).unwrap();
    let load = |fallback: CompilerFallback| {
        let runtime = Runtime::new().with_compiler(unavailable.clone(), fallback);
        let (caps, resources) = (Caps::default(), Resources::default());
        WasmModule::load(&runtime, &bytes, Metering::Deadline, caps, resources).map(drop)
    };
    load(CompilerFallback::InProcess).unwrap();
    let fault = load(CompilerFallback::Fail).unwrap_err();
    assert_eq!(fault.code, FaultCode::Host);
    assert!(fault.sentence.contains("`/nowhere/sandboard zygote`"), "{fault}");
}

fn record(home: &TestHome, name: &str) -> Record {
    load(&home.file(name), &Games::default()).unwrap()
}

const CONTEST: [&str; 12] = [
    "play",
    "gomoku",
    "--variant",
    "freestyle-7",
    "--seed",
    "3",
    "--budget",
    "fuel:1e6/move",
    "--contest",
    "--record",
    "bout.json",
    "--json",
];

fn contest<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&CONTEST[..], &["--seat", "random-mover"], more].concat()
}

#[test]
fn contest_bouts_run_in_jails_and_verify_anywhere() {
    let home = TestHome::new();
    home.succeed(&contest(&["--seat", "c-minimal"]), "");
    let record = record(&home, "bout.json");
    for player in &record.players {
        let jail = player.engine.as_ref().and_then(|engine| engine.jail.as_ref());
        let jail = jail.expect("it was in a jail");
        assert!(jail.layers.iter().any(|layer| layer == "seccomp"), "{jail:?}");
        assert_eq!(jail.below_minimum, None);
    }
    // Without a jail the moves, fuel and transcript are the same.
    home.succeed(&["verify", "bout.json", "--strict"], "");
    home.succeed(&["verify", "bout.json", "--strict", "--contest"], "");
}

#[test]
fn an_everyday_wasm_bout_uses_no_jail() {
    let home = TestHome::new();
    let everyday: Vec<&str> =
        contest(&["--seat", "c-minimal"]).into_iter().filter(|word| *word != "--contest").collect();
    home.succeed(&everyday, "");
    let record = record(&home, "bout.json");
    assert!(record.players.iter().all(|player| player.engine.as_ref().unwrap().jail.is_none()));
}

#[test]
fn a_contest_refuses_native_engines() {
    let home = TestHome::new();
    let mut words = contest(&["--seat", "random-mover-native"]);
    for word in &mut words {
        if *word == "fuel:1e6/move" {
            *word = "1s/move";
        }
    }
    let refused = home.run(&words, "");
    assert_ne!(refused.code, Some(0));
    let why = "is a native library, and those are refused here";
    assert!(refused.err.contains(why), "{}", refused.err);
    assert!(!home.file("bout.json").exists());
}

#[test]
fn a_contest_below_the_minimum_needs_the_flag() {
    let home = TestHome::new();
    let weak = ["--without-layer", "landlock", "--without-layer", "mount-namespace"];
    let seats = ["--seat", "c-minimal"];
    let refused = home.run(&contest(&[&seats[..], &weak[..]].concat()), "");
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    for part in ["landlock or mount-namespace", "`sandboard doctor`", "--below-minimum"] {
        assert!(refused.err.contains(part), "{part}: {}", refused.err);
    }
    assert!(!home.file("bout.json").exists());
    // One of the two layers is enough.
    home.succeed(&contest(&[&seats[..], &weak[..2]].concat()), "");
    std::fs::remove_file(home.file("bout.json")).unwrap();
    home.succeed(&contest(&[&seats[..], &weak[..], &["--below-minimum"]].concat()), "");
    let record: Value =
        serde_json::from_slice(&std::fs::read(home.file("bout.json")).unwrap()).unwrap();
    let jail = &record["players"][0]["engine"]["jail"];
    let missing = jail["below_minimum"].as_str().expect("it is written down");
    assert!(missing.contains("landlock or mount-namespace"), "{missing}");
}
