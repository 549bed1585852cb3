//! Bouts between engines.

use sandboard_games::Games;

use super::*;
use crate::clock::{Clock, Grace};
use crate::referee::{EventKind, TimeoutPolicy};
use crate::replay::CallScript;

fn play(setup: BoutSetup) -> BoutReport {
    run_with_time(&FakeTime::default(), setup, None, &mut NullObserver).unwrap()
}

#[test]
fn engines_receive_every_move_and_the_record_has_them() {
    let (a, b) = (Script::moves("9 2"), Script::moves("x 8 4"));
    let report = play(setup([Some(&a), Some(&b)], "1s/move"));
    assert_eq!(summary(&report), "9 8 2 4: n1 (even) wins: counted out");
    let calls = "played 9, choose, choose not x, played 8, played 2, choose, played 4";
    assert_eq!(b.calls(), format!("start [1, 3] [], {calls}"));
    let record = &report.record;
    assert_eq!(Record::parse(&record.to_json(), &games()).as_ref(), Ok(record));
    assert_eq!(record.started_at, "2026-07-01T12:34:56Z");
    assert_eq!(record.logs.len(), 5, "one text for each `choose`");
    assert!(matches!(report.saved, Ok(None)));
}

#[test]
fn every_failure_is_a_scored_game() {
    for (broken, expected) in [
        ("open", "n1 (even) loses: it broke at open"),
        ("start", "n1 (even) loses: it broke at start"),
        ("played", "n1 (even) loses: it broke at played"),
    ] {
        let (a, b) = (Script::moves("1"), Script::moves("1"));
        *b.broken.lock().unwrap() = Some(broken);
        let report = play(setup([Some(&a), Some(&b)], "none"));
        assert_eq!(report.result.unwrap().sentence, expected);
        assert!(!b.calls().contains("choose"), "{broken}");
    }
    let (a, b) = (Script::moves("1"), Script::new([Step::Fault(FaultCode::Memory)]));
    let report = play(setup([Some(&a), Some(&b)], "none"));
    assert_eq!(summary(&report), "1: n1 (even) loses: it did it");
    let (a, b) = (Script::new([Step::Resign]), Script::moves("1"));
    assert_eq!(summary(&play(setup([Some(&a), Some(&b)], "none"))), ": n0 (odd) resigns");
}

#[test]
fn a_killed_engine_plays_its_report_and_continues_in_a_fresh_instance() {
    let steps = [
        Step::Report("7 1"),
        Step::Report("8 x"),
        Step::Report("x"),
        Step::Spend(2_000_000),
        Step::Fault(FaultCode::Timeout),
        Step::Play("9"),
    ];
    let (a, b) = (Script::new(steps), Script::moves("5"));
    let mut setup = setup([Some(&a), Some(&b)], "1s/move");
    setup.settings.on_timeout = TimeoutPolicy::PlayReported;
    let report = play(setup);
    assert_eq!(summary(&report), "8 5 9: n0 (odd) wins: counted out");
    assert_eq!(a.calls(), "start [0, 2] [], choose, start [0, 2] [8], played 5, choose, played 9");
    assert!(report.record.plies[0].origin.is_some() && report.record.plies[2].origin.is_none());
    let events: Vec<_> = report.record.events.iter().map(|event| &event.kind).collect();
    let started = |player| EventKind::Started { player };
    assert_eq!((events[0], events[1]), (&started(0), &started(1)));
    assert!(matches!(events[2], EventKind::Fault { code: FaultCode::Timeout, .. }));
    assert_eq!(events[3], &EventKind::Overrun { player: 0, spent: 2_000_000, allowed: 1_000_000 });
    assert_eq!(events[4], &started(0));
}

