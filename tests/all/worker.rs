//! Engines in workers: that they are the same engines there, that each game has a
//! process of its own, and what contests make of all this. What they may do in there
//! is `jail`'s; what they do to their hosts is `hostile`'s.

use std::sync::Arc;

use sandboard_abi::{Decision, Limits, Unit};
use sandboard_host::engine::wasm::{Metering, Otherwise, Runtime, WasmModule};
use sandboard_host::engine::{Assets, Caps, Deaf, EngineSource, FaultCode, Spent};
use sandboard_host::record::{Record, load};
use sandboard_host::worker::{CompileLimits, Workers};
use sandboard_tests::{
    Ear, JAILED_NATIVE, binary, built, every_kind, gomoku, jailed_native, jailed_wasm,
    killable_kinds, wasm,
};
use serde_json::Value;

use crate::cli::Home;

fn fuel(units: u64) -> Limits {
    Limits { unit: Unit::Fuel, call_max: Some(units), grace: 1000, ..Limits::default() }
}

/// Ten moves of a game by one instance: each with its receipt, but for the time it took.
fn game(source: &dyn EngineSource) -> Vec<(String, Spent)> {
    let mut engine = source.open(Ear::new()).unwrap();
    engine.start(&gomoku(&[])).unwrap();
    let mut moves = Vec::new();
    for _ in 0..10 {
        let answer = engine.choose(&fuel(2_000_000), &[]).unwrap();
        let Decision::Play(mv) = answer.choice.decision else { panic!("it gave up") };
        engine.played(&mv).unwrap();
        moves.push((mv, Spent { wall_us: 0, cpu_us: None, ..answer.spent }));
    }
    moves
}

#[test]
fn fuel_and_all_that_crosses_the_border_are_the_same_in_a_worker() {
    for stem in ["random-mover", "gomoku-simple", "c-minimal"] {
        let here = game(&wasm(stem, Metering::Fuel, Caps::default()).unwrap());
        let there = jailed_wasm(stem, Metering::Fuel, Caps::default()).unwrap();
        assert!(here.iter().all(|(_, spent)| spent.border.is_some() && spent.fuel > Some(0)));
        assert_eq!(game(&there), here, "{stem}");
        let clock = wasm(stem, Metering::Fuel, Caps::default()).unwrap().fuel_clock();
        assert!(clock.is_some());
        assert_eq!(there.fuel_clock(), clock);
    }
}

#[test]
fn what_an_engine_says_of_itself_is_the_same_in_a_worker() {
    for stem in ["random-mover", "gomoku-simple", "c-minimal", "faulty"] {
        let here = wasm(stem, Metering::Deadline, Caps::default()).unwrap().describe().unwrap();
        let wasm = jailed_wasm(stem, Metering::Deadline, Caps::default()).unwrap();
        assert_eq!(wasm.describe().unwrap(), here);
        assert_eq!(jailed_native(stem, Caps::default()).unwrap().describe().unwrap(), here);
    }
}

#[test]
fn a_stop_before_a_call_is_not_lost_and_one_after_it_hurts_no_other() {
    for (kind, source) in every_kind("faulty", Caps::default()) {
        let mut engine = source.open(Arc::new(Deaf)).unwrap();
        engine.start(&gomoku(&[("fault", "late"), ("at", "2")])).unwrap();
        let control = engine.control();
        engine.choose(&Limits::default(), &[]).unwrap();
        // Told when nothing is to be stopped, and taken back: the next call is left alone.
        control.stop();
        control.clear();
        engine.played("h8").unwrap();
        let limits = Limits { unit: Unit::Wall, call_max: Some(30_000), ..Limits::default() };
        let limits = Limits { grace: 30_000_000, ..limits };
        let spent = engine.choose(&limits, &[]).unwrap().spent;
        assert!(spent.wall_us >= 30_000 && !spent.stopped, "{kind}: {spent:?}");
        // Not taken back: it would never return.
        control.stop();
        let spent = engine.choose(&Limits::default(), &[]).unwrap().spent;
        assert!(spent.stopped, "{kind}: {spent:?}");
    }
}

