//! Pondering of sample engines: in bouts and in matches by the real binary, as wasm, in an engine
//! process and in this process.

use std::process::Output;
use std::sync::Arc;

use sandboard_bout::driver::{
    BoutSetup, EnginePlayer, NullObserver, Participant, RecordDestination, run,
};
use sandboard_bout::record::Record;
use sandboard_bout::referee::BoutSettings;
use sandboard_bout::start::StartPosition;
use sandboard_engine::{Caps, EngineSource};
use sandboard_engine_native::CallMode;
use sandboard_engine_wasm::Metering;
use sandboard_games::Games;
use sandboard_tests::{native, wasm};
use serde_json::Value;

use crate::cli::TestHome;

/// Plays an engine with few nodes per move, as black, against the same engine with many more. The
/// second one thinks long enough for the first one to ponder also on a busy machine.
fn bout(source: &Arc<dyn EngineSource>, ponders: bool) -> Record {
    let game = Games::default().find("gomoku").expect("gomoku is a game");
    let player = |seat: u8, budget: &str, ponders: bool| Participant {
        name: format!("player {seat}"),
        seats: vec![seat],
        budget: budget.parse().expect("a budget"),
        engine: Some(EnginePlayer::new(source.clone(), "alpha")),
        ponders,
    };
    let setup = BoutSetup {
        start: StartPosition::new(game, game.variant("freestyle").expect("one"), None),
        seed: 1,
        settings: BoutSettings { plies_max: 24, ..BoutSettings::default() },
        players: vec![player(0, "nodes:100", ponders), player(1, "nodes:80000", false)],
        hint: None,
        output_listener: None,
        destination: RecordDestination::Unsaved,
        resumed_from: None,
    };
    run(setup, None, &mut NullObserver).expect("the bout begins").record
}

/// Mean depth of the first player's moves, without those of forced wins.
fn depth(record: &Record) -> f64 {
    let lines = record.plies.iter().step_by(2).filter_map(|ply| ply.line.as_ref());
    let open = lines.filter(|line| line.score.is_none_or(|score| score.abs() < 29_000));
    let depths: Vec<f64> = open.map(|line| f64::from(line.depth)).collect();
    depths.iter().sum::<f64>() / depths.len() as f64
}

/// Pondering makes the engine's own searches deeper.
fn check(source: Arc<dyn EngineSource>) {
    let (off, on) = (bout(&source, false), bout(&source, true));
    let (idle, busy) = (off.pondering(0), on.pondering(0));
    assert_eq!(idle.time.wall_us, 0);
    assert!(busy.time.wall_us > 0 && busy.hits > 0, "{busy:?}");
    assert!(depth(&on) > depth(&off), "{} without, {} with", depth(&off), depth(&on));
    assert_eq!(on.pondering(1).time.wall_us, 0, "the other one does not");
}

#[test]
fn pondering_helps_a_wasm_engine() {
    check(Arc::new(wasm("gomoku-alpha", Metering::Deadline, Caps::default()).unwrap()));
}

#[test]
fn pondering_helps_a_native_engine_in_process() {
    check(Arc::new(native("gomoku-alpha", CallMode::OwnThread).unwrap()));
}

#[cfg(target_os = "linux")]
#[test]
fn pondering_helps_engines_in_engine_processes() {
    use sandboard_tests::{jailed_native, jailed_wasm};
    check(Arc::new(jailed_wasm("gomoku-alpha", Metering::Deadline, Caps::default()).unwrap()));
    check(Arc::new(jailed_native("gomoku-alpha", Caps::default()).unwrap()));
}

/// Runs the binary with these arguments.
fn run_command(home: &TestHome, words: &str) -> Output {
    let words: Vec<&str> = words.split_whitespace().collect();
    home.command(&words).output().expect("the binary runs")
}

#[test]
fn a_match_reports_pondering() {
    let home = TestHome::new();
    let words = "arena match gomoku-simple gomoku-simple --pairs 1 --variant freestyle-7 --seed 1 \
                 --budget 4ms/move --concurrency 1 --json --dir m";
    let output = run_command(&home, &format!("{words} --ponder=a"));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    let output_text = String::from_utf8_lossy(&output.stdout).into_owned();
    let json: Value = serde_json::from_str(output_text.lines().last().unwrap()).unwrap();
    let players = &json["view"]["players"];
    let pondering = &players[0]["pondering"];
    assert!(pondering["predictions"].as_u64() > Some(0), "{pondering}");
    assert!(pondering["wall_us"].as_u64() > Some(0), "{pondering}");
    assert!(players[1]["pondering"].is_null());
    // A resume keeps the setting; another one is refused.
    assert!(run_command(&home, "arena --resume m --json").status.success());
    let other = run_command(&home, "arena --resume m --ponder=off --json");
    let errors = String::from_utf8_lossy(&other.stderr).into_owned();
    assert_eq!(other.status.code(), Some(2), "{errors}");
}

#[test]
fn pondering_is_refused_under_fuel() {
    let home = TestHome::new();
    for words in [
        "arena match gomoku-simple gomoku-simple --pairs 1 --budget fuel:1e6/move --ponder",
        "play gomoku --seat gomoku-simple --seat gomoku-simple --budget fuel:1e6/move --ponder",
    ] {
        let output = run_command(&home, words);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        let expected = "plays on fuel (`fuel:1e6/move`), so it cannot think on its opponent's time";
        assert!(errors.contains(expected), "{errors}");
    }
}

#[test]
fn a_record_with_pondering_cannot_be_verified() {
    let home = TestHome::new();
    let words = "play gomoku --variant freestyle-7 --seat gomoku-simple --seat gomoku-simple \
                 --budget 4ms/move --ponder --record b.json --json";
    let output = run_command(&home, words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json["pondering"][1]["wall_us"].as_u64() > Some(0), "{json}");
    let verified = run_command(&home, "verify b.json");
    let output = String::from_utf8_lossy(&verified.stdout).into_owned()
        + &String::from_utf8_lossy(&verified.stderr);
    assert_eq!(verified.status.code(), Some(2), "{output}");
    assert!(output.contains("thought on its opponent's time"), "{output}");
}
