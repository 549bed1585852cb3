//! Bouts of engines alone.

use super::*;
use crate::referee::{OnTimeout, What};

fn play(setup: BoutSetup) -> BoutReport {
    run_on(&FakeTime::default(), setup, None, &mut Nobody).unwrap()
}

#[test]
fn engines_hear_every_move_and_the_record_has_them() {
    let (a, b) = (Script::moves("9 2"), Script::moves("x 8 4"));
    let report = play(setup([Some(&a), Some(&b)], "1s/move"));
    assert_eq!(told(&report), "9 8 2 4: n1 (even) wins: counted out");
    let told = "played 9, choose, choose not x, played 8, played 2, choose, played 4";
    assert_eq!(b.heard(), format!("start [1, 3] [], {told}"));
    let record = &report.record;
    assert_eq!(Record::parse(&record.to_json(), games).as_ref(), Ok(record));
    assert_eq!(record.started_at, "2026-07-01T12:34:56Z");
    assert_eq!(record.logs.len(), 5, "one text for each call");
    assert!(matches!(report.saved, Ok(None)));
}

#[test]
fn every_way_to_fail_is_a_scored_game() {
    for (broken, expected) in [
        ("open", "n1 (even) loses: it broke at open"),
        ("start", "n1 (even) loses: it broke at start"),
        ("played", "n1 (even) loses: it broke at played"),
    ] {
        let (a, b) = (Script::moves("1"), Script::moves("1"));
        *b.broken.lock().unwrap() = Some(broken);
        let report = play(setup([Some(&a), Some(&b)], "none"));
        assert_eq!(report.result.unwrap().sentence, expected);
        assert!(!b.heard().contains("choose"), "{broken}");
    }
    let (a, b) = (Script::moves("1"), Script::new([Step::Fault(FaultCode::Memory)]));
    let report = play(setup([Some(&a), Some(&b)], "none"));
    assert_eq!(told(&report), "1: n1 (even) loses: it did it");
    let (a, b) = (Script::new([Step::Resign]), Script::moves("1"));
    assert_eq!(told(&play(setup([Some(&a), Some(&b)], "none"))), ": n0 (odd) resigns");
}

#[test]
fn a_killed_engine_plays_its_report_and_goes_on_in_a_fresh_instance() {
    let late = [
        Step::Report("7 1"),
        Step::Report("8 x"),
        Step::Report("x"),
        Step::Spend(2_000_000),
        Step::Fault(FaultCode::Timeout),
        Step::Play("9"),
    ];
    let (a, b) = (Script::new(late), Script::moves("5"));
    let mut setup = setup([Some(&a), Some(&b)], "1s/move");
    setup.settings.on_timeout = OnTimeout::PlayReported;
    let report = play(setup);
    assert_eq!(told(&report), "8 5 9: n0 (odd) wins: counted out");
    assert_eq!(a.heard(), "start [0, 2] [], choose, start [0, 2] [8], played 5, choose, played 9");
    assert!(report.record.plies[0].mark.is_some() && report.record.plies[2].mark.is_none());
    let events: Vec<_> = report.record.events.iter().map(|event| &event.what).collect();
    let started = |player| What::Started { player };
    assert_eq!((events[0], events[1]), (&started(0), &started(1)));
    assert!(matches!(events[2], What::Fault { code: FaultCode::Timeout, .. }));
    assert_eq!(events[3], &What::Late { player: 0, spent: 2_000_000, allowed: 1_000_000 });
    assert_eq!(events[4], &started(0));
}

#[test]
fn the_last_report_of_a_call_is_the_line_of_its_move() {
    let steps = [Step::Report("9 1"), Step::Play("9"), Step::Play("9")];
    let (a, b) = (Script::new(steps), Script::moves("1"));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let mut setup = setup([Some(&a), Some(&b)], "none");
    let ears = heard.clone();
    setup.live = Some(Arc::new(move |player, remark| {
        let Remark::Line(line) = remark else { return };
        ears.lock().unwrap().push((player, line.moves.clone()));
    }));
    let report = play(setup);
    let line = report.record.plies[0].line.as_ref().unwrap();
    assert_eq!((line.pv.as_str(), line.depth), ("9 1", 3));
    assert_eq!(report.record.plies[2].line, None, "of an earlier call");
    assert_eq!(*heard.lock().unwrap(), [(0, "9 1".to_owned())]);
}

