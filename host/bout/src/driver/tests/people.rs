//! Bouts with people.

use InputEvent::*;

use super::*;

/// A person (player 0) plays these inputs against a script (player 1).
fn play_against(
    script: &Arc<Script>,
    typed: impl IntoIterator<Item = InputEvent>,
    change: impl FnOnce(&mut BoutSetup, &InputSender),
) -> (BoutReport, String) {
    let (input, ends) = input_channel();
    let mut setup = setup([None, Some(script)], "none");
    change(&mut setup, &input);
    for event in typed {
        input.send(event);
    }
    let log = ObserverLog::default();
    let report = run_with_time(&FakeTime::default(), setup, Some(ends), &mut log.clone()).unwrap();
    assert!(!input.send(ShowBoard), "the bout is over");
    (report, log.text())
}

fn typed(text: &str) -> InputEvent {
    Move(text.into())
}

fn unchanged(_: &mut BoutSetup, _: &InputSender) {}

#[test]
fn a_person_plays_to_the_end() {
    let script = Script::moves("9");
    let (report, log) = play_against(&script, [typed("x"), typed("9"), typed("9")], |setup, _| {
        setup.players[0].budget = "1s/move".parse().unwrap();
    });
    assert_eq!(summary(&report), "9 9 9: n0 (odd) wins: counted out");
    assert_eq!(
        log,
        "began\nperson 0 to move\nrefused\n0 moved 9 0:01.0\n1 moved 9 0:01.0\nperson 0 to move\n\
         0 moved 9 0:01.0\nended: n0 (odd) wins: counted out"
    );
    assert_eq!(script.calls(), "start [1, 3] [], played 9, choose, played 9, played 9");
}

#[test]
fn a_person_that_does_not_move_loses_on_time() {
    let script = Script::moves("9");
    let (report, _) = play_against(&script, [], |setup, _| {
        setup.players[0].budget = "1s/move".parse().unwrap();
    });
    assert!(summary(&report).contains("n0 (odd) loses on time: it took 1050.001ms"));
}

#[test]
fn a_bout_that_was_left_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bout.json");
    let script = Script::moves("5");
    let (report, _) =
        play_against(&script, [typed("9"), typed("x"), Quit, typed("9")], |setup, _| {
            setup.destination = RecordDestination::File(file.clone());
            setup.players[1].budget = "10s".parse().unwrap();
        });
    assert_eq!(summary(&report), "9 5: unfinished");

    let record = crate::record::load(&file, &games()).unwrap();
    assert_eq!(record, report.record);
    let script = Script::moves("x");
    let find = |engine: &EngineRecord| {
        assert_eq!((engine.id.as_str(), engine.seed), ("scripted", player_seed(7, 1)));
        Ok(Arc::new(Source(script.clone())) as Arc<dyn EngineSource>)
    };
    let destination = RecordDestination::File(file.clone());
    let mut setup = BoutSetup::resume(record, destination, &games(), find).unwrap();
    setup.seed = 99;
    let (input, ends) = input_channel();
    assert!(input.send(typed("9")));
    let log = ObserverLog::default();
    let report = run_with_time(&FakeTime::default(), setup, Some(ends), &mut log.clone()).unwrap();
    assert_eq!(summary(&report), "9 5 9: n0 (odd) wins: counted out");
    assert_eq!(script.calls(), "start [1, 3] [9 5], played 9");
    assert_eq!(report.record.players[1].clock_left, Some(9_999_999));
    let events: Vec<_> =
        report.record.events.iter().map(|e| (e.at_ply, format!("{:?}", e.kind))).collect();
    assert_eq!(events[0].1, "Started { player: 1 }");
    assert!(events[1].1.starts_with("Refused"));
    assert_eq!(events[2], (2, "Reloaded".into()));
    assert_eq!(events[3], (2, "Started { player: 1 }".into()));

    let finished = crate::record::load(&file, &games()).unwrap();
    let find = |_: &EngineRecord| Err("gone".to_owned());
    let error =
        BoutSetup::resume(finished, RecordDestination::Unsaved, &games(), find).err().unwrap();
    assert!(matches!(error, ResumeError::Finished(_)), "{error}");
}

