//! Hostile native engines, one test for each row of `tests/fixtures/hostile/native.tsv`. Also tests
//! the engine of `tests/c/hostile` itself, as far as that is harmless in this process.

pub(crate) mod guest;
mod harness;
mod rows;

use std::collections::BTreeSet;
use std::path::Path;

use sandboard_abi::{Decision, Kind};
use sandboard_engine::{Caps, EngineSource, Resources};
use sandboard_engine_native::{CallMode, NativeModule};
use sandboard_tests::{RecordingListener, gomoku, root};

use crate::engines::lenient_limits;
use crate::hostile::harness::beside_a_concurrent_bout;
use guest::{ActTime, InterfaceState, library};
use harness::NativeHarness;

/// Defines one test per row of the table.
macro_rules! rows {
    ($($test:ident $row:literal $cases:expr;)*) => {
        /// The row ids that have tests here.
        const ROWS: &[&str] = &[$($row),*];

        $(
            #[test]
            fn $test() {
                let cases: fn(&NativeHarness) = $cases;
                beside_a_concurrent_bout(|harness| cases(&NativeHarness(harness)));
            }
        )*
    };
}

rows! {
    signals_that_kill "signals" rows::signals;
    aborts "abort" rows::abort;
    exits "exit" rows::exit;
    calls_that_do_not_return "loops" rows::loops;
    other_processes "processes" rows::processes;
    memory "memory" rows::memory;
    descriptors "descriptors" rows::descriptors;
    forged_messages "words" rows::forged_messages;
    signal_handlers "handlers" rows::handlers;
    threads "threads" rows::threads;
    exceptions "unwinding" rows::unwinding;
    changes_of_the_process "marks" rows::process_changes;
    access_to_others "reach" rows::access_to_others;
    broken_interfaces "border" rows::broken_interfaces;
    slow_starts "slow-start" rows::slow_start;
}

#[test]
fn rows_and_tests_correspond() {
    let ids: Vec<String> = table().into_iter().map(|row| row.id).collect();
    assert_eq!(ids, ROWS);
}

/// A row: its id and its acts.
struct Row {
    id: String,
    acts: Vec<String>,
}

fn table() -> Vec<Row> {
    let text = std::fs::read_to_string(root().join("tests/fixtures/hostile/native.tsv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        assert_eq!(columns.len(), 4, "{line}");
        let acts = columns[3].split(' ').map(String::from).collect();
        Row { id: columns[0].to_owned(), acts }
    };
    lines.map(row).collect()
}

fn load(library: &Path) -> Result<NativeModule, String> {
    let resources = Resources::default();
    NativeModule::load(library, CallMode::Inline, Caps::default(), resources)
        .map_err(|fault| fault.sentence)
}

/// The values of the engine's option `name`.
fn picks(module: &NativeModule, name: &str) -> Vec<String> {
    let description = module.describe().unwrap();
    let option = description.options.into_iter().find(|option| option.name == name).unwrap();
    let Kind::Pick(picks) = option.kind else { panic!("the option `{name}` is not a pick") };
    picks
}

#[test]
fn acts_of_rows_and_engine_correspond() {
    let module = load(&library(InterfaceState::Sound, None)).unwrap();
    let acts: BTreeSet<String> = picks(&module, "act").into_iter().collect();
    let whens = picks(&module, "when");
    let mut named = BTreeSet::from(["none".to_owned()]);
    let rows = table();
    for act in rows.iter().flat_map(|row| &row.acts) {
        let (place, act) = act.split_once(':').unwrap_or(("", act));
        if place == "broken" {
            assert!((1..=10).contains(&act.parse().unwrap()), "{act}");
            continue;
        }
        assert!(["", "load", "entry", "describe"].contains(&place), "{place}");
        let (act, when) = act.split_once('@').unwrap_or((act, "choose"));
        assert!(whens.iter().any(|known| known == when), "{act}@{when}");
        named.insert(act.to_owned());
    }
    assert_eq!(named, acts);
    let ids: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids.len(), rows.len());
}

/// The log of an engine that does `act` in this process and then moves.
#[track_caller]
fn log_of_act(library: &Path, act: &str, at: &str) -> Vec<String> {
    let module = load(library).unwrap();
    let listener = RecordingListener::new();
    let mut engine = module.open(listener.clone(), 1).unwrap();
    engine.start(&gomoku(&[("act", act), ("at", at)])).unwrap();
    engine.played("a1").unwrap();
    let answer = engine.choose(&lenient_limits(), &[]).unwrap();
    assert_eq!(answer.choice.decision, Decision::Play("b1".into()), "{act}");
    drop(engine);
    std::mem::take(&mut *listener.log.lock().unwrap())
}

#[test]
fn the_engine_plays_the_first_legal_move_and_logs_system_results() {
    let sound = &library(InterfaceState::Sound, None);
    assert_eq!(log_of_act(sound, "none", ""), [""; 0]);
    assert_eq!(log_of_act(sound, "slow", "1"), ["sleep: allowed"]);
    let log = log_of_act(sound, "read-files", "no such file");
    assert!(log.contains(&"read /etc/passwd: allowed".into()), "{log:?}");
    assert!(log.contains(&"read no such file: ENOENT".into()), "{log:?}");
    assert_eq!(log_of_act(sound, "flood-log", "2"), ["line: 0", "line: 1"]);
}

#[test]
fn acts_can_run_during_load_and_describe() {
    for place in [ActTime::Load, ActTime::Entry] {
        let early = &library(InterfaceState::Sound, Some((place, "slow")));
        assert_eq!(log_of_act(early, "none", ""), ["sleep: allowed"], "{place:?}");
    }
    let early = &library(InterfaceState::Sound, Some((ActTime::Describe, "slow")));
    assert_eq!(log_of_act(early, "none", ""), [""; 0]);
    load(early).unwrap().describe().unwrap();
    assert_eq!(log_of_act(early, "none", ""), ["sleep: allowed"]);
}

#[test]
fn each_broken_interface_is_refused_with_its_reason() {
    let check = |number: u8, expected: &str| {
        let library = library(InterfaceState::Broken(number), None);
        let found = load(&library)
            .and_then(|module| module.describe().map(|_| ()).map_err(|fault| fault.sentence));
        let found = found.err().unwrap_or_default();
        assert!(found.starts_with(expected), "{number}: {found:?}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{number}: {found:?}");
    };
    check(0, "");
    check(1, "has a table of 8 bytes; 72 are needed");
    check(2, "is built for ABI 3; this host speaks ABI 1");
    check(3, "has no function `think` in its table");
    check(4, "returns NULL instead of its table");
    check(5, "has no symbol sandboard_engine_v1");
    check(6, "describes itself in a struct that is too small");
    check(7, "describes itself as NULL");
    check(9, "describes itself with a list of 4294967295; at most 256 are admitted");
    // 8 and 10 have invalid pointers, so they are tested in an engine process only.
}

#[test]
fn the_engine_compiles_without_warnings_and_with_exceptions() {
    let scratch = tempfile::tempdir().unwrap();
    let strict = |with_cpp| guest::strict(with_cpp, scratch.path());
    assert_eq!(log_of_act(&strict(false), "throw", ""), ["throw: built without C++"]);
    // With C++ the act would throw; here the library is only loaded.
    let throws = strict(true);
    assert_eq!(log_of_act(&throws, "none", ""), [""; 0]);
    let bytes = std::fs::read(throws).unwrap();
    let words = b"thrown across the border";
    assert!(bytes.windows(words.len()).any(|window| window == words));
}
