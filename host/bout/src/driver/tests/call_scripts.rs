//! The calls derived from a record are those that the engines received.

use proptest::prelude::*;

use super::*;
use crate::referee::{EventKind, EventRecord, TimeoutPolicy};
use crate::replay::{CallScript as Calls, EngineCall};

/// The calls of a player as scripted engines note them.
fn calls(record: &Record, player: usize) -> Vec<String> {
    let calls = Calls::from_record(record, &games())
        .unwrap_or_else(|error| panic!("{error}:\n{}", String::from_utf8_lossy(&record.to_json())));
    let text = |call: &EngineCall| match call {
        EngineCall::Start(setup) => format!("start {:?} [{}]", setup.seats, setup.moves),
        EngineCall::Played(mv) => format!("played {mv}"),
        EngineCall::TakenBack(plies) => format!("back {plies}"),
        EngineCall::Choose(_, barred) => {
            let not = barred.iter().map(|barred| format!(" not {}", barred.r#move));
            format!("choose{}", not.collect::<String>())
        }
    };
    calls.players[player].iter().map(|step| text(&step.call)).collect()
}

/// Compares the derived calls with the received ones. A record does not contain calls after the
/// end of the bout.
fn check(record: &Record, player: usize, script: &Arc<Script>) {
    let derived = calls(record, player);
    let received = script.calls.lock().unwrap().clone();
    let received: Vec<_> = received
        .into_iter()
        .filter(|call| !call.starts_with("meanwhile") && call != "stopped")
        .collect();
    assert_eq!(derived[..], received[..derived.len().min(received.len())], "{received:#?}");
    let rest = &received[derived.len()..];
    assert!(rest.iter().all(|call| call.starts_with("played")), "{rest:?}");
}

const MOVES: &[&str] = &["1", "2", "5", " 3 ", "swap", "x", "\u{1b}[2J", "", "accept-draw"];
const CODES: &[FaultCode] =
    &[FaultCode::Timeout, FaultCode::Fuel, FaultCode::Crash, FaultCode::Host];

/// The call that fails, if one does.
const BROKEN: &[Option<&str>] = &[None, None, None, Some("open"), Some("start"), Some("played")];

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
    fn bouts_between_engines(
        first in proptest::collection::vec(step(), 0..12),
        second in proptest::collection::vec(step(), 0..12),
        broken in proptest::sample::select(BROKEN),
        budget in proptest::sample::select(&["none", "1s/move", "3s+1s", "2/4s"][..]),
        play_reported: bool,
        requests in 1..4_u32,
    ) {
        let scripts = [Script::new(first), Script::new(second)];
        *scripts[1].broken.lock().unwrap() = broken;
        let mut setup = setup([Some(&scripts[0]), Some(&scripts[1])], budget);
        setup.settings.requests = requests;
        if play_reported {
            setup.settings.on_timeout = TimeoutPolicy::PlayReported;
        }
        let report = run_with_time(&FakeTime::default(), setup, None, &mut NullObserver).unwrap();
        let record = Record::parse(&report.record.to_json(), &games()).unwrap();
        check(&record, 0, &scripts[0]);
        if broken.is_none() {
            check(&record, 1, &scripts[1]);
        } else {
            calls(&record, 1);
        }
    }
}

/// A person (player 0) plays these inputs against a script (player 1).
fn with_person(script: &Arc<Script>, events: Vec<InputEvent>) -> Record {
    let (sender, ends) = input_channel();
    let mut setup = setup([None, Some(script)], "none");
    setup.settings.requests = 3;
    events.into_iter().for_each(|event| assert!(sender.send(event)));
    let report = run_with_time(&FakeTime::default(), setup, Some(ends), &mut NullObserver).unwrap();
    report.record
}

fn typed(text: &str) -> InputEvent {
    InputEvent::Move(text.into())
}

#[test]
fn bouts_with_people() {
    use InputEvent::*;
    let cases: Vec<(&'static str, Vec<InputEvent>)> = vec![
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
fn a_bout_that_was_left_and_resumed() {
    let script = Script::moves("5 4");
    let first = with_person(&script, vec![typed("1"), typed("2"), InputEvent::Quit]);
    let find = |_: &EngineRecord| Ok(Arc::new(Source(script.clone())) as Arc<dyn EngineSource>);
    let setup = BoutSetup::resume(first, RecordDestination::Unsaved, &games(), find).unwrap();
    let (input, ends) = input_channel();
    assert!(input.send(typed("9")));
    let report = run_with_time(&FakeTime::default(), setup, Some(ends), &mut NullObserver).unwrap();
    assert!(report.result.is_some());
    check(&report.record, 1, &script);
    assert!(calls(&report.record, 1).contains(&"start [1, 3] [1 5 2]".to_owned()));
}

#[test]
fn engines_get_the_moves_before_the_bout() {
    let script = Script::moves("5 1 1");
    let mut setup = setup([None, Some(&script)], "none");
    setup.start.moves = vec!["2".into(), "3".into()];
    let (sender, ends) = input_channel();
    let undo = |plies| InputEvent::Undo(Some(plies));
    // The bout's two moves can be undone, and none of the moves before it.
    let inputs = [typed("1"), undo(3), undo(2), undo(1), typed("4"), InputEvent::Quit];
    inputs.into_iter().for_each(|input| assert!(sender.send(input)));
    let mut log = ObserverLog::default();
    let report = run_with_time(&FakeTime::default(), setup, Some(ends), &mut log).unwrap();
    let record = Record::parse(&report.record.to_json(), &games()).unwrap();
    assert_eq!(record, report.record);
    let seats: Vec<_> = record.opening.iter().map(|mv| (mv.seat, mv.r#move.as_str())).collect();
    assert_eq!(seats, [(Some(0), "2"), (Some(1), "3")]);
    assert_eq!(summary(&report), "4: unfinished");
    let text = log.text();
    assert_eq!(text.matches("rejected").count(), 2, "{text}");
    assert_eq!(calls(&record, 1)[0], "start [1, 3] [2 3]");
    check(&record, 1, &script);
    // A new session has all moves.
    let find = |_: &EngineRecord| Ok(Arc::new(Source(script.clone())) as Arc<dyn EngineSource>);
    let setup = BoutSetup::resume(record, RecordDestination::Unsaved, &games(), find).unwrap();
    let (input, ends) = input_channel();
    assert!(input.send(typed("9")));
    let report = run_with_time(&FakeTime::default(), setup, Some(ends), &mut NullObserver).unwrap();
    assert!(report.result.is_some(), "{}", summary(&report));
    assert_eq!(report.record.opening.len(), 2);
    assert!(calls(&report.record, 1).contains(&"start [1, 3] [2 3 4]".to_owned()));
    check(&report.record, 1, &script);
}

#[test]
fn contradictions_name_their_place() {
    let script = Script::moves("x 5");
    let record = with_person(&script, vec![typed("3"), typed("9"), typed("9")]);
    assert!(record.result.is_some());
    let check = |change: &dyn Fn(&mut Record), expected: &str| {
        let mut changed = record.clone();
        change(&mut changed);
        let error = Calls::from_record(&changed, &games()).map(drop).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}, not {expected}");
    };
    check(&|record| record.events.clear(), "events[0]");
    check(&|record| drop(record.events.remove(0)), "events[0]: ");
    check(&|record| drop(record.plies.pop()), "result: the moves do not lead to an end");
    check(&|record| record.result.as_mut().unwrap().winner = Some(1), "result: the bout ends with");
    check(&|record| record.result = None, "result: the bout ends with");
    check(&|record| record.events[1].at_ply = 7, "events[1]: the bout was already over");
    let many_sessions = |record: &mut Record| {
        let first = record.events.iter().take_while(|event| event.at_ply == 0).cloned();
        let first: Vec<_> =
            first.filter(|it| matches!(it.kind, EventKind::Started { .. })).collect();
        let reloaded = EventRecord { at_ply: 0, kind: EventKind::Reloaded };
        let session = [vec![reloaded], first.clone()].concat();
        let all = std::iter::repeat_n(session, 1000).flatten();
        record.events = first.into_iter().chain(all).collect();
    };
    check(&many_sessions, "events[1999]: there are more than 1000 sessions");
    let many_refusals = |record: &mut Record| {
        record.settings.requests = 3000;
        let is_refused =
            |it: &&EventRecord| matches!(it.kind, EventKind::Refused { player: 1, .. });
        let at = record.events.iter().position(|it| is_refused(&it)).unwrap();
        let refused = record.events[at].clone();
        record.events.splice(at..at, std::iter::repeat_n(refused, 1500));
    };
    check(&many_refusals, "there are too many refused moves");
    let clock = |record: &mut Record| record.players[1].clock_left = Some(1);
    check(&clock, "players[1].clock_left: 1 is recorded, but the moves give null");
    // Under wall time the host may have charged more than the recorded usage, but never less.
    let script = Script::moves("5 5 5 5");
    let mut setup = setup([Some(&script), Some(&script)], "10s");
    setup.settings.plies_max = 2;
    let timed = run_with_time(&FakeTime::default(), setup, None, &mut NullObserver).unwrap().record;
    for (change, is_valid) in [(0, true), (-1, true), (1, false)] {
        let mut changed = timed.clone();
        *changed.players[1].clock_left.as_mut().unwrap() += change;
        assert_eq!(Calls::from_record(&changed, &games()).is_ok(), is_valid, "{change}");
    }
    let again = |record: &mut Record| record.events.push(record.events[0].clone());
    check(&again, "events[2]");
}