#[test]
fn the_time_used_for_a_move_is_kept_when_a_person_quits() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bout.json");
    let time = FakeTime::default();
    struct Slow(FakeTime);
    impl Observer for Slow {
        fn show_board(&mut self, _: BoutView<'_>) {
            self.0.0.fetch_add(700_000, Ordering::SeqCst);
        }
    }
    let play = |setup, event: &[InputEvent]| {
        let (input, ends) = input_channel();
        for event in event {
            input.send(event.clone());
        }
        run_with_time(&time, setup, Some(ends), &mut Slow(time.clone())).unwrap()
    };
    let script = Script::moves("1");
    let mut first = setup([None, Some(&script)], "1s/move");
    first.destination = RecordDestination::File(file.clone());
    let report = play(first, &[ShowBoard, Quit]);
    assert_eq!(report.record.turn_us, 700_000);
    let find = |_: &EngineRecord| Ok(Arc::new(Source(script.clone())) as Arc<dyn EngineSource>);
    let setup =
        BoutSetup::resume(report.record, RecordDestination::Unsaved, &games(), find).unwrap();
    let report = play(setup, &[ShowBoard, typed("1")]);
    assert!(summary(&report).contains("it took 1400ms and was allowed 1s"), "{}", summary(&report));
}

#[test]
fn undo_returns_the_turn_to_the_person() {
    let script = Script::moves("5 6");
    let (report, _) = play_against(
        &script,
        [typed("9"), typed("x"), Undo(None), typed("8"), typed("x"), Undo(Some(9)), Resign],
        unchanged,
    );
    assert_eq!(summary(&report), "8 6: n0 (odd) resigns");
    let calls = "played 9, choose, played 5, back 2, played 8, choose, played 6";
    assert_eq!(script.calls(), format!("start [1, 3] [], {calls}"));
}

#[test]
fn undo_while_the_engine_thinks_stops_it_and_drops_its_answer() {
    let script = Script::new([]);
    let (report, log) = play_against(&script, [typed("9")], |_, input| {
        let back = Step::Meanwhile(input.clone(), Undo(None));
        let again = Step::Meanwhile(input.clone(), typed("8"));
        script.steps.lock().unwrap().extend([back, again, Step::Play("5"), Step::Resign]);
    });
    assert_eq!(summary(&report), "8: n1 (even) resigns");
    assert!(!log.contains("no:"), "{log}");
    let calls =
        "meanwhile Undo(None), stopped, meanwhile Move(\"8\"), stopped, back 1, played 8, choose";
    assert!(script.calls().contains(calls), "{}", script.calls());
}

#[test]
fn a_stopped_engine_that_is_killed_is_started_again() {
    let script = Script::new([]);
    let (report, _) = play_against(&script, [typed("9")], |_, input| {
        let back = Step::Meanwhile(input.clone(), Undo(None));
        let again = Step::Meanwhile(input.clone(), typed("8"));
        let killed = Step::Fault(FaultCode::Timeout);
        script.steps.lock().unwrap().extend([back, again, killed, Step::Resign]);
    });
    assert_eq!(summary(&report), "8: n1 (even) resigns");
    assert!(script.calls().ends_with("start [1, 3] [8], choose"), "{}", script.calls());
}

#[test]
fn a_pause_holds_the_answer_until_the_bout_is_resumed() {
    let script = Script::new([]);
    let (report, log) = play_against(&script, [typed("9")], |_, input| {
        let steps = [Pause, typed("4"), Resume, Quit].map(|e| Step::Meanwhile(input.clone(), e));
        script.steps.lock().unwrap().extend(steps);
    });
    assert_eq!(summary(&report), "9: unfinished", "quit before it was resumed");
    assert!(log.contains("rejected: the bout is paused"), "{log}");

    let script = Script::moves("5");
    let typed_first = [typed("9"), Pause, ShowBoard, Resume, ShowBoard, typed("x"), Resign];
    let (report, _) = play_against(&script, typed_first, unchanged);
    assert_eq!(summary(&report), "9 5: n0 (odd) resigns");
    assert_eq!(script.calls(), "start [1, 3] [], played 9, choose, played 5");
}

