//! Runs in which a formula replaces the games: results depend only on the setup and the
//! measurements.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use quick_xml::Reader;
use quick_xml::events::Event;
use sandboard_evolution::{Subject, TunerEvent, Weights};
use serde_json::json;

use super::{
    FaultSummary, JOURNAL_FILE, Journal, Line, RunObserver, Seasons, Session, State, Task,
    TuneSetup, UnitError, UnitKey, UnitResult, UnitRunner, describe_match, html, options_file, run,
};
use sandboard_arena_plan::fixture::contestant;
use sandboard_common::ordered_work::Stop;

/// A run with two weights whose best values are 70 and 20.
fn setup(method: &str, race: bool) -> TuneSetup {
    setup_of(method, race, 1)
}

fn setup_of(method: &str, race: bool, seasons: u32) -> TuneSetup {
    let measure = match race {
        true => json!({ "kind": "games", "pairs": 30, "race_error": 0.3 }),
        false => json!({ "kind": "games", "pairs": 30 }),
    };
    serde_json::from_value(json!({
        "format": "sandboard-tune", "version": 2, "host": "0", "created_at": "2026-07-01T12:00:00Z",
        "game": "gomoku", "variant": "freestyle-15",
        "engine": contestant("<b>rows"), "opponents": [], "measure": measure,
        "settings": sandboard_bout::referee::BoutSettings::default(),
        "run": {
            "space": [
                { "name": "three", "kind": "whole", "min": 0, "max": 100, "start": 10 },
                { "name": "<i>four", "kind": "whole", "min": 0, "max": 100, "start": 90 }
            ],
            "method": { "name": method }, "seed": 5, "budget": { "measurements": 60 * seasons }
        },
        "seasons": seasons, "final_pairs": 10
    }))
    .unwrap()
}

/// Half points by a formula and the unit's number; stops the run after `after` units.
struct Formula {
    made: AtomicUsize,
    stop: Stop,
    after: usize,
}

fn strength(weights: &Weights) -> f64 {
    let [three, four] = [weights.values()[0], weights.values()[1]];
    -((three - 70.0).abs() + (four - 20.0).abs()) / 20.0
}

impl UnitRunner for Formula {
    fn run(
        &self,
        subject: &Subject,
        number: u32,
        rivals: &[Weights],
    ) -> Result<UnitResult, UnitError> {
        if self.made.fetch_add(1, Ordering::SeqCst) + 1 >= self.after {
            self.stop.stop();
        }
        let advantage = match subject {
            Subject::Fitness { weights, .. } => {
                let rival = &rivals[number as usize % rivals.len()];
                strength(weights) - strength(rival)
            }
            Subject::Duel { plus, minus } => strength(plus) - strength(minus),
        };
        let share = 1.0 / (1.0 + (-advantage).exp());
        // From 0 to 1, different for each number.
        let luck = f64::from(number.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
        let half_points = (4.0 * share + luck).floor().clamp(0.0, 4.0) as u8;
        let fault = (number % 20 == 19).then(|| "<u>crashed".to_owned());
        Ok(UnitResult { half_points, plies: 9, fault })
    }
}

impl RunObserver for Formula {}

/// Resumes the run of a folder until `after` more units are measured.
fn resume(dir: &Path, concurrency: usize, after: usize) -> State {
    let (journal, setup, lines) = Journal::open(dir).unwrap();
    let mut state = State::new(&setup, concurrency).unwrap();
    let missing = state.replay(lines).unwrap();
    let runner = Formula { made: AtomicUsize::new(0), stop: Stop::default(), after };
    let stop = &runner.stop.clone();
    let session = Session {
        runner: &runner,
        final_runner: &runner,
        concurrency,
        stop,
        observer: &runner,
        openings: 0,
    };
    let (state, ended) = run(state, journal, &missing, &session);
    ended.unwrap();
    state
}

fn start_run(setup: &TuneSetup) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    drop(Journal::create(dir.path(), setup, &[]).unwrap());
    dir
}

