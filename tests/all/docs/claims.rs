//! Compares the guide's claims about the host: the trace of a game, the limits of the ABI, the
//! sentences of faults. An ellipsis (`…`) in the guide matches any text.

use std::collections::BTreeSet;
use std::sync::Arc;

use sandboard_abi::{Limits, Unit};
use sandboard_bout::clock::Grace;
use sandboard_bout::driver::{
    BoutSetup, EnginePlayer, NullObserver, Participant, RecordDestination, run,
};
use sandboard_bout::referee::{BoutSettings, Termination};
use sandboard_bout::start::StartPosition;
use sandboard_engine::{Caps, EngineSource, Fault, FaultCode};
use sandboard_engine_native::{CallMode, NativeModule};
use sandboard_engine_wasm::{Metering, WasmModule};
use sandboard_games::Games;
use sandboard_tests::{RecordingListener, built, gomoku, native, native_name, runtime, wasm};

use super::{block, guide, read};
use crate::cli::TestHome;

/// Whether a line matches a line of the guide.
fn fits(line: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut open_ended = false;
    for part in parts {
        open_ended = part.is_empty();
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.is_empty() || open_ended
}

#[test]
fn an_ellipsis_matches_any_text() {
    let check = |line, pattern, expected: bool| assert_eq!(fits(line, pattern), expected, "{line}");
    check("took 12 ms", "took … ms", true);
    check("took 12 ms", "took …", true);
    check("took 12 ms", "took 12 ms", true);
    check("took 12 ms", "took 1… s", false);
    check("took 12 ms", "took … m", false);
    check("it took 12 ms", "took … ms", false);
}

#[track_caller]
fn check_lines(lines: &[&str], block: &str) {
    let patterns: Vec<_> = block.lines().collect();
    assert_eq!(lines.len(), patterns.len(), "{lines:#?}");
    for (line, pattern) in lines.iter().zip(patterns) {
        assert!(fits(line, pattern), "the guide says\n{pattern}\nwhere the host says\n{line}");
    }
}

#[test]
fn the_trace_of_a_game_matches_the_guide() {
    let home = TestHome::new();
    let arguments = "play gomoku --variant freestyle-5 --seed 1 --budget 1s/move \
         --seat random-mover --seat gomoku-simple --position";
    let mut arguments: Vec<_> = arguments.split_whitespace().collect();
    arguments.push("xxoox/ooxxo/xxoox/ooxxo/xxo2 b");
    let mut command = home.command(&arguments);
    let output = command.env("RUST_LOG", "sandboard_engine=debug").output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    // Each line has a prefix of level and module, and perhaps a time.
    let lines = err.lines().filter_map(|line| line.split_once("engine::tracing_engine] "));
    check_lines(&lines.map(|(_, line)| line).collect::<Vec<_>>(), &block("text,trace"));
}

#[test]
fn a_panic_is_reported_as_shown() {
    let seats = ["--seat", "faulty:fault=panic", "--seat", "random-mover"];
    let arguments = [&["play", "gomoku", "--seed", "1"], &seats[..]].concat();
    let out = TestHome::new().succeed(&arguments, "");
    let reported: Vec<_> = out.lines().filter(|line| line.contains("panic")).collect();
    // The header names the seat's options, too.
    check_lines(&reported[reported.len() - 1..], &block("text,panic"));
}

#[test]
fn a_position_is_answered_as_shown() {
    let shown = block("sh,analyse");
    let (command, answer) = shown.split_once('\n').expect("a command and an answer");
    let command = command.strip_prefix("echo '").expect("the question is echoed");
    let (question, call) = command.split_once("' | sandboard ").expect("it is piped");
    let arguments: Vec<_> = call.split(' ').collect();
    let out = TestHome::new().succeed(&arguments, &format!("{question}\n"));
    assert_eq!(out, answer);
}

/// The rows of the table under a heading, each as its cells, without code marks.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let guide = guide();
    let (_, section) = guide.split_once(&format!("# {heading}\n")).expect("there is a heading");
    let table = section.lines().skip_while(|line| !line.starts_with('|'));
    let rows = table.take_while(|line| line.starts_with('|')).skip(2);
    let cells = |row: &str| -> Vec<String> {
        row.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect()
    };
    rows.map(cells).collect()
}

/// The constants of `abi/src/limits.rs` as rows: name, value, doc comment.
fn limits() -> Vec<Vec<String>> {
    let (mut found, mut about) = (Vec::new(), String::new());
    for line in read("abi/src/limits.rs").lines() {
        if let Some(text) = line.strip_prefix("/// ") {
            about = format!("{about} {text}");
        } else if let Some(constant) = line.strip_prefix("pub const ") {
            let (name, rest) = constant.split_once(": ").expect("a constant has a type");
            let (_, value) = rest.split_once(" = ").expect("a constant has a value");
            let factors = value.trim_end_matches(';').split(" * ");
            let number = |text: &str| text.replace('_', "").parse::<u64>().expect("a number");
            let value: u64 = factors.map(number).product();
            let about = std::mem::take(&mut about).trim().trim_end_matches('.').replace('`', "");
            found.push(vec![name.to_owned(), value.to_string(), about]);
        }
    }
    found
}

#[test]
fn the_table_of_limits_matches_the_abi() {
    assert!(limits().iter().any(|row| row[..2] == ["LOG_TEXT_BYTES", "4096"]));
    assert_eq!(rows("Quotas"), limits());
}