#[test]
fn an_engine_that_never_answers_is_stopped_by_the_guard() {
    let check = |budget: &str, cpu_us: u64, expected: &str| {
        let (a, b) = (Script::moves("1"), Script::new([Step::UntilStopped { cpu_us }]));
        let mut setup = setup([Some(&a), Some(&b)], budget);
        // Long enough for a busy machine to begin the call.
        setup.settings.move_guard_us = 200_000;
        let report = play(setup);
        let found = summary(&report);
        assert!(found.starts_with(expected), "{budget}: {found}");
        let parsed = Record::parse(&report.record.to_json(), &games());
        assert_eq!(parsed.as_ref(), Ok(&report.record));
        assert!(CallScript::from_record(&report.record, &games()).is_ok(), "{budget}");
    };
    // It worked all the time.
    for budget in ["depth:8", "nodes:100", "none"] {
        check(
            budget,
            200_000,
            "1: n1 (even) loses on time: it did not answer within 200 ms, the guard",
        );
    }
}

#[test]
fn a_person_lets_an_engine_without_limits_think() {
    let check = |budget: &str, has_people: bool, expected: bool| {
        let limits = Clock::new(budget.parse().unwrap()).limits(Grace::default());
        let needs = |settings| run_loop::needs_guard(&limits, &settings, has_people);
        assert_eq!(needs(BoutSettings::default()), expected, "{budget} {has_people}");
        assert!(!needs(BoutSettings { move_guard_us: 0, ..BoutSettings::default() }), "{budget}");
    };
    check("depth:8", false, true);
    check("depth:8", true, true);
    check("nodes:9", true, true);
    check("none", false, true);
    check("none", true, false);
    // These limits have guards of their own.
    check("1s/move,depth:8", false, false);
    check("fuel:1e6/move,nodes:9", false, false);
    check("cpu:1s/move", false, false);
}

#[test]
fn the_last_reported_line_becomes_the_line_of_the_move() {
    let steps = [Step::Report("9 1"), Step::Play("9"), Step::Play("9")];
    let (a, b) = (Script::new(steps), Script::moves("1"));
    let received = Arc::new(Mutex::new(Vec::new()));
    let mut setup = setup([Some(&a), Some(&b)], "none");
    let sink = received.clone();
    setup.output_listener = Some(Arc::new(move |player, output| {
        let EngineOutput::Line(line) = output else { return };
        sink.lock().unwrap().push((player, line.moves.clone()));
    }));
    let report = play(setup);
    let line = report.record.plies[0].line.as_ref().unwrap();
    assert_eq!((line.pv.as_str(), line.depth), ("9 1", 3));
    assert_eq!(report.record.plies[2].line, None, "the line belongs to an earlier call");
    assert_eq!(*received.lock().unwrap(), [(0, "9 1".to_owned())]);
}

#[test]
fn records_are_saved_in_their_destination() {
    let folder = tempfile::tempdir().unwrap();
    let scripts = || (Script::moves("9 9"), Script::moves("9"));
    let mut paths = Vec::new();
    for _ in 0..2 {
        let (a, b) = scripts();
        let mut setup = setup([Some(&a), Some(&b)], "none");
        setup.destination = RecordDestination::Folder(folder.path().join("bouts"));
        let report = play(setup);
        let path = report.saved.unwrap().unwrap();
        assert_eq!(crate::record::load(&path, &games()).unwrap(), report.record);
        paths.push(path.file_name().unwrap().to_owned());
    }
    assert_eq!(paths, ["counting-20260701-123456-1.json", "counting-20260701-123456-2.json"]);
    let (a, b) = scripts();
    let mut setup = setup([Some(&a), Some(&b)], "none");
    setup.destination = RecordDestination::File(folder.path().join("nowhere/at.json"));
    let report = play(setup);
    assert!(report.result.is_some(), "a failed save does not lose the result");
    assert!(report.saved.unwrap_err().to_string().contains("nowhere"));
}