/// All results of a run, to compare it with another one.
fn outcome(state: &State) -> (Vec<TunerEvent>, Weights, [u64; 5], FaultSummary) {
    let history = state.seasons().tuners().flat_map(|tuner| tuner.history().to_vec()).collect();
    (history, state.seasons().best(), state.final_match(), state.faults())
}

fn check_same(method: &str, race: bool, seasons: u32) {
    let setup = setup_of(method, race, seasons);
    let single = resume(start_run(&setup).path(), 1, usize::MAX);
    assert!(single.is_complete());
    assert!(strength(&single.seasons().best()) > strength(&setup.space().start()), "{method}");
    assert_eq!(single.final_match().iter().sum::<u64>(), 10);
    let parallel = resume(start_run(&setup).path(), 5, usize::MAX);
    assert_eq!(outcome(&parallel), outcome(&single), "{method}");
    // Interrupted again and again, each time with the end of the journal cut off.
    let dir = start_run(&setup);
    let file = dir.path().join(JOURNAL_FILE);
    for concurrency in (1..5).cycle() {
        let state = resume(dir.path(), concurrency, 400);
        if state.is_complete() {
            assert_eq!(outcome(&state), outcome(&single), "{method}");
            break;
        }
        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, &bytes[..bytes.len() - 7 * concurrency]).unwrap();
    }
}

#[test]
fn a_run_depends_on_its_setup_alone() {
    for method in ["steady-state", "generational", "spsa", "cma-es"] {
        check_same(method, false, 1);
        check_same(method, true, 1);
    }
    for method in ["steady-state", "generational", "cma-es"] {
        check_same(method, true, 3);
    }
}

/// Offspring, which are measured with a threshold, lose every game; all other weights win.
struct LosingOffspring;

impl UnitRunner for LosingOffspring {
    fn run(&self, subject: &Subject, _number: u32, _: &[Weights]) -> Result<UnitResult, UnitError> {
        let is_offspring = matches!(subject, Subject::Fitness { threshold: Some(_), .. });
        Ok(UnitResult { half_points: if is_offspring { 0 } else { 4 }, plies: 9, fault: None })
    }
}

#[test]
fn races_save_games() {
    let [whole, raced] = [false, true].map(|race| {
        let dir = start_run(&setup("steady-state", race));
        let (journal, setup, _) = Journal::open(dir.path()).unwrap();
        let state = State::new(&setup, 1).unwrap();
        let (runner, stop) = (LosingOffspring, &Stop::default());
        let session = Session {
            runner: &runner,
            final_runner: &runner,
            concurrency: 1,
            stop,
            observer: &(),
            openings: 0,
        };
        let (state, ended) = run(state, journal, &[], &session);
        ended.unwrap();
        state.seasons().progress().games
    });
    assert_eq!(whole, 60 * 30 * 2);
    assert!(raced < whole, "{raced}");
}

/// One unit has no result.
struct Broken;

impl UnitRunner for Broken {
    fn run(&self, _subject: &Subject, number: u32, _: &[Weights]) -> Result<UnitResult, UnitError> {
        match number {
            4 => Err(UnitError::NoResult("the engine process was killed".into())),
            _ => Ok(UnitResult { half_points: 2, plies: 9, fault: None }),
        }
    }
}

#[test]
fn a_failed_unit_is_named() {
    let check = |openings: u32, expected: &str| {
        let dir = start_run(&setup("steady-state", false));
        let (journal, setup, _) = Journal::open(dir.path()).unwrap();
        let state = State::new(&setup, 1).unwrap();
        let (runner, stop) = (Broken, &Stop::default());
        let session = Session {
            runner: &runner,
            final_runner: &runner,
            concurrency: 1,
            stop,
            observer: &(),
            openings,
        };
        let (_, ended) = run(state, journal, &[], &session);
        let error = ended.unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "{expected}: a game has no result after 3 attempts: the engine process was killed"
            )
        );
    };
    check(0, "season 1, measurement 0, unit 4");
    check(10, "season 1, measurement 0, unit 4, opening 5");
    check(3, "season 1, measurement 0, unit 4, opening 2");
}