#[test]
fn the_hosts_own_limits_are_as_documented() {
    let (caps, grace) = (Caps::default(), Grace::default());
    let reported = |heading: &str, name: &str| -> String {
        let rows = rows(heading);
        let row = rows.iter().find(|row| row[0] == name);
        row.unwrap_or_else(|| panic!("no row {name}")).join(" | ")
    };
    let check = |row: String, words: String| assert!(row.contains(&words), "{row}: {words}");
    check(reported("The two kinds", "memory"), format!("capped: {} MiB", caps.memory_bytes >> 20));
    let start = format!("{} s, instantiating included", caps.start_us / 1_000_000);
    check(reported("The ABI, call by call", "start"), start);
    check(guide(), format!("there is a grace, {} ms unless", grace.us / 1000));
}

/// All faults that a test can provoke.
fn faults() -> Vec<Fault> {
    let wall =
        Limits { unit: Unit::Wall, call_max: Some(60_000), grace: 30_000_000, ..Limits::default() };
    let short = Limits { grace: 20_000, ..wall.clone() };
    let fuel = Limits { unit: Unit::Fuel, call_max: Some(1_000_000), ..Limits::default() };
    let cpu = Limits { unit: Unit::Cpu, call_max: Some(2_000), grace: 1_000, ..Limits::default() };
    let fault_of = |source: &dyn EngineSource, word: &str, limits: &Limits| {
        let mut engine = source.open(RecordingListener::new(), 1).expect("it opens");
        let started = engine.start(&gomoku(&[("fault", word)]));
        let answered = started.and_then(|_| engine.played("h8"));
        answered.and_then(|()| engine.choose(limits, &[])).expect_err(word)
    };
    let sandboxed = wasm("faulty", Metering::Deadline, Caps::default()).expect("it loads");
    let fuelled = wasm("faulty", Metering::Fuel, Caps::default()).expect("it loads");
    let outside = native("faulty", CallMode::Inline).expect("it loads");
    let short_guard = Caps { guard_us: 1_000, ..Caps::default() };
    let library = built(&native_name("faulty"));
    let sleeper =
        NativeModule::load(&library, CallMode::OwnThread, short_guard, Default::default());
    let small = Caps { memory_bytes: 64 * 1024, ..Caps::default() };
    let empty = wat::parse_str("(component)").expect("it is a component");
    let load = |bytes, metering, caps| {
        WasmModule::load(runtime(), bytes, metering, caps, Default::default())
    };
    let needs_more_memory = wasm("random-mover", Metering::Deadline, small).expect("it loads");
    let mut found = vec![
        load(&empty, Metering::Deadline, Caps::default()).err().expect("it is no engine"),
        needs_more_memory.open(RecordingListener::new(), 1).err().expect("it needs more"),
        fault_of(&fuelled, "loop", &fuel),
        fault_of(&fuelled, "loop-in-played", &fuel),
        fault_of(&outside, "none", &fuel),
        fault_of(&sandboxed, "loop", &short),
        fault_of(&sandboxed, "loop", &cpu),
        fault_of(&sleeper.expect("it loads"), "sleep", &cpu),
        illegal_move(),
    ];
    let words = "refuse-start panic-in-start loop-in-played memory stack panic huge-move huge-line \
         report-flood huge-log error";
    found.extend(words.split_whitespace().map(|word| fault_of(&sandboxed, word, &wall)));
    found
}

/// The fault of an engine that plays an occupied point twice.
fn illegal_move() -> Fault {
    let game = Games::default().find("gomoku").expect("gomoku is a game");
    let variant = game.variant("freestyle").expect("it is a variant");
    let player = |seat: u8, name: &str, options: &[(&str, &str)]| {
        let source = wasm(name, Metering::Deadline, Caps::default()).expect("it loads");
        let options = options.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        let engine = EnginePlayer { options, ..EnginePlayer::new(Arc::new(source), name) };
        Participant {
            name: name.to_owned(),
            seats: vec![seat],
            budget: "none".parse().expect("a budget"),
            engine: Some(engine),
            ponders: false,
        }
    };
    let players =
        vec![player(0, "random-mover", &[]), player(1, "faulty", &[("fault", "occupied-point")])];
    let setup = BoutSetup {
        start: StartPosition::new(game, variant, None),
        seed: 1,
        settings: BoutSettings::default(),
        players,
        hint: None,
        output_listener: None,
        destination: RecordDestination::Unsaved,
        resumed_from: None,
    };
    let report = run(setup, None, &mut NullObserver).expect("the bout begins");
    let result = report.result.expect("it ends");
    assert_eq!(result.termination, Termination::IllegalMove, "{}", result.sentence);
    Fault::new(FaultCode::IllegalMove, result.sentence)
}

#[test]
fn the_faults_in_the_guide_match_the_host() {
    let rows = rows("Faults, and what to do");
    let faults = faults();
    for fault in &faults {
        let reported =
            |row: &&Vec<String>| row[0] == fault.code.to_string() && fits(&fault.sentence, &row[1]);
        assert!(rows.iter().any(|row| reported(&row)), "no row for {}: {fault}", fault.code);
    }
    for row in &rows {
        let made =
            |fault: &Fault| row[0] == fault.code.to_string() && fits(&fault.sentence, &row[1]);
        assert!(faults.iter().any(made), "no fault here is {row:?}");
    }
    let codes: BTreeSet<_> = rows.iter().map(|row| row[0].as_str()).collect();
    let all = [
        FaultCode::Load,
        FaultCode::Start,
        FaultCode::Timeout,
        FaultCode::Fuel,
        FaultCode::Memory,
        FaultCode::Stack,
        FaultCode::Crash,
        FaultCode::Protocol,
        FaultCode::Flood,
        FaultCode::Error,
        FaultCode::IllegalMove,
        FaultCode::Host,
    ];
    assert_eq!(codes, all.map(|code| code.to_string()).iter().map(String::as_str).collect());
}
