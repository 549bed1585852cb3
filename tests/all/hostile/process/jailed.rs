//! The system's answers to a program that tries to access what it must not, while it plays on.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sandboard_abi::Decision;
use sandboard_common::jail_paths::SHARED_FOLDER;
use sandboard_engine::{Engine, EngineSource};
use sandboard_engine_process::external::ExternalSource;
use sandboard_games::Games;
use sandboard_packs::manifest::parse;
use sandboard_tests::{RecordingListener, gomoku};

use super::guest::{caps, program, protocol_config, source, source_with};
use crate::engines::lenient_limits;
use crate::hostile::harness::Harness;

/// Starts a game; the engine and its listener.
fn start_game(source: &ExternalSource) -> (Box<dyn Engine>, Arc<RecordingListener>) {
    let listener = RecordingListener::new();
    let mut engine = source.open(listener.clone(), 1).expect("it opens");
    engine.start(&gomoku(&[])).expect("it starts");
    engine.played("a1").expect("the engine accepts it");
    (engine, listener)
}

/// Lets the engine move; its log lines about the act.
fn log_of_move((mut engine, listener): (Box<dyn Engine>, Arc<RecordingListener>)) -> Vec<String> {
    let answer = engine.choose(&lenient_limits(), &[]).expect("it answers");
    assert_eq!(answer.choice.decision, Decision::Play("a15".into()));
    drop(engine);
    let log = std::mem::take(&mut *listener.log.lock().expect("no test panics here"));
    let ours = |line: &String| line.starts_with("received ") || line.starts_with("A program");
    log.into_iter().filter(|line| !ours(line)).collect()
}

/// Plays with an act; the system's answers to it.
fn plays(harness: &Harness, act: &str, at: &str) -> Vec<String> {
    harness.count_check();
    log_of_move(start_game(&source(act, at, caps())))
}

/// Each step of the act has one of these results.
#[track_caller]
fn is_refused(harness: &Harness, act: &str, at: &str, outcomes: &[&str]) {
    let steps = plays(harness, act, at);
    assert!(!steps.is_empty(), "{act}");
    for step in steps {
        let outcome = step.rsplit_once(": ").map_or("", |(_, outcome)| outcome);
        assert!(outcomes.contains(&outcome), "{act}: {step}");
    }
}

pub(super) fn processes(harness: &Harness) {
    for act in ["processes", "processes@begin"] {
        is_refused(harness, act, "", &["EPERM"]);
    }
}

pub(super) fn programs(harness: &Harness) {
    // No supervisor exists that could allow a second program.
    for act in ["programs", "programs@begin"] {
        is_refused(harness, act, "", &["EPERM", "ENOSYS"]);
    }
    let steps = plays(harness, "programs", "");
    assert!(steps.contains(&"execveat of no file: ENOSYS".to_owned()), "{steps:?}");
}

pub(super) fn network(harness: &Harness) {
    is_refused(harness, "network", "", &["EPERM"]);
}

pub(super) fn files(harness: &Harness) {
    let path = program().display().to_string();
    is_refused(harness, "files", &path, &["EPERM", "EACCES", "ENOENT", "EROFS"]);
    // The program can read the files that it was given.
    assert_eq!(plays(harness, "own-file", "/own/net"), ["/own/net holds weights"]);
    assert_eq!(plays(harness, "own-file", "/own/other"), ["/own/other: ENOENT"]);
    assert_eq!(plays(harness, "own-file", BOOK), [format!("{BOOK} holds openings")]);
    let of_the_machine = shared_file();
    for none in ["/own/book", "/usr/share/program/books/other", &of_the_machine] {
        assert_eq!(plays(harness, "own-file", none), [format!("{none}: ENOENT")]);
    }
}

/// Path at which the program sees its book.
const BOOK: &str = "/usr/share/program/books/first";

/// An existing file of the machine in the folder of shared files.
fn shared_file() -> String {
    let mut folders = vec![PathBuf::from(SHARED_FOLDER)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_file() => return entry.path().display().to_string(),
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                _ => (),
            }
        }
    }
    panic!("{SHARED_FOLDER} holds no file")
}

pub(super) fn shared_paths(harness: &Harness) {
    for at in [BOOK, "/own/net"] {
        is_refused(harness, "write-file", at, &["EROFS", "EACCES", "EPERM"]);
        is_refused(harness, "map-file", at, &["EPERM"]);
    }
    harness.count_check();
    let texts = ["openings", "endings"];
    let sources = texts
        .map(|text| source_with(&protocol_config("own-file", BOOK), caps(), &[("book", text)]));
    let both = sources.each_ref().map(|source| start_game(source));
    let expected = texts.map(|text| vec![format!("{BOOK} holds {text}")]);
    assert_eq!(both.map(log_of_move), expected);
}

/// A manifest with the maximum number of files and arguments, of maximum length, in characters of
/// two bytes.
fn longest() -> String {
    let mut text = r#"<EngineConfigs abi="1">
  <Engine id="program" version="1" kind="external" protocol="uci" module="program">
    <Game id="gomoku" variants="freestyle"/>"#
        .to_owned();
    for _ in 0..16 {
        writeln!(text, "<Argument value='{}'/>", "\"".repeat(1024)).expect("it is a text");
    }
    let quotes = "\"".repeat(245);
    for number in 100..164 {
        let at = format!("{SHARED_FOLDER}/{quotes}/{quotes}/{number:09}");
        assert_eq!(at.len(), 512);
        let hash = "0".repeat(64);
        writeln!(text, "<Asset name='file-{number}' path='f' visible_at='{at}' sha256='{hash}'/>")
            .expect("it is a text");
    }
    text + "</Engine></EngineConfigs>"
}

pub(super) fn maximum_files(harness: &Harness) {
    let manifest = parse(Path::new("m.xml"), longest().as_bytes(), &Games::default());
    assert_eq!(manifest.all_faults().len(), 0, "{:?}", manifest.all_faults());
    let mut config = manifest.engines[0].protocol_config.clone().expect("it is a program");
    config.option_names = protocol_config("none", "").option_names;
    let last = config.asset_paths[63].clone();
    // The act is in the first three arguments.
    for (argument, act) in config.arguments.iter_mut().zip(["own-file", "go", &last.1]) {
        act.clone_into(argument);
    }
    let names: Vec<String> = config.asset_paths.iter().map(|(name, _)| name.clone()).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "weights")).collect();
    harness.count_check();
    let steps = log_of_move(start_game(&source_with(&config, caps(), &files)));
    assert_eq!(steps, [format!("{} holds weights", last.1)]);
}

pub(super) fn inherited(harness: &Harness) {
    let expected = ["descriptor 0", "descriptor 1", "descriptor 2", "dumpable 0"];
    assert_eq!(plays(harness, "heirlooms", ""), expected);
}

pub(super) fn shared_memory(harness: &Harness) {
    let expected = [
        "in a constructor: EPERM",
        "in a move: EPERM",
        "file for reading: allowed",
        "file for writing: EPERM",
        "grows down: EPERM",
    ];
    assert_eq!(plays(harness, "shared-memory", "/own/net"), expected);
}