#[test]
fn a_folder_belongs_to_one_run_and_one_process() {
    let setup = setup("steady-state", false);
    let dir = start_run(&setup);
    let error = Journal::create(dir.path(), &setup, &[]).unwrap_err().to_string();
    assert!(error.contains("already holds a run"), "{error}");
    let _open = Journal::open(dir.path()).unwrap();
    let error = Journal::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("another process is working on the run"), "{error}");
}

/// Checks the error of a journal with these lines after its setup.
fn check_refused(lines: &str, expected: &str) {
    let dir = start_run(&setup("steady-state", false));
    let file = dir.path().join(JOURNAL_FILE);
    let whole = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{whole}{lines}")).unwrap();
    let error = match Journal::open(dir.path()) {
        Err(error) => error.to_string(),
        Ok((_, setup, lines)) => {
            let replayed = State::new(&setup, 1).unwrap().replay(lines);
            replayed.map_or_else(|error| error.to_string(), |_| "none".into())
        }
    };
    assert!(error.contains(expected), "{lines}: {error}");
}

#[test]
fn an_invalid_journal_is_refused_with_its_line() {
    check_refused("", "none");
    check_refused("{\"unit\":", "none");
    check_refused("{\"unit\":\n", "journal.jsonl, line 2: EOF");
    let unit = |measurement: u32, unit: u32, half_points: u32| {
        let key = json!({ "measurement": measurement, "unit": unit });
        format!("{}\n", json!({ "unit": { "key": key, "half_points": half_points, "plies": 1 } }))
    };
    check_refused(&unit(0, 0, 4), "none");
    check_refused(&(unit(0, 0, 4) + &unit(0, 1, 300)), "line 3: ");
    check_refused(&unit(0, 0, 5), "unit 0 of measurement 0: a pair of games scores 0 to 4");
    check_refused(&unit(0, 30, 1), "unit 30 of measurement 0 was not requested");
    check_refused(&unit(5000, 0, 1), "unit 0 of measurement 5000 was not requested");
    check_refused(&(unit(0, 0, 4) + &unit(0, 0, 4)), "unit 0 of measurement 0 was not requested");
    check_refused("{\"unite\":1}\n", "line 2: unknown variant");
    let request = json!({ "number": 0, "subject": { "kind": "fitness", "weights": [10.0, 90.0] } });
    let result = json!({ "kind": "fitness", "share": 0.5, "standard_error": 0.1, "games": 24 });
    let line = json!({ "measurement": { "request": request, "result": result } });
    check_refused(&format!("{line}\n"), "line 2: no units before it give this result");
    let last = |pair: u64| format!("{}\n", json!({ "final": { "pair": pair, "half_points": 2 } }));
    check_refused(&last(0), "line 2: pair 0 of the final match does not fit");
    check_refused(&last(4_294_967_295), "line 2: pair 4294967295 of the final match does not fit");
    // A measurement line that a kill removed follows from its units.
    let units: String = (0..30).map(|it| unit(0, it, 2)).collect();
    check_refused(&units, "none");
}

#[test]
fn names_in_the_report_are_escaped() {
    let setup = setup("steady-state", true);
    let state = resume(start_run(&setup).path(), 1, usize::MAX);
    let page = html(&setup, &state);
    let mut reader = Reader::from_str(page.strip_prefix("<!DOCTYPE html>").unwrap());
    let (mut text, mut pictures) = (String::new(), 0);
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) | Event::Empty(tag) => {
                let name = tag.name().as_ref().to_owned();
                assert!(!["script", "b", "i", "u", "img", "link"].contains(&&*name), "{name}");
                pictures += usize::from(name == "svg");
            }
            Event::Text(part) => text += &part,
            Event::Eof => break,
            _ => (),
        }
    }
    assert_eq!(pictures, 3);
    for part in ["all measurements done", "three", "likelihood of superiority", "20 games"] {
        assert!(text.contains(part), "{part}");
    }
    let lines = options_file(&setup, &state);
    assert!(lines.lines().any(|line| line.starts_with("three = ")), "{lines}");
    let faults = state.faults();
    assert!(faults.units > 0 && faults.last.as_deref() == Some("<u>crashed"));
}