#[test]
fn records_go_where_they_are_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let scripts = || (Script::moves("9 9"), Script::moves("9"));
    let mut paths = Vec::new();
    for _ in 0..2 {
        let (a, b) = scripts();
        let mut setup = setup([Some(&a), Some(&b)], "none");
        setup.place = Place::Folder(folder.path().join("bouts"));
        let report = play(setup);
        let path = report.saved.unwrap().unwrap();
        assert_eq!(crate::record::load(&path, games).unwrap(), report.record);
        paths.push(path.file_name().unwrap().to_owned());
    }
    assert_eq!(paths, ["counting-20260701-123456-1.json", "counting-20260701-123456-2.json"]);
    let (a, b) = scripts();
    let mut setup = setup([Some(&a), Some(&b)], "none");
    setup.place = Place::File(folder.path().join("nowhere/at.json"));
    let report = play(setup);
    assert!(report.result.is_some(), "a result outlives a disk that is full");
    assert!(report.saved.unwrap_err().to_string().contains("nowhere"));
}

#[test]
fn a_person_needs_an_input_and_players_need_seats() {
    let a = Script::moves("1");
    let error = run(setup([Some(&a), None], "none"), None, &mut Nobody).err().unwrap();
    assert_eq!(error.to_string(), "player 1 is a person, but there is no input");
    let mut missing = setup([Some(&a), Some(&a)], "none");
    missing.players.pop();
    assert!(matches!(run(missing, None, &mut Nobody), Err(BoutError::Players(_))));
}

#[test]
fn a_game_of_the_table_is_played_recorded_and_played_again() {
    let (a, b) = (Script::moves("h8 i8 j8 k8 l8"), Script::moves("h9 i9 j9 k9"));
    let game = sandboard_games::game("gomoku").unwrap();
    let mut setup = setup([Some(&a), Some(&b)], "3m+2s");
    setup.start = Start { game, variant: game.variant("freestyle").unwrap(), position: None };
    for (seat, player) in setup.players.iter_mut().enumerate() {
        player.seats = vec![seat as u8];
    }
    let report = play(setup);
    let result = report.result.as_ref().unwrap();
    assert_eq!(result.winner, Some(0), "{}", result.sentence);
    let record = Record::parse(&report.record.to_json(), sandboard_games::game).unwrap();
    assert_eq!(record, report.record);
    let start = record.start_after(Some(4), sandboard_games::game).unwrap();
    assert_eq!(start.set_up().unwrap().to_move().0, 0);
}

#[test]
fn seeds_of_players_are_drawn_from_the_bouts() {
    // The first numbers of splitmix64 from 0, as published with it.
    assert_eq!(player_seed(0, 0), 0xe220_a839_7b1d_cdaf);
    assert_eq!(player_seed(0, 1), 0x6e78_9e6a_a1b9_65f4);
}

/// `cargo test -p sandboard-host --lib --release -- overhead --nocapture` shows the figure.
#[test]
fn overhead_of_driver_and_referee() {
    struct Fixed(Control);
    impl Engine for Fixed {
        fn start(&mut self, _: &Setup) -> Result<Spent, Fault> {
            Ok(Spent::default())
        }
        fn played(&mut self, _: &str) -> Result<(), Fault> {
            Ok(())
        }
        fn taken_back(&mut self, _: u32) -> Result<(), Fault> {
            Ok(())
        }
        fn choose(&mut self, _: &Limits, _: &[Barred]) -> Result<Answer, Fault> {
            let decision = Decision::Play("1".to_owned());
            let choice = Choice { decision, offers_draw: false, line: None };
            Ok(Answer { choice, spent: Spent::default() })
        }
        fn think(&mut self) -> Result<Spent, Fault> {
            Ok(Spent::default())
        }
        fn control(&self) -> Control {
            self.0.clone()
        }
    }
    struct Fixes;
    impl EngineSource for Fixes {
        fn open_for(&self, _: Arc<dyn Listener>, _threads: u16) -> Result<Box<dyn Engine>, Fault> {
            Ok(Box::new(Fixed(Control::default())))
        }
    }
    // The fastest of many: other tests run at the same time.
    for (variant, bouts, plies) in [("endless", 30, 1_000), ("to-21", 300, 20)] {
        for budget in ["none", "5s/move", "3m+2s"] {
            let mut fastest = Duration::MAX;
            for _ in 0..bouts {
                let script = Script::new([]);
                let mut setup = setup([Some(&script), Some(&script)], budget);
                setup.start.variant = COUNTING.variant(variant).unwrap();
                setup.settings.plies_max = 1_000;
                for player in &mut setup.players {
                    player.mover = Mover::Engine(EnginePlayer::new(Arc::new(Fixes), "fixed"));
                }
                let began = std::time::Instant::now();
                let report = run(setup, None, &mut Nobody).unwrap();
                fastest = fastest.min(began.elapsed());
                assert_eq!(report.record.plies.len(), plies);
            }
            let per_ply = fastest / plies as u32;
            println!("bouts of {plies} plies, {budget}: {per_ply:?} per ply");
        }
    }
}
