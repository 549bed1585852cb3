//! Engines that think on their opponents' time, on threads of their own. Nothing waits but
//! for a thread that has been told to come back.

use super::*;
use crate::record::RecordError;
use crate::referee::{Pondered, Termination, What};
use crate::replay::Script as Calls;

/// A script that plays these moves and thinks these thoughts, one in each call.
fn thinking(moves: &'static str, thoughts: impl IntoIterator<Item = Thought>) -> Arc<Script> {
    let script = Script::moves(moves);
    script.thoughts.lock().unwrap().extend(thoughts);
    script
}

/// The scripted players with these of them pondering.
fn pondering(players: [Option<&Arc<Script>>; 2], budget: &str, who: &[usize]) -> BoutSetup {
    let mut setup = setup(players, budget);
    for &player in who {
        setup.players[player].ponders = true;
    }
    setup
}

fn play(time: &FakeTime, setup: BoutSetup) -> BoutReport {
    run_on(time, setup, None, &mut Nobody).unwrap()
}

/// What each move's player had thought before it, as `wall/late`.
fn thought(report: &BoutReport) -> String {
    let one = |pondered: &Pondered| format!("{}/{}", pondered.wall_us, pondered.late_us);
    let of = |ply: &crate::record::PlyRecord| ply.pondered.as_deref().map_or("-".into(), one);
    report.record.plies.iter().map(of).collect::<Vec<_>>().join(" ")
}

#[test]
fn engines_think_between_their_moves() {
    let time = FakeTime::default();
    let stays = || Thought::UntilStopped(time.clone(), 0);
    let a = thinking("5 5", [Thought::Return, stays()]);
    let b = thinking("6 6", [stays(), stays(), Thought::Return]);
    let report = play(&time, pondering([Some(&a), Some(&b)], "none", &[0, 1]));
    assert_eq!(told(&report), "5 6 5 6: n1 (even) wins: counted out");
    let of_a = "choose, played 5, think, played 6, choose, played 5, think, stopped, played 6";
    assert_eq!(a.heard(), format!("start [0, 2] [], {of_a}"));
    let of_b =
        "think, stopped, played 5, choose, played 6, think, stopped, played 5, choose, played 6";
    assert_eq!(b.heard(), format!("start [1, 3] [], {of_b}"));
    assert_eq!(thought(&report), "- 10/0 10/0 10/0");
    let record = &report.record;
    assert!(record.players.iter().all(|player| player.ponders));
    assert_eq!(Record::parse(&record.to_json(), games).as_ref(), Ok(record));
    assert!(Calls::of(record, games).is_ok());
}

#[test]
fn one_that_may_not_is_never_called() {
    let (a, b) = (thinking("5 9", []), thinking("9", []));
    let report = play(&FakeTime::default(), pondering([Some(&a), Some(&b)], "none", &[1]));
    assert!(!a.heard().contains("think") && b.heard().starts_with("start [1, 3] [], think"));
    assert_eq!(thought(&report), "- 10/0 -");
    let json = String::from_utf8(report.record.to_json()).unwrap();
    assert_eq!(json.matches("\"ponders\"").count(), 1, "a record of old has no such field");
}

#[test]
fn its_clock_runs_from_the_word_to_stop() {
    for (budget, left) in [("1s/move", 600_000), ("1s", 600_000), ("1m+1s", 59_600_000)] {
        let time = FakeTime::default();
        let (a, b) =
            (thinking("9 4", []), thinking("8", [Thought::UntilStopped(time.clone(), 400_000)]));
        let report = play(&time, pondering([Some(&a), Some(&b)], budget, &[1]));
        assert_eq!(told(&report), "9 8 4: n0 (odd) wins: counted out");
        assert_eq!(*b.allowed.lock().unwrap(), [Some(left)], "{budget}");
        assert_eq!(thought(&report), "- 400010/400000 -");
        let record = Record::parse(&report.record.to_json(), games).unwrap();
        let again = Calls::of(&record, games).map(drop);
        assert_eq!(again.map_err(|error| error.to_string()), Ok(()), "{budget}");
    }
    // All of the move's time and its grace: lost before it is asked.
    let time = FakeTime::default();
    let (a, b) =
        (thinking("9", []), thinking("8", [Thought::UntilStopped(time.clone(), 1_060_000)]));
    let report = play(&time, pondering([Some(&a), Some(&b)], "1s/move", &[1]));
    let lost = "9: n1 (even) loses on time: it took 1060.001ms and was allowed 1s";
    assert_eq!(told(&report), lost);
}