#[test]
fn a_draw_is_offered_and_accepted() {
    let script = Script::moves("5");
    let (report, log) = play_against(
        &script,
        [AcceptDraw, OfferDraw, OfferDraw, Abort("enough".into())],
        unchanged,
    );
    assert_eq!(summary(&report), ": aborted: enough");
    assert!(
        log.contains(
            "rejected: no draw is offered\ndrawoffered\nrejected: the draw is already offered"
        ),
        "{log}"
    );
    let (input, ends) = input_channel();
    for event in [OfferDraw, AcceptDraw] {
        input.send(event);
    }
    let report = run_with_time(
        &FakeTime::default(),
        setup([None, None], "none"),
        Some(ends),
        &mut NullObserver,
    );
    assert_eq!(summary(&report.unwrap()), ": draw: agreed");
}

#[test]
fn a_hint_is_not_played() {
    let (script, hint_script) = (Script::moves("5"), Script::moves("4 x"));
    let (report, log) = play_against(&script, [Hint, Hint, typed("9"), Hint, Quit], |setup, _| {
        let budget = "100ms/move".parse().unwrap();
        setup.hint = Some(HintEngine { engine: engine(&hint_script), budget });
    });
    assert_eq!(summary(&report), "9 5: unfinished");
    assert_eq!(
        hint_script.calls(),
        "start [0, 2] [], choose, start [0, 2] [], choose, start [0, 2] [9 5], choose"
    );
    assert!(log.contains("hint Ok(Play(\"4\"))\nhint Err(\"the engine chose an illegal move\")"));
    assert!(log.ends_with("hint Ok(Play(\"1\"))"), "{log}");
    let (_, log) = play_against(&Script::moves("5"), [Hint, Quit], unchanged);
    assert!(log.contains("rejected: this bout has no engine for hints"));
}

#[test]
fn showing_and_saving_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (file, copy) = (folder.path().join("bout.json"), folder.path().join("copy.json"));
    let script = Script::moves("5");
    let events =
        [ShowBoard, Save(None), Save(Some(copy.clone())), Save(Some("/".into())), Resume, Quit];
    let (report, log) = play_against(&script, events, |setup, _| {
        setup.destination = RecordDestination::File(file.clone());
    });
    assert_eq!(summary(&report), ": unfinished");
    assert_eq!(
        log,
        "began\nperson 0 to move\nshow 0 0 0\nsaved true\nsaved true\nsaved false\n\
         rejected: the bout is not paused"
    );
    assert_eq!(std::fs::read(file).unwrap(), std::fs::read(copy).unwrap());
    let (_, log) = play_against(&script, [Save(None), Quit], unchanged);
    assert!(log.contains("saved false"), "this bout is not saved");
}

#[test]
fn a_bout_with_people_is_saved_after_every_move() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bout.json");
    let seen = file.clone();
    struct Peek(PathBuf, Vec<usize>);
    impl Observer for Peek {
        fn person_to_move(&mut self, _: BoutView<'_>, _: usize, _: &Limits) {
            let plies =
                crate::record::load(&self.0, &games()).map_or(0, |record| record.plies.len());
            self.1.push(plies);
        }
    }
    let script = Script::moves("5 6");
    let mut setup = setup([None, Some(&script)], "none");
    setup.destination = RecordDestination::File(file);
    let (input, ends) = input_channel();
    for event in [typed("1"), typed("2"), typed("x"), Quit] {
        input.send(event);
    }
    let mut peek = Peek(seen, Vec::new());
    run_with_time(&FakeTime::default(), setup, Some(ends), &mut peek).unwrap();
    assert_eq!(peek.1, [0, 2, 4]);
}
