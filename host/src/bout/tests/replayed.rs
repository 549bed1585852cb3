//! What a record tells of the calls that engines got is what they heard.

use proptest::prelude::*;

use super::*;
use crate::referee::{Incident, OnTimeout, What};
use crate::replay::{Call, Script as Calls};

/// The calls of a player in the words in which a scripted engine writes them down.
fn calls(record: &Record, player: usize) -> Vec<String> {
    let calls = Calls::of(record, games)
        .unwrap_or_else(|error| panic!("{error}:\n{}", String::from_utf8_lossy(&record.to_json())));
    let words = |call: &Call| match call {
        Call::Start(setup) => format!("start {:?} [{}]", setup.seats, setup.moves),
        Call::Played(mv) => format!("played {mv}"),
        Call::TakenBack(plies) => format!("back {plies}"),
        Call::Choose(_, barred) => {
            let not = barred.iter().map(|barred| format!(" not {}", barred.r#move));
            format!("choose{}", not.collect::<String>())
        }
    };
    calls.players[player].iter().map(|step| words(&step.call)).collect()
}

/// What an engine heard that was of consequence: of moves told after the end
/// the record knows nothing.
fn check(record: &Record, player: usize, script: &Arc<Script>) {
    let told = calls(record, player);
    let heard = script.heard.lock().unwrap().clone();
    let heard: Vec<_> = heard
        .into_iter()
        .filter(|what| !what.starts_with("meanwhile") && what != "stopped")
        .collect();
    assert_eq!(told[..], heard[..told.len().min(heard.len())], "{heard:#?}");
    let rest = &heard[told.len()..];
    assert!(rest.iter().all(|what| what.starts_with("played")), "{rest:?}");
}

const MOVES: &[&str] = &["1", "2", "5", " 3 ", "swap", "x", "\u{1b}[2J", "", "accept-draw"];
const CODES: &[FaultCode] =
    &[FaultCode::Timeout, FaultCode::Fuel, FaultCode::Crash, FaultCode::Host];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => proptest::sample::select(&MOVES[..5]).prop_map(Step::Play),
        3 => proptest::sample::select(&MOVES[5..]).prop_map(Step::Play),
        1 => proptest::sample::select(CODES).prop_map(Step::Fault),
        2 => proptest::sample::select(&["4 4", "x", "2"][..]).prop_map(Step::Report),
        1 => proptest::sample::select(&[900_000, 2_000_000, 9_000_000][..]).prop_map(Step::Spend),
        1 => Just(Step::Resign),
    ]
}

proptest! {
    #[test]
    fn of_engines(
        first in proptest::collection::vec(step(), 0..12),
        second in proptest::collection::vec(step(), 0..12),
        broken in proptest::sample::select(&[None, None, None, Some("open"), Some("start"), Some("played")][..]),
        budget in proptest::sample::select(&["none", "1s/move", "3s+1s", "2/4s"][..]),
        play_reported: bool,
        requests in 1..4_u32,
    ) {
        let scripts = [Script::new(first), Script::new(second)];
        *scripts[1].broken.lock().unwrap() = broken;
        let mut setup = setup([Some(&scripts[0]), Some(&scripts[1])], budget);
        setup.settings.requests = requests;
        if play_reported {
            setup.settings.on_timeout = OnTimeout::PlayReported;
        }
        let report = run_on(&FakeTime::default(), setup, None, &mut Nobody).unwrap();
        let record = Record::parse(&report.record.to_json(), games).unwrap();
        check(&record, 0, &scripts[0]);
        if broken.is_none() {
            check(&record, 1, &scripts[1]);
        } else {
            calls(&record, 1);
        }
    }
}

/// A person (player 0) types these against a script (player 1).
fn with_person(script: &Arc<Script>, events: Vec<PersonEvent>) -> Record {
    let (own, ends) = people();
    let mut setup = setup([None, Some(script)], "none");
    setup.settings.requests = 3;
    events.into_iter().for_each(|event| assert!(own.send(event)));
    let report = run_on(&FakeTime::default(), setup, Some(ends), &mut Nobody).unwrap();
    report.record
}

fn typed(text: &str) -> PersonEvent {
    PersonEvent::Move(text.into())
}

