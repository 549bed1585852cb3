//! Guests that misbehave while pondering in a bout.

use std::sync::Arc;

use sandboard_bout::driver::{
    BoutSetup, EnginePlayer, NullObserver, Participant, RecordDestination, run,
};
use sandboard_bout::record::Record;
use sandboard_bout::referee::BoutSettings;
use sandboard_bout::start::StartPosition;
use sandboard_engine::{Caps, EngineSource};
use sandboard_engine_wasm::Metering;
use sandboard_games::Games;

use super::guest::Guest;

/// Plays a sound guest as black against this guest, which ponders on black's time.
fn bout(guest: &Guest) -> Record {
    let game = Games::default().find("gomoku").expect("gomoku is a game");
    let player = |seat: u8, name: &str, guest: &Guest, ponders: bool| {
        let source: Arc<dyn EngineSource> = guest.load(Metering::Deadline, Caps::default());
        Participant {
            name: name.into(),
            seats: vec![seat],
            budget: "5s/move".parse().expect("a budget"),
            engine: Some(EnginePlayer::new(source, name)),
            ponders,
        }
    };
    let setup = BoutSetup {
        start: StartPosition::new(game, game.variant("freestyle-5").expect("a variant"), None),
        seed: 1,
        settings: BoutSettings::default(),
        players: vec![player(0, "sound", &Guest::sound(), false), player(1, "guest", guest, true)],
        hint: None,
        output_listener: None,
        destination: RecordDestination::Unsaved,
        resumed_from: None,
    };
    run(setup, None, &mut NullObserver).expect("the bout begins").record
}

/// The bout ends with this sentence; with `plies`, by a fault in `think` after that number of
/// plies.
#[track_caller]
fn check(think: &str, sentence: &str, plies: Option<usize>) {
    let record = bout(&Guest::with("think", think));
    let result = record.result.as_ref().expect("a result");
    assert!(result.sentence.contains(sentence), "{think}: {}", result.sentence);
    if let Some(plies) = plies {
        assert_eq!(record.plies.len(), plies, "{think}");
        let fault = serde_json::to_value(record.events.last()).expect("JSON");
        assert_eq!((&fault["event"], &fault["call"]), (&"fault".into(), &"think".into()));
    }
}

#[test]
fn a_guest_whose_think_returns_at_once_plays_to_the_end() {
    check("(i32.const 16)", "", None);
    let record = bout(&Guest::sound());
    let thought = record.plies.iter().filter(|ply| ply.pondering.is_some()).count();
    assert_eq!(thought, record.plies.len() / 2, "before each of its moves");
}

#[test]
fn a_guest_that_ponders_until_the_stop_request_plays_to_the_end() {
    let polls = "(loop $on (br_if $on (i64.ne (call $left) (i64.const 0)))) (i32.const 16)";
    check(polls, "", None);
    let record = bout(&Guest::with("think", polls));
    assert!(record.result.expect("a result").sentence.contains(" wins: "));
}

#[test]
fn a_guest_that_ignores_the_stop_request_loses() {
    let sentence = "guest (white) loses: it did not stop within 500 ms after a stop request";
    check("(loop $on (br $on)) (i32.const 16)", sentence, Some(1));
}

#[test]
fn a_guest_that_traps_or_floods_while_pondering_loses() {
    check("unreachable", "guest (white) loses: it trapped", Some(1));
    let log = "(loop $on (call $log (i32.const 0) (i32.const 3072) (i32.const 64)) (br $on)) \
               (i32.const 16)";
    check(log, "guest (white) loses: it ", Some(1));
}