#[test]
fn every_game_has_a_process_of_its_own() {
    // In one process these two play otherwise when another instance is there, or was.
    for word in ["disturbed", "forget-seed"] {
        let source = jailed_native("faulty", Caps::default()).unwrap();
        let play = || {
            let mut engine = source.open(Arc::new(Deaf)).unwrap();
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
fn a_dead_worker_stays_dead_and_says_why_each_time() {
    for (kind, source) in killable_kinds("faulty", Caps::default()) {
        let mut engine = source.open(Arc::new(Deaf)).unwrap();
        engine.start(&gomoku(&[("fault", "loop")])).unwrap();
        let limits = Limits { unit: Unit::Wall, call_max: Some(5_000), ..Limits::default() };
        let fault = engine.choose(&limits, &[]).unwrap_err();
        assert_eq!(fault.code, FaultCode::Timeout, "{kind}");
        assert_eq!(engine.choose(&limits, &[]).unwrap_err(), fault, "{kind}");
        assert_eq!(engine.played("h8").unwrap_err(), fault, "{kind}");
    }
}

#[test]
fn a_native_engine_is_charged_for_all_its_process_does() {
    let source = jailed_native("faulty", Caps::default()).unwrap();
    let mut engine = source.open(Arc::new(Deaf)).unwrap();
    engine.start(&gomoku(&[("fault", "late")])).unwrap();
    let (call_max, grace) = (Some(40_000), 30_000_000);
    let limits = Limits { unit: Unit::Cpu, call_max, grace, ..Limits::default() };
    let spent = engine.choose(&limits, &[]).unwrap().spent;
    assert!(spent.cpu_us >= Some(40_000), "{JAILED_NATIVE}: {spent:?}");
    assert!(spent.cpu_us <= Some(spent.wall_us + 5_000), "{JAILED_NATIVE}: {spent:?}");
}

/// A component of so many functions, each of so many additions.
fn large(functions: usize, additions: usize) -> Vec<u8> {
    let body =
        "(i32.add (local.get 0)".repeat(additions) + "(local.get 0)" + &")".repeat(additions);
    let function = format!("(func (param i32) (result i32) {body})");
    wat::parse_str(format!("(component (core module {}))", function.repeat(functions))).unwrap()
}

#[test]
fn compiling_has_a_budget_and_says_which_part_of_it_was_too_small() {
    let check = |limits: CompileLimits, functions: usize, expected: &str| {
        let workers = Workers::new(binary(), limits, &[]);
        let (runtime, caps) = (Runtime::new(), Caps::default());
        let runtime = runtime.with_compiler(workers.clone(), Otherwise::Refuse);
        let bytes = large(functions, 100);
        let assets = Assets::default();
        let compiled = WasmModule::load(&runtime, &bytes, Metering::Deadline, caps, assets);
        let fault = compiled.err().expect("it is no engine");
        let found = format!("{}: {}", fault.code, fault.sentence);
        assert!(found.starts_with(expected), "{limits:?}: {found:?}, not {expected:?}");
    };
    let usual = CompileLimits::CONTEST;
    let exceeded = |what: &str| format!("load: cannot be loaded: compile budget exceeded: {what}");
    check(CompileLimits { cpu_s: 1, ..usual }, 15_000, &exceeded("1 s of CPU time"));
    check(CompileLimits { wall_s: 0, ..usual }, 15_000, &exceeded("0 s"));
    check(CompileLimits { memory_bytes: 1 << 20, ..usual }, 15_000, &exceeded("1 MiB of memory"));
    check(CompileLimits { code_bytes: 4096, ..usual }, 1000, &exceeded("0 MiB of machine code"));
    // Near miss: within all of it, and only then found to be no engine.
    check(usual, 100, "load: cannot be loaded: no exported instance named");
}

#[test]
fn what_cannot_be_compiled_in_a_worker_is_compiled_here_or_not_at_all() {
    let nobody = Workers::new("/nowhere/sandboard".into(), CompileLimits::EVERYDAY, &[]);
    let bytes = std::fs::read(built("random-mover.wasm")).unwrap();
    let load = |otherwise: Otherwise| {
        let runtime = Runtime::new().with_compiler(nobody.clone(), otherwise);
        let (caps, assets) = (Caps::default(), Assets::default());
        WasmModule::load(&runtime, &bytes, Metering::Deadline, caps, assets).map(drop)
    };
    load(Otherwise::Here).unwrap();
    let fault = load(Otherwise::Refuse).unwrap_err();
    assert_eq!(fault.code, FaultCode::Host);
    assert!(fault.sentence.contains("`/nowhere/sandboard zygote`"), "{fault}");
}

fn record(home: &Home, name: &str) -> Record {
    load(&home.file(name), sandboard_games::game).unwrap()
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
fn a_contest_is_played_in_jails_and_verified_anywhere() {
    let home = Home::new();
    home.succeed(&contest(&["--seat", "c-minimal"]), "");
    let record = record(&home, "bout.json");
    for player in &record.players {
        let jail = player.engine.as_ref().and_then(|engine| engine.jail.as_ref());
        let jail = jail.expect("it was in a jail");
        assert!(jail.layers.iter().any(|layer| layer == "seccomp"), "{jail:?}");
        assert_eq!(jail.below_minimum, None);
    }
    // Without a jail, too: the same moves, fuel and border.
    home.succeed(&["verify", "bout.json", "--strict"], "");
    home.succeed(&["verify", "bout.json", "--strict", "--contest"], "");
}

#[test]
fn an_everyday_wasm_bout_has_no_jail_and_says_nothing_of_one() {
    let home = Home::new();
    let everyday: Vec<&str> =
        contest(&["--seat", "c-minimal"]).into_iter().filter(|word| *word != "--contest").collect();
    home.succeed(&everyday, "");
    let record = record(&home, "bout.json");
    assert!(record.players.iter().all(|player| player.engine.as_ref().unwrap().jail.is_none()));
}

#[test]
fn a_contest_refuses_native_engines() {
    let home = Home::new();
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
fn a_contest_below_the_minimum_is_refused_unless_somebody_says_so() {
    let home = Home::new();
    let weak = ["--without-layer", "landlock", "--without-layer", "mount-namespace"];
    let seats = ["--seat", "c-minimal"];
    let refused = home.run(&contest(&[&seats[..], &weak[..]].concat()), "");
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    for part in ["landlock or mount-namespace", "`sandboard doctor`", "--below-minimum"] {
        assert!(refused.err.contains(part), "{part}: {}", refused.err);
    }
    assert!(!home.file("bout.json").exists());
    // One of the two is enough.
    home.succeed(&contest(&[&seats[..], &weak[..2]].concat()), "");
    std::fs::remove_file(home.file("bout.json")).unwrap();
    home.succeed(&contest(&[&seats[..], &weak[..], &["--below-minimum"]].concat()), "");
    let record: Value =
        serde_json::from_slice(&std::fs::read(home.file("bout.json")).unwrap()).unwrap();
    let jail = &record["players"][0]["engine"]["jail"];
    let missing = jail["below_minimum"].as_str().expect("it is written down");
    assert!(missing.contains("landlock or mount-namespace"), "{missing}");
}