#[test]
fn a_person_needs_an_input_and_seats_need_players() {
    let a = Script::moves("1");
    let error = run(setup([Some(&a), None], "none"), None, &mut NullObserver).err().unwrap();
    assert_eq!(error.to_string(), "player 1 is a person, but there is no input");
    let mut missing = setup([Some(&a), Some(&a)], "none");
    missing.players.pop();
    assert!(matches!(run(missing, None, &mut NullObserver), Err(BoutError::Setup(_))));
}

#[test]
fn a_real_game_is_played_recorded_and_read_back() {
    let (a, b) = (Script::moves("h8 i8 j8 k8 l8"), Script::moves("h9 i9 j9 k9"));
    let game = Games::default().find("gomoku").unwrap();
    let mut setup = setup([Some(&a), Some(&b)], "3m+2s");
    setup.start = StartPosition::new(game, game.variant("freestyle").unwrap(), None);
    for (seat, player) in setup.players.iter_mut().enumerate() {
        player.seats = vec![seat as u8];
    }
    let report = play(setup);
    let result = report.result.as_ref().unwrap();
    assert_eq!(result.winner, Some(0), "{}", result.sentence);
    let record = Record::parse(&report.record.to_json(), &Games::default()).unwrap();
    assert_eq!(record, report.record);
    let start = record.start_position_after(Some(4), &Games::default()).unwrap();
    assert_eq!(start.set_up().unwrap().to_move().0, 0);
}

#[test]
fn seeds_of_players_do_not_reveal_the_seed_of_the_bout() {
    // Computed by another program.
    assert_eq!(player_seed(0, 0), 0xd59d_71f7_ff08_4737);
    assert_eq!(player_seed(0, 1), 0x77e7_1fbd_9f14_349d);
}

/// `cargo test -p sandboard-bout --lib --release -- overhead --nocapture` prints the times.
#[test]
fn overhead_of_driver_and_referee() {
    struct FixedEngine(StopHandle);
    impl Engine for FixedEngine {
        fn start(&mut self, _: &Setup) -> Result<Usage, Fault> {
            Ok(Usage::default())
        }
        fn played(&mut self, _: &str) -> Result<(), Fault> {
            Ok(())
        }
        fn taken_back(&mut self, _: u32) -> Result<(), Fault> {
            Ok(())
        }
        fn choose(&mut self, _: &Limits, _: &[Barred]) -> Result<ChooseResponse, Fault> {
            let decision = Decision::Play("1".to_owned());
            let choice = Choice { decision, offers_draw: false, line: None };
            Ok(ChooseResponse { choice, spent: Usage::default() })
        }
        fn think(&mut self) -> Result<Usage, Fault> {
            Ok(Usage::default())
        }
        fn stop_handle(&self) -> StopHandle {
            self.0.clone()
        }
    }
    struct FixedSource;
    impl EngineSource for FixedSource {
        fn open(&self, _: Arc<dyn Listener>, _threads: u16) -> Result<Box<dyn Engine>, Fault> {
            Ok(Box::new(FixedEngine(StopHandle::default())))
        }
    }
    // The fastest of many runs: other tests run at the same time.
    for (variant, bouts, plies) in [("endless", 30, 1_000), ("to-21", 300, 20)] {
        for budget in ["none", "5s/move", "3m+2s"] {
            let mut fastest = Duration::MAX;
            for _ in 0..bouts {
                let script = Script::new([]);
                let mut setup = setup([Some(&script), Some(&script)], budget);
                setup.start.variant = COUNTING.variant(variant).unwrap();
                setup.settings.plies_max = 1_000;
                for player in &mut setup.players {
                    player.engine = Some(EnginePlayer::new(Arc::new(FixedSource), "fixed"));
                }
                let began = std::time::Instant::now();
                let report = run(setup, None, &mut NullObserver).unwrap();
                fastest = fastest.min(began.elapsed());
                assert_eq!(report.record.plies.len(), plies);
            }
            let per_ply = fastest / plies as u32;
            println!("bouts of {plies} plies, {budget}: {per_ply:?} per ply");
        }
    }
}
