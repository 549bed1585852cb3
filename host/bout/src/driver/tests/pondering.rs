//! Engines that ponder, on threads of their own. Tests only wait for threads that were stopped.

use super::*;
use crate::record::RecordError;
use crate::referee::{EventKind, PonderingTime, Termination};
use crate::replay::CallScript as Calls;

/// A script that plays these moves, and makes one of these steps in each `think` call.
fn pondering_script(
    moves: &'static str,
    steps: impl IntoIterator<Item = PonderStep>,
) -> Arc<Script> {
    let script = Script::moves(moves);
    script.ponder_steps.lock().unwrap().extend(steps);
    script
}

/// The scripted players, of which `pondering` may ponder.
fn pondering(players: [Option<&Arc<Script>>; 2], budget: &str, pondering: &[usize]) -> BoutSetup {
    let mut setup = setup(players, budget);
    for &player in pondering {
        setup.players[player].ponders = true;
    }
    setup
}

fn play(time: &FakeTime, setup: BoutSetup) -> BoutReport {
    run_with_time(time, setup, None, &mut NullObserver).unwrap()
}

/// The pondering before each move, as `wall/stop` in microseconds.
fn ponder_times(report: &BoutReport) -> String {
    let text = |time: &PonderingTime| format!("{}/{}", time.wall_us, time.stop_us);
    let ply = |ply: &crate::record::PlyRecord| ply.pondering.as_deref().map_or("-".into(), text);
    report.record.plies.iter().map(ply).collect::<Vec<_>>().join(" ")
}

#[test]
fn engines_ponder_between_their_moves() {
    let time = FakeTime::default();
    let until_stopped = || PonderStep::UntilStopped(time.clone(), 0);
    let a = pondering_script("5 5", [PonderStep::Return, until_stopped()]);
    let b = pondering_script("6 6", [until_stopped(), until_stopped(), PonderStep::Return]);
    let report = play(&time, pondering([Some(&a), Some(&b)], "none", &[0, 1]));
    assert_eq!(summary(&report), "5 6 5 6: n1 (even) wins: counted out");
    let of_a = "choose, played 5, think, played 6, choose, played 5, think, stopped, played 6";
    assert_eq!(a.calls(), format!("start [0, 2] [], {of_a}"));
    let of_b =
        "think, stopped, played 5, choose, played 6, think, stopped, played 5, choose, played 6";
    assert_eq!(b.calls(), format!("start [1, 3] [], {of_b}"));
    assert_eq!(ponder_times(&report), "- 10/0 10/0 10/0");
    let record = &report.record;
    assert!(record.players.iter().all(|player| player.ponders));
    assert_eq!(Record::parse(&record.to_json(), &games()).as_ref(), Ok(record));
    assert!(Calls::from_record(record, &games()).is_ok());
}

#[test]
fn an_engine_that_may_not_ponder_is_not_called() {
    let (a, b) = (pondering_script("5 9", []), pondering_script("9", []));
    let report = play(&FakeTime::default(), pondering([Some(&a), Some(&b)], "none", &[1]));
    assert!(!a.calls().contains("think") && b.calls().starts_with("start [1, 3] [], think"));
    assert_eq!(ponder_times(&report), "- 10/0 -");
    let json = String::from_utf8(report.record.to_json()).unwrap();
    assert_eq!(json.matches("\"ponders\"").count(), 1, "the field is omitted for other engines");
}

#[test]
fn the_clock_runs_from_the_stop_request_on() {
    for (budget, left) in [("1s/move", 600_000), ("1s", 600_000), ("1m+1s", 59_600_000)] {
        let time = FakeTime::default();
        let (a, b) = (
            pondering_script("9 4", []),
            pondering_script("8", [PonderStep::UntilStopped(time.clone(), 400_000)]),
        );
        let report = play(&time, pondering([Some(&a), Some(&b)], budget, &[1]));
        assert_eq!(summary(&report), "9 8 4: n0 (odd) wins: counted out");
        assert_eq!(*b.allowed.lock().unwrap(), [Some(left)], "{budget}");
        assert_eq!(ponder_times(&report), "- 400010/400000 -");
        let record = Record::parse(&report.record.to_json(), &games()).unwrap();
        let again = Calls::from_record(&record, &games()).map(drop);
        assert_eq!(again.map_err(|error| error.to_string()), Ok(()), "{budget}");
    }
    // The stop took the limit of the move and its grace: the engine loses with its next move.
    let time = FakeTime::default();
    let (a, b) = (
        pondering_script("9", []),
        pondering_script("8", [PonderStep::UntilStopped(time.clone(), 1_060_000)]),
    );
    let report = play(&time, pondering([Some(&a), Some(&b)], "1s/move", &[1]));
    let lost = "9: n1 (even) loses on time: it took 1060.001ms and was allowed 1s";
    assert_eq!(summary(&report), lost);
}

