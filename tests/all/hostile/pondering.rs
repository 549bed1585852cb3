//! Guests that misbehave on their opponent's time, in bouts.

use std::sync::Arc;

use sandboard_host::bout::{BoutSetup, EnginePlayer, Mover, Nobody, Participant, Place, run};
use sandboard_host::engine::wasm::Metering;
use sandboard_host::engine::{Caps, EngineSource};
use sandboard_host::record::{Record, Start};
use sandboard_host::referee::Settings;

use super::guest::Guest;

/// A bout of a sound guest, black, against this one, which thinks on black's time.
fn bout(guest: &Guest) -> Record {
    let game = sandboard_games::game("gomoku").expect("gomoku is a game");
    let player = |seat: u8, name: &str, guest: &Guest, ponders: bool| {
        let source: Arc<dyn EngineSource> = guest.load(Metering::Deadline, Caps::default());
        Participant {
            name: name.into(),
            seats: vec![seat],
            budget: "5s/move".parse().expect("a budget"),
            mover: Mover::Engine(EnginePlayer::new(source, name)),
            ponders,
        }
    };
    let setup = BoutSetup {
        start: Start {
            game,
            variant: game.variant("freestyle-5").expect("a variant"),
            position: None,
        },
        seed: 1,
        settings: Settings::default(),
        players: vec![player(0, "sound", &Guest::sound(), false), player(1, "guest", guest, true)],
        hint: None,
        live: None,
        place: Place::Nowhere,
        resumed: None,
    };
    run(setup, None, &mut Nobody).expect("the bout begins").record
}

/// How the bout ends, and in which call the guest failed.
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
fn a_guest_that_comes_back_at_once_plays_to_the_end() {
    check("(i32.const 16)", "", None);
    let record = bout(&Guest::sound());
    let thought = record.plies.iter().filter(|ply| ply.pondered.is_some()).count();
    assert_eq!(thought, record.plies.len() / 2, "before each of its moves");
}

#[test]
fn one_that_thinks_until_it_is_told_to_stop_plays_to_the_end() {
    let asks = "(loop $on (br_if $on (i64.ne (call $left) (i64.const 0)))) (i32.const 16)";
    check(asks, "", None);
    let record = bout(&Guest::with("think", asks));
    assert!(record.result.expect("a result").sentence.contains(" wins: "));
}

#[test]
fn one_that_does_not_stop_loses() {
    let sentence = "guest (white) loses: it did not stop within 500 ms when told to";
    check("(loop $on (br $on)) (i32.const 16)", sentence, Some(1));
}

#[test]
fn one_that_traps_or_floods_loses() {
    check("unreachable", "guest (white) loses: it trapped", Some(1));
    let log = "(loop $on (call $log (i32.const 0) (i32.const 3072) (i32.const 64)) (br $on)) \
               (i32.const 16)";
    check(log, "guest (white) loses: it ", Some(1));
}
