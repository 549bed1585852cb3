//! The real engines on their opponent's time: in bouts, in matches by the real binary, in the
//! sandbox, in a worker and in process.

use std::process::Output;
use std::sync::Arc;

use sandboard_host::bout::{BoutSetup, EnginePlayer, Mover, Nobody, Participant, Place, run};
use sandboard_host::engine::native::Calls;
use sandboard_host::engine::wasm::Metering;
use sandboard_host::engine::{Caps, EngineSource};
use sandboard_host::record::{Record, Start};
use sandboard_host::referee::Settings;
use sandboard_tests::{native, wasm};
use serde_json::Value;

use crate::cli::Home;

/// A bout of an engine with few nodes a move, black, against one with many more.
fn bout(source: &Arc<dyn EngineSource>, ponders: bool) -> Record {
    let game = sandboard_games::game("gomoku").expect("gomoku is a game");
    let player = |seat: u8, budget: &str, ponders: bool| Participant {
        name: format!("player {seat}"),
        seats: vec![seat],
        budget: budget.parse().expect("a budget"),
        mover: Mover::Engine(EnginePlayer::new(source.clone(), "alpha")),
        ponders,
    };
    let setup = BoutSetup {
        start: Start { game, variant: game.variant("freestyle").expect("one"), position: None },
        seed: 1,
        settings: Settings { plies_max: 24, ..Settings::default() },
        players: vec![player(0, "nodes:100", ponders), player(1, "nodes:20000", false)],
        hint: None,
        live: None,
        place: Place::Nowhere,
        resumed: None,
    };
    run(setup, None, &mut Nobody).expect("the bout begins").record
}

/// The mean depth of the first player's moves whose line is not a forced win's.
fn depth(record: &Record) -> f64 {
    let lines = record.plies.iter().step_by(2).filter_map(|ply| ply.line.as_ref());
    let open = lines.filter(|line| line.score.is_none_or(|score| score.abs() < 29_000));
    let depths: Vec<f64> = open.map(|line| f64::from(line.depth)).collect();
    depths.iter().sum::<f64>() / depths.len() as f64
}

/// What an engine finds on its opponent's time counts on its own.
fn check(source: Arc<dyn EngineSource>) {
    let (off, on) = (bout(&source, false), bout(&source, true));
    let (idle, busy) = (off.pondering(0), on.pondering(0));
    assert_eq!(idle.pondered.wall_us, 0);
    assert!(busy.pondered.wall_us > 0 && busy.hits > 0, "{busy:?}");
    assert!(depth(&on) > depth(&off), "{} without, {} with", depth(&off), depth(&on));
    assert_eq!(on.pondering(1).pondered.wall_us, 0, "the other one does not");
}

#[test]
fn in_the_sandbox() {
    check(Arc::new(wasm("gomoku-alpha", Metering::Deadline, Caps::default()).unwrap()));
}

#[test]
fn in_process() {
    check(Arc::new(native("gomoku-alpha", Calls::Abandonable).unwrap()));
}

#[cfg(target_os = "linux")]
#[test]
fn in_workers() {
    use sandboard_tests::{jailed_native, jailed_wasm};
    check(Arc::new(jailed_wasm("gomoku-alpha", Metering::Deadline, Caps::default()).unwrap()));
    check(Arc::new(jailed_native("gomoku-alpha", Caps::default()).unwrap()));
}

/// What the binary makes of these words.
fn type_in(home: &Home, words: &str) -> Output {
    let words: Vec<&str> = words.split_whitespace().collect();
    home.command(&words).output().expect("the binary runs")
}

#[test]
fn a_match_says_what_came_of_it() {
    let home = Home::new();
    let words = "arena match gomoku-simple gomoku-simple --pairs 1 --variant freestyle-7 --seed 1 \
                 --budget 4ms/move --concurrency 1 --json --dir m";
    let output = type_in(&home, &format!("{words} --ponder=a"));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let json: Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
    let players = &json["view"]["players"];
    let pondering = &players[0]["pondering"];
    assert!(pondering["predictions"].as_u64() > Some(0), "{pondering}");
    assert!(pondering["wall_us"].as_u64() > Some(0), "{pondering}");
    assert!(players[1]["pondering"].is_null());
    // It goes on as it was begun, and as nothing else.
    assert!(type_in(&home, "arena --resume m --json").status.success());
    let other = type_in(&home, "arena --resume m --ponder=off --json");
    let errors = String::from_utf8_lossy(&other.stderr).into_owned();
    assert_eq!(other.status.code(), Some(2), "{errors}");
}

#[test]
fn under_fuel_it_is_refused() {
    let home = Home::new();
    for words in [
        "arena match gomoku-simple gomoku-simple --pairs 1 --budget fuel:1e6/move --ponder",
        "play gomoku --seat gomoku-simple --seat gomoku-simple --budget fuel:1e6/move --ponder",
    ] {
        let output = type_in(&home, words);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        let expected = "plays on fuel (`fuel:1e6/move`), under which a move depends on nothing";
        assert!(errors.contains(expected), "{errors}");
    }
}

#[test]
fn a_record_says_who_thought_and_why_that_cannot_be_verified() {
    let home = Home::new();
    let words = "play gomoku --variant freestyle-7 --seat gomoku-simple --seat gomoku-simple \
                 --budget 4ms/move --ponder --record b.json --json";
    let output = type_in(&home, words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json["pondering"][1]["wall_us"].as_u64() > Some(0), "{json}");
    let verified = type_in(&home, "verify b.json");
    let said = String::from_utf8_lossy(&verified.stdout).into_owned()
        + &String::from_utf8_lossy(&verified.stderr);
    assert_eq!(verified.status.code(), Some(2), "{said}");
    assert!(said.contains("thought on its opponent's time"), "{said}");
}