#[test]
fn matches_are_described() {
    let check = |pairs: [u64; 5], expected: &str| {
        let found = describe_match(pairs).unwrap_or_default();
        assert!(found.starts_with(expected), "{found}");
    };
    check([0; 5], "");
    check([0, 0, 10, 0, 0], "50.0 % of the points (");
    check([0, 0, 0, 0, 10], "100.0 % of the points (74.1 to 100.0 %), +∞ Elo (+183 to +∞)");
    check(
        [1, 2, 4, 2, 1],
        "50.0 % of the points (33.0 to 67.0 %), +0 Elo (-123 to +123), likelihood of superiority 50.0 %",
    );
}

#[test]
fn lines_are_plain_json() {
    let text = "{\"final\":{\"pair\":3,\"half_points\":2}}";
    let line: Line = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&line).unwrap(), text);
}

#[test]
fn seasons_play_the_best_weights_of_earlier_seasons() {
    let setup = setup_of("steady-state", false, 3);
    let mut seasons = Seasons::new(&setup, 1).unwrap();
    let mut started: Vec<(u32, Vec<Weights>, Weights, u32)> = Vec::new();
    let mut counted = Vec::new();
    while let Some(Task { season, unit, rivals }) = seasons.take() {
        let Subject::Fitness { weights, .. } = &unit.subject else { panic!("no duels") };
        if started.len() == season as usize {
            started.push((season, rivals.clone(), weights.clone(), unit.number));
        }
        let result =
            Formula { made: AtomicUsize::new(0), stop: Stop::default(), after: usize::MAX }
                .run(&unit.subject, unit.number, &rivals)
                .unwrap();
        counted.extend(seasons.add(season, unit.key, result.half_points, None).unwrap());
    }
    assert!(seasons.end().is_some());
    assert_eq!((seasons.progress().measurements, seasons.progress().games), (180, 180 * 60));
    assert_eq!(seasons.progress().fraction, Some(1.0));
    for season in 0..3 {
        assert_eq!(counted.iter().filter(|it| it.0 == season).count(), 60);
    }
    let bests: Vec<Weights> = seasons.tuners().map(sandboard_evolution::Tuner::best).collect();
    let start = setup.space().start();
    assert_eq!(
        started,
        [
            (0, vec![start.clone()], start, 0),
            (1, bests[..1].to_vec(), bests[0].clone(), 1 << 20),
            (2, bests[..2].to_vec(), bests[1].clone(), 2 << 20),
        ]
    );
    assert_eq!(seasons.best(), bests[2]);
    let games: Vec<u64> = seasons.generations().map(|it| it.games).collect();
    assert!(games.is_sorted() && games.last() > Some(&(2 * 60 * 60)), "{games:?}");
    // A late result does not count; one that was not requested is refused.
    let key = UnitKey { measurement: 3, unit: 0 };
    assert_eq!(seasons.add(0, key, 4, None).unwrap(), []);
    assert!(seasons.add(3, key, 4, None).is_err());
}

#[test]
fn seasons_share_the_budget() {
    let check =
        |seasons: u32, budget: serde_json::Value, expected: &[(Option<u32>, Option<u64>)]| {
            let mut setup = setup_of("steady-state", false, seasons);
            setup.run.budget = serde_json::from_value(budget).unwrap();
            let mut run = Seasons::new(&setup, 1).unwrap();
            while let Some(Task { season, unit, .. }) = run.take() {
                run.add(season, unit.key, 2, None).unwrap();
            }
            let budgets = run.tuners().map(|tuner| tuner.setup().budget);
            let found: Vec<_> = budgets.map(|it| (it.measurements, it.games)).collect();
            assert_eq!(found, expected);
        };
    check(0, json!({ "measurements": 7 }), &[(Some(7), None)]);
    check(1, json!({ "measurements": 7 }), &[(Some(7), None)]);
    check(3, json!({ "measurements": 7 }), &[(Some(2), None), (Some(2), None), (Some(3), None)]);
    check(2, json!({ "games": 601 }), &[(None, Some(300)), (None, Some(301))]);
    check(
        5,
        json!({ "measurements": 2, "games": 900 }),
        &[(Some(1), Some(450)), (Some(1), Some(450))],
    );
}
