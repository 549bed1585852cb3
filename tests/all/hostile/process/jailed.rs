//! What the system answers to a program that reaches for what is not its own, while it plays on.

use sandboard_abi::Decision;
use sandboard_host::engine::EngineSource;
use sandboard_tests::{Ear, gomoku};

use super::guest::{caps, program, source};
use crate::engines::patient;
use crate::hostile::room::Room;

/// It plays on; what it was answered.
#[track_caller]
fn plays(room: &Room, act: &str, at: &str) -> Vec<String> {
    room.looked();
    let ear = Ear::new();
    let mut engine = source(act, at, caps()).open(ear.clone()).expect("it opens");
    engine.start(&gomoku(&[])).expect("it starts");
    engine.played("a1").expect("it hears");
    let answer = engine.choose(&patient(), &[]).expect("it answers");
    assert_eq!(answer.choice.decision, Decision::Play("a15".into()), "{act}");
    drop(engine);
    let log = std::mem::take(&mut *ear.log.lock().expect("nobody panics"));
    let ours = |line: &String| line.starts_with("heard ") || line.starts_with("A program");
    log.into_iter().filter(|line| !ours(line)).collect()
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
    let book = "/usr/share/program/books/first";
    assert_eq!(plays(room, "own-file", book), [format!("{book} holds openings")]);
    for none in ["/own/book", "/usr/share/program/books/other"] {
        assert_eq!(plays(room, "own-file", none), [format!("{none}: ENOENT")]);
    }
}

pub fn heirlooms(room: &Room) {
    let expected = ["descriptor 0", "descriptor 1", "descriptor 2", "dumpable 0"];
    assert_eq!(plays(room, "heirlooms", ""), expected);
}
