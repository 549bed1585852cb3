//! What the system answers to a program that reaches for what is not its own, while it plays on.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sandboard_abi::Decision;
use sandboard_host::engine::{Engine, EngineSource};
use sandboard_host::jail::SHARED_FOLDER;
use sandboard_host::manifest::parse;
use sandboard_host::process::ProcessSource;
use sandboard_tests::{Ear, gomoku};

use super::guest::{caps, program, source, source_with, speech};
use crate::engines::patient;
use crate::hostile::room::Room;

/// A game of it that has begun, and who hears what it says.
fn begun(source: &ProcessSource) -> (Box<dyn Engine>, Arc<Ear>) {
    let ear = Ear::new();
    let mut engine = source.open(ear.clone()).expect("it opens");
    engine.start(&gomoku(&[])).expect("it starts");
    engine.played("a1").expect("it hears");
    (engine, ear)
}

/// It chooses; what was said of what it tried.
fn told((mut engine, ear): (Box<dyn Engine>, Arc<Ear>)) -> Vec<String> {
    let answer = engine.choose(&patient(), &[]).expect("it answers");
    assert_eq!(answer.choice.decision, Decision::Play("a15".into()));
    drop(engine);
    let log = std::mem::take(&mut *ear.log.lock().expect("nobody panics"));
    let ours = |line: &String| line.starts_with("heard ") || line.starts_with("A program");
    log.into_iter().filter(|line| !ours(line)).collect()
}

/// It plays on; what it was answered.
fn plays(room: &Room, act: &str, at: &str) -> Vec<String> {
    room.looked();
    told(begun(&source(act, at, caps())))
}

/// Each of its steps came to one of these.
#[track_caller]
fn is_refused(room: &Room, act: &str, at: &str, outcomes: &[&str]) {
    let steps = plays(room, act, at);
    assert!(!steps.is_empty(), "{act}");
    for step in steps {
        let outcome = step.rsplit_once(": ").map_or("", |(_, outcome)| outcome);
        assert!(outcomes.contains(&outcome), "{act}: {step}");
    }
}

pub fn processes(room: &Room) {
    for act in ["processes", "processes@begin"] {
        is_refused(room, act, "", &["EPERM"]);
    }
}

pub fn programs(room: &Room) {
    // Nobody is there to be asked about a second one.
    for act in ["programs", "programs@begin"] {
        is_refused(room, act, "", &["EPERM", "ENOSYS"]);
    }
    let steps = plays(room, "programs", "");
    assert!(steps.contains(&"execveat of no file: ENOSYS".to_owned()), "{steps:?}");
}

pub fn network(room: &Room) {
    is_refused(room, "network", "", &["EPERM"]);
}

pub fn files(room: &Room) {
    let path = program().display().to_string();
    is_refused(room, "files", &path, &["EPERM", "EACCES", "ENOENT", "EROFS"]);
    // The near miss: what it was given it can read.
    assert_eq!(plays(room, "own-file", "/own/net"), ["/own/net holds weights"]);
    assert_eq!(plays(room, "own-file", "/own/other"), ["/own/other: ENOENT"]);
    assert_eq!(plays(room, "own-file", BOOK), [format!("{BOOK} holds openings")]);
    let of_the_machine = shared_file();
    for none in ["/own/book", "/usr/share/program/books/other", &of_the_machine] {
        assert_eq!(plays(room, "own-file", none), [format!("{none}: ENOENT")]);
    }
}

/// Where the program finds its book.
const BOOK: &str = "/usr/share/program/books/first";

/// A file that the machine has where programs may be shown theirs.
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

pub fn places(room: &Room) {
    for at in [BOOK, "/own/net"] {
        is_refused(room, "write-file", at, &["EROFS", "EACCES", "EPERM"]);
        is_refused(room, "map-file", at, &["EPERM"]);
    }
    room.looked();
    let texts = ["openings", "endings"];
    let sources =
        texts.map(|text| source_with(&speech("own-file", BOOK), caps(), &[("book", text)]));
    let both = sources.each_ref().map(|source| begun(source));
    let expected = texts.map(|text| vec![format!("{BOOK} holds {text}")]);
    assert_eq!(both.map(told), expected);
}

/// A manifest that names all the files and arguments that it may, in texts as long as they may be,
/// of letters that take two bytes where they are written down.
fn longest() -> String {
    let mut text = r#"<EngineConfigs abi="1">
  <Engine id="program" version="1" kind="process" protocol="uci" module="program">
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
        writeln!(text, "<Asset name='file-{number}' path='f' at='{at}' sha256='{hash}'/>")
            .expect("it is a text");
    }
    text + "</Engine></EngineConfigs>"
}

pub fn crowded_places(room: &Room) {
    let manifest = parse(Path::new("m.xml"), longest().as_bytes());
    assert_eq!(manifest.all_faults().len(), 0, "{:?}", manifest.all_faults());
    let mut crowded = manifest.engines[0].speech.clone().expect("it is a program");
    crowded.spoken = speech("none", "").spoken;
    let last = crowded.places[63].clone();
    // What it is to do is told in the first three.
    for (told, act) in crowded.arguments.iter_mut().zip(["own-file", "go", &last.1]) {
        act.clone_into(told);
    }
    let names: Vec<String> = crowded.places.iter().map(|(name, _)| name.clone()).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "weights")).collect();
    room.looked();
    let steps = told(begun(&source_with(&crowded, caps(), &files)));
    assert_eq!(steps, [format!("{} holds weights", last.1)]);
}

pub fn heirlooms(room: &Room) {
    let expected = ["descriptor 0", "descriptor 1", "descriptor 2", "dumpable 0"];
    assert_eq!(plays(room, "heirlooms", ""), expected);
}