#[test]
fn an_engine_can_lose_by_it() {
    let work = |cpu_us| Thought::Work { wall_us: 1_000_000, cpu_us };
    for (thought, expected) in [
        (work(1_050_000), "9 3 9: n0 (odd) wins: counted out"),
        (work(1_900_000), "9: n1 (even) loses: it used 1900 ms of CPU time in 1000 ms of its"),
        (Thought::Fault(FaultCode::Crash), "9: n1 (even) loses: it did it"),
        (Thought::Fault(FaultCode::Timeout), "9: n1 (even) loses: it did it"),
        (Thought::Fault(FaultCode::Host), "9: aborted: n1 (even) did it"),
    ] {
        let (a, b) = (thinking("9 9", []), thinking("3", [thought]));
        let report = play(&FakeTime::default(), pondering([Some(&a), Some(&b)], "none", &[1]));
        assert!(told(&report).starts_with(expected), "{}", told(&report));
        let result = report.result.as_ref().unwrap();
        if let Termination::Fault { fault } = result.termination {
            let call = Some(crate::engine::CallName::Think);
            let noted = &report.record.events.last().unwrap().what;
            assert!(matches!(noted, What::Fault { player: 1, code, call: of, .. }
                if *code == fault && *of == call));
            // Who does not think on its opponent's time cannot fail at it.
            let mut forged = report.record.clone();
            forged.players[1].ponders = false;
            let error = Calls::of(&forged, games).map(drop).unwrap_err().to_string();
            assert!(error.contains("player 1 does not think on its opponent's time"), "{error}");
        }
        let parsed: Result<_, RecordError> = Record::parse(&report.record.to_json(), games);
        let again = Calls::of(&parsed.unwrap(), games).map(drop);
        assert_eq!(again.map_err(|error| error.to_string()), Ok(()), "{expected}");
    }
}

#[test]
fn nobody_hears_its_lines_while_it_thinks_for_itself() {
    let (a, b) = (thinking("9 9", []), thinking("1", [Thought::Report("3 4")]));
    let heard = Arc::new(Mutex::new(0));
    let mut setup = pondering([Some(&a), Some(&b)], "none", &[1]);
    let ears = heard.clone();
    setup.live = Some(Arc::new(move |_, remark| {
        *ears.lock().unwrap() += usize::from(matches!(remark, Remark::Line(_)));
    }));
    let report = play(&FakeTime::default(), setup);
    assert_eq!((*heard.lock().unwrap(), &report.record.plies[1].line), (0, &None));
}

#[test]
fn a_persons_time_is_used_through_pauses_and_undone_moves_and_after_a_resume() {
    use PersonEvent::*;
    let time = FakeTime::default();
    let script = thinking("5", []);
    let stays = || Thought::UntilStopped(time.clone(), 0);
    script.thoughts.lock().unwrap().extend([stays(), stays(), stays(), stays(), stays()]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bout.json");
    let mut setup = pondering([None, Some(&script)], "none", &[1]);
    setup.place = Place::File(file.clone());
    let (input, ends) = people();
    for event in [Pause, Resume, Move("x".into()), Move("1".into()), Undo(None), Move("2".into())] {
        input.send(event);
    }
    // Nobody types any more: the person has left.
    let report = run_on(&time, setup, Some(ends), &mut Nobody).unwrap();
    assert_eq!(told(&report), "2 5: unfinished");
    assert_eq!(
        script.heard(),
        "start [1, 3] [], think, stopped, think, stopped, played 1, back 1, think, stopped, \
         played 2, choose, played 5, think, stopped"
    );
    let record = crate::record::load(&file, games).unwrap();
    let again = Script::moves("1");
    let source = again.clone();
    let resumed =
        BoutSetup::resume(record, Place::Nowhere, games, |_| Ok(Arc::new(Source(source.clone()))));
    let resumed = resumed.unwrap();
    assert_eq!([false, true], [0, 1].map(|player| resumed.players[player].ponders));
    let (input, ends) = people();
    input.send(Resign);
    let report = run_on(&time, resumed, Some(ends), &mut Nobody).unwrap();
    assert_eq!(told(&report), "2 5: n0 (odd) resigns");
    assert_eq!(again.heard(), "start [1, 3] [2 5], think");
    assert_eq!(thought(&report), "- 30/0", "what it thought before the bout was left is kept");
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_started() {
    let script = Script::moves("1");
    let setup = pondering([Some(&script), Some(&script)], "fuel:1e6/move", &[0]);
    let refused = run(setup, None, &mut Nobody).err().unwrap().to_string();
    assert!(refused.starts_with("player 0 cannot think on its opponent's time"), "{refused}");
    assert_eq!(script.heard(), "");
}