#[test]
fn of_people() {
    use PersonEvent::*;
    let cases: Vec<(&'static str, Vec<PersonEvent>)> = vec![
        ("5 5", vec![typed("5"), typed("x"), typed("5"), typed("1")]),
        ("5 4 3 2", vec![typed("1"), typed("1"), Undo(None), typed("2"), typed("9")]),
        ("1 1 1 1", vec![typed("1"), typed("1"), Undo(Some(4)), typed("3"), typed("9"), Resign]),
        ("x 1 1", vec![typed("1"), Pause, Resume, typed("9"), typed("9")]),
        ("1 1 1", vec![OfferDraw, typed("1"), typed("1"), Undo(Some(1)), Undo(Some(1)), Quit]),
        ("1 1", vec![typed("1"), Abort("power".into())]),
    ];
    for (moves, events) in cases {
        let script = Script::moves(moves);
        let record = with_person(&script, events);
        check(&record, 1, &script);
    }
}

#[test]
fn of_a_bout_that_was_left_and_resumed() {
    let script = Script::moves("5 4");
    let first = with_person(&script, vec![typed("1"), typed("2"), PersonEvent::Quit]);
    let find = |_: &EngineRecord| Ok(Arc::new(Source(script.clone())) as Arc<dyn EngineSource>);
    let setup = BoutSetup::resume(first, Place::Nowhere, games, find).unwrap();
    let (input, ends) = people();
    assert!(input.send(typed("9")));
    let report = run_on(&FakeTime::default(), setup, Some(ends), &mut Nobody).unwrap();
    assert!(report.result.is_some());
    check(&report.record, 1, &script);
    assert!(calls(&report.record, 1).contains(&"start [1, 3] [1 5 2]".to_owned()));
}

#[test]
fn what_contradicts_itself_is_named() {
    let script = Script::moves("x 5");
    let record = with_person(&script, vec![typed("3"), typed("9"), typed("9")]);
    assert!(record.result.is_some());
    let check = |change: &dyn Fn(&mut Record), expected: &str| {
        let mut changed = record.clone();
        change(&mut changed);
        let error = Calls::of(&changed, games).map(drop).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}, not {expected}");
    };
    check(&|record| record.events.clear(), "events[0]");
    check(&|record| drop(record.events.remove(0)), "events[0]: ");
    check(&|record| drop(record.plies.pop()), "result: the moves do not lead to an end");
    check(&|record| record.result.as_mut().unwrap().winner = Some(1), "result: the bout ends with");
    check(&|record| record.result = None, "result: the bout ends with");
    check(&|record| record.events[1].at_ply = 7, "events[1]: the bout was over before");
    let sessions = |record: &mut Record| {
        let began = record.events.iter().take_while(|event| event.at_ply == 0).cloned();
        let began: Vec<_> = began.filter(|it| matches!(it.what, What::Started { .. })).collect();
        let again = Incident { at_ply: 0, what: What::Reloaded };
        let session = [vec![again], began.clone()].concat();
        let all = std::iter::repeat_n(session, 1000).flatten();
        record.events = began.into_iter().chain(all).collect();
    };
    check(&sessions, "events[1999]: more than 1000 sessions");
    let refusals = |record: &mut Record| {
        record.settings.requests = 3000;
        let is_refused = |it: &&Incident| matches!(it.what, What::Refused { player: 1, .. });
        let at = record.events.iter().position(|it| is_refused(&it)).unwrap();
        let refused = record.events[at].clone();
        record.events.splice(at..at, std::iter::repeat_n(refused, 1500));
    };
    check(&refusals, "more moves are refused than can be played again");
    let clock = |record: &mut Record| record.players[1].clock_left = Some(1);
    check(&clock, "players[1].clock_left: 1 is recorded, null is what the moves give");
    // The host may have charged an engine on wall time more than its receipts say, never less.
    let script = Script::moves("5 5 5 5");
    let mut setup = setup([Some(&script), Some(&script)], "10s");
    setup.settings.plies_max = 2;
    let timed = run_on(&FakeTime::default(), setup, None, &mut Nobody).unwrap().record;
    for (more, is_sound) in [(0, true), (-1, true), (1, false)] {
        let mut changed = timed.clone();
        *changed.players[1].clock_left.as_mut().unwrap() += more;
        assert_eq!(Calls::of(&changed, games).is_ok(), is_sound, "{more}");
    }
    let again = |record: &mut Record| record.events.push(record.events[0].clone());
    check(&again, "events[2]");
}