#[test]
fn an_engine_can_lose_while_pondering() {
    let work = |cpu_us| PonderStep::Work { wall_us: 1_000_000, cpu_us };
    for (step, expected) in [
        (work(1_050_000), "9 3 9: n0 (odd) wins: counted out"),
        (work(1_900_000), "9: n1 (even) loses: it used 1900 ms of CPU time while it pondered"),
        (PonderStep::Fault(FaultCode::Crash), "9: n1 (even) loses: it did it"),
        (PonderStep::Fault(FaultCode::Timeout), "9: n1 (even) loses: it did it"),
        (PonderStep::Fault(FaultCode::Host), "9: aborted: n1 (even) did it"),
    ] {
        let (a, b) = (pondering_script("9 9", []), pondering_script("3", [step]));
        let report = play(&FakeTime::default(), pondering([Some(&a), Some(&b)], "none", &[1]));
        assert!(summary(&report).starts_with(expected), "{}", summary(&report));
        let result = report.result.as_ref().unwrap();
        if let Termination::Fault { fault } = result.termination {
            let call = Some(sandboard_engine::CallName::Think);
            let noted = &report.record.events.last().unwrap().kind;
            assert!(matches!(noted, EventKind::Fault { player: 1, code, call: of, .. }
                if *code == fault && *of == call));
            // An engine that does not ponder cannot fail while pondering.
            let mut forged = report.record.clone();
            forged.players[1].ponders = false;
            let error = Calls::from_record(&forged, &games()).map(drop).unwrap_err().to_string();
            assert!(error.contains("player 1 does not ponder"), "{error}");
        }
        let parsed: Result<_, RecordError> = Record::parse(&report.record.to_json(), &games());
        let again = Calls::from_record(&parsed.unwrap(), &games()).map(drop);
        assert_eq!(again.map_err(|error| error.to_string()), Ok(()), "{expected}");
    }
}

#[test]
fn lines_reported_while_pondering_are_dropped() {
    let (a, b) = (pondering_script("9 9", []), pondering_script("1", [PonderStep::Report("3 4")]));
    let lines = Arc::new(Mutex::new(0));
    let mut setup = pondering([Some(&a), Some(&b)], "none", &[1]);
    let count = lines.clone();
    setup.output_listener = Some(Arc::new(move |_, output| {
        *count.lock().unwrap() += usize::from(matches!(output, EngineOutput::Line(_)));
    }));
    let report = play(&FakeTime::default(), setup);
    assert_eq!((*lines.lock().unwrap(), &report.record.plies[1].line), (0, &None));
}

#[test]
fn an_engine_ponders_after_pauses_undone_moves_and_a_resume() {
    use InputEvent::*;
    let time = FakeTime::default();
    let script = pondering_script("5", []);
    let until_stopped = || PonderStep::UntilStopped(time.clone(), 0);
    script.ponder_steps.lock().unwrap().extend([
        until_stopped(),
        until_stopped(),
        until_stopped(),
        until_stopped(),
        until_stopped(),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bout.json");
    let mut setup = pondering([None, Some(&script)], "none", &[1]);
    setup.destination = RecordDestination::File(file.clone());
    let (input, ends) = input_channel();
    for event in [Pause, Resume, Move("x".into()), Move("1".into()), Undo(None), Move("2".into())] {
        input.send(event);
    }
    // All inputs are sent and the sender is dropped: the person quits.
    let report = run_with_time(&time, setup, Some(ends), &mut NullObserver).unwrap();
    assert_eq!(summary(&report), "2 5: unfinished");
    assert_eq!(
        script.calls(),
        "start [1, 3] [], think, stopped, think, stopped, played 1, back 1, think, stopped, \
         played 2, choose, played 5, think, stopped"
    );
    let record = crate::record::load(&file, &games()).unwrap();
    let again = Script::moves("1");
    let source = again.clone();
    let resumed = BoutSetup::resume(record, RecordDestination::Unsaved, &games(), |_| {
        Ok(Arc::new(Source(source.clone())))
    });
    let resumed = resumed.unwrap();
    assert_eq!([false, true], [0, 1].map(|player| resumed.players[player].ponders));
    let (input, ends) = input_channel();
    input.send(Resign);
    let report = run_with_time(&time, resumed, Some(ends), &mut NullObserver).unwrap();
    assert_eq!(summary(&report), "2 5: n0 (odd) resigns");
    assert_eq!(again.calls(), "start [1, 3] [2 5], think");
    assert_eq!(ponder_times(&report), "- 30/0", "the pondering before the quit is kept");
}

#[test]
fn invalid_settings_are_refused_before_anything_is_started() {
    let script = Script::moves("1");
    let setup = pondering([Some(&script), Some(&script)], "fuel:1e6/move", &[0]);
    let error = run(setup, None, &mut NullObserver).err().unwrap().to_string();
    assert!(error.starts_with("player 0 cannot ponder"), "{error}");
    assert_eq!(script.calls(), "");
}
