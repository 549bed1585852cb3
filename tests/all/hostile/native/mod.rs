//! Native engines that mean harm, one row of `tests/fixtures/hostile/native.tsv`
//! after the other. Here is the engine of `tests/c/hostile`, built as a case wants it,
//! and what can be tried of it in this process, which is what harms nobody.

mod cell;
pub mod guest;
mod rows;

use std::collections::BTreeSet;
use std::path::Path;

use sandboard_abi::{Decision, Kind};
use sandboard_host::engine::native::{Calls, NativeModule};
use sandboard_host::engine::{Assets, Caps, EngineSource};
use sandboard_tests::{Ear, gomoku, root};

use crate::engines::patient;
use crate::hostile::room::beside_a_bout;
use cell::Cell;
use guest::{Border, Place, library};

/// A test for each row of the table.
macro_rules! rows {
    ($($test:ident $row:literal $cases:expr;)*) => {
        /// The rows that have cases here.
        const ROWS: &[&str] = &[$($row),*];

        $(
            #[test]
            fn $test() {
                let cases: fn(&Cell) = $cases;
                beside_a_bout(|room| cases(&Cell(room)));
            }
        )*
    };
}

rows! {
    signals_that_kill "signals" rows::signals;
    aborts "abort" rows::abort;
    exits "exit" rows::exit;
    calls_that_do_not_come_back "loops" rows::loops;
    other_processes "processes" rows::processes;
    memory "memory" rows::memory;
    descriptors "descriptors" rows::descriptors;
    words_out_of_place "words" rows::words;
    handlers_of_its_own "handlers" rows::handlers;
    threads "threads" rows::threads;
    exceptions "unwinding" rows::unwinding;
    marks_on_the_process "marks" rows::marks;
    reaching_for_others "reach" rows::reach;
    borders_that_are_none "border" rows::border;
    slow_starts "slow-start" rows::slow_start;
}

#[test]
fn every_row_has_its_cases_and_every_case_its_row() {
    let ids: Vec<String> = table().into_iter().map(|row| row.id).collect();
    assert_eq!(ids, ROWS);
}

/// A row: its id, and the acts that it tries.
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
    let assets = Assets::default();
    NativeModule::load(library, Calls::Inline, Caps::default(), assets)
        .map_err(|fault| fault.sentence)
}

/// What the engine's option `name` may be.
fn picks(module: &NativeModule, name: &str) -> Vec<String> {
    let description = module.describe().unwrap();
    let option = description.options.into_iter().find(|option| option.name == name).unwrap();
    let Kind::Pick(picks) = option.kind else { panic!("{name} is no pick") };
    picks
}

#[test]
fn every_act_stands_in_a_row_and_every_row_s_act_is_one() {
    let module = load(&library(Border::Sound, None)).unwrap();
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

/// What an engine logs that does `act` in this process, and that it plays on.
#[track_caller]
fn played(library: &Path, act: &str, at: &str) -> Vec<String> {
    let module = load(library).unwrap();
    let ear = Ear::new();
    let mut engine = module.open(ear.clone()).unwrap();
    engine.start(&gomoku(&[("act", act), ("at", at)])).unwrap();
    engine.played("a1").unwrap();
    let answer = engine.choose(&patient(), &[]).unwrap();
    assert_eq!(answer.choice.decision, Decision::Play("b1".into()), "{act}");
    drop(engine);
    std::mem::take(&mut *ear.log.lock().unwrap())
}

#[test]
fn it_plays_the_first_legal_move_and_logs_what_the_system_said() {
    let sound = &library(Border::Sound, None);
    assert_eq!(played(sound, "none", ""), [""; 0]);
    assert_eq!(played(sound, "slow", "1"), ["sleep: allowed"]);
    let log = played(sound, "read-files", "no such file");
    assert!(log.contains(&"read /etc/passwd: allowed".into()), "{log:?}");
    assert!(log.contains(&"read no such file: ENOENT".into()), "{log:?}");
    assert_eq!(played(sound, "flood-log", "2"), ["line: 0", "line: 1"]);
}

#[test]
fn an_act_may_be_done_while_it_is_loaded_or_described() {
    for place in [Place::Load, Place::Entry] {
        let early = &library(Border::Sound, Some((place, "slow")));
        assert_eq!(played(early, "none", ""), ["sleep: allowed"], "{place:?}");
    }
    let early = &library(Border::Sound, Some((Place::Describe, "slow")));
    assert_eq!(played(early, "none", ""), [""; 0]);
    load(early).unwrap().describe().unwrap();
    assert_eq!(played(early, "none", ""), ["sleep: allowed"]);
}

#[test]
fn each_broken_border_is_refused_with_its_reason() {
    let check = |number: u8, expected: &str| {
        let library = library(Border::Broken(number), None);
        let found = load(&library)
            .and_then(|module| module.describe().map(|_| ()).map_err(|fault| fault.sentence));
        let found = found.err().unwrap_or_default();
        assert!(found.starts_with(expected), "{number}: {found:?}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{number}: {found:?}");
    };
    check(0, "");
    check(1, "has a table of 8 bytes; 72 are needed");
    check(2, "is built for border ABI 3; this host speaks ABI 1");
    check(3, "has no function `think` in its table");
    check(4, "returns NULL instead of its table");
    check(5, "has no symbol sandboard_engine_v1");
    check(6, "describes itself in a struct that is too small");
    check(7, "describes itself as NULL");
    check(9, "describes itself with a list of 4294967295; at most 256 are admitted");
    // 8 and 10 lead to memory that is not there: the worker's to survive.
}

#[test]
fn it_compiles_without_a_warning_and_with_an_exception_in_it() {
    let scratch = tempfile::tempdir().unwrap();
    let strict = |with_cpp| guest::strict(with_cpp, scratch.path());
    assert_eq!(played(&strict(false), "throw", ""), ["throw: built without C++"]);
    // The near miss: with it, the act is not noted but done. It is only loaded here.
    let throws = strict(true);
    assert_eq!(played(&throws, "none", ""), [""; 0]);
    let bytes = std::fs::read(throws).unwrap();
    let words = b"thrown across the border";
    assert!(bytes.windows(words.len()).any(|window| window == words));
}
