//! Runs with a game that is a formula: what comes of them depends on nothing but the setup and the answers.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use quick_xml::Reader;
use quick_xml::events::Event;
use sandboard_evolution::{Asked, Event as Happened, Weights};
use serde_json::json;

use super::{
    FILE, Faults, Journal, Line, Made, Seasons, Session, State, Task, Trial, TrialError, TuneSetup,
    UnitKey, Watcher, html, match_in_words, options_file, run,
};
use crate::arena::fixture::contestant;
use crate::ordered::Stop;

/// A run of two weights that play best at 70 and 20.
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
        "settings": crate::referee::Settings::default(),
        "run": {
            "space": [
                { "name": "three", "kind": "whole", "min": 0, "max": 100, "start": 10 },
                { "name": "<i>four", "kind": "whole", "min": 0, "max": 100, "start": 90 }
            ],
            "method": { "name": method }, "seed": 5, "budget": { "questions": 60 * seasons }
        },
        "seasons": seasons, "final_pairs": 10
    }))
    .unwrap()
}

/// Half points by a formula and the unit's number; stops after so many units.
struct Formula {
    made: AtomicUsize,
    stop: Stop,
    after: usize,
}

fn strength(weights: &Weights) -> f64 {
    let [three, four] = [weights.values()[0], weights.values()[1]];
    -((three - 70.0).abs() + (four - 20.0).abs()) / 20.0
}

impl Trial for Formula {
    fn make(&self, asked: &Asked, number: u32, rivals: &[Weights]) -> Result<Made, TrialError> {
        if self.made.fetch_add(1, Ordering::SeqCst) + 1 >= self.after {
            self.stop.stop();
        }
        let ahead = match asked {
            Asked::Fitness { weights, .. } => {
                let rival = &rivals[number as usize % rivals.len()];
                strength(weights) - strength(rival)
            }
            Asked::Duel { plus, minus } => strength(plus) - strength(minus),
        };
        let share = 1.0 / (1.0 + (-ahead).exp());
        // From 0 to 1, another for each number.
        let luck = f64::from(number.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
        let half_points = (4.0 * share + luck).floor().clamp(0.0, 4.0) as u8;
        let fault = (number % 20 == 19).then(|| "<u>crashed".to_owned());
        Ok(Made { half_points, plies: 9, fault })
    }
}

impl Watcher for Formula {}

/// Goes on with the run of a folder until so many units more are made.
fn go_on(dir: &Path, concurrency: usize, after: usize) -> State {
    let (journal, setup, lines) = Journal::open(dir).unwrap();
    let mut state = State::new(&setup, concurrency).unwrap();
    let owed = state.replay(lines).unwrap();
    let trial = Formula { made: AtomicUsize::new(0), stop: Stop::default(), after };
    let stop = &trial.stop.clone();
    let session =
        Session { trial: &trial, finals: &trial, concurrency, stop, watcher: &trial, openings: 0 };
    let (state, ended) = run(state, journal, &owed, &session);
    ended.unwrap();
    state
}

fn begun(setup: &TuneSetup) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    drop(Journal::create(dir.path(), setup, &[]).unwrap());
    dir
}

/// All that came of a run.
fn told(state: &State) -> (Vec<Happened>, Weights, [u64; 5], Faults) {
    let history = state.seasons().tuners().flat_map(|tuner| tuner.history().to_vec()).collect();
    (history, state.seasons().best(), state.final_match(), state.faults())
}

fn check_same(method: &str, race: bool, seasons: u32) {
    let setup = setup_of(method, race, seasons);
    let alone = go_on(begun(&setup).path(), 1, usize::MAX);
    assert!(alone.is_complete());
    assert!(strength(&alone.seasons().best()) > strength(&setup.space().start()), "{method}");
    assert_eq!(alone.final_match().iter().sum::<u64>(), 10);
    let together = go_on(begun(&setup).path(), 5, usize::MAX);
    assert_eq!(told(&together), told(&alone), "{method}");
    // Left again and again, with the last line cut off.
    let dir = begun(&setup);
    let file = dir.path().join(FILE);
    for concurrency in (1..5).cycle() {
        let state = go_on(dir.path(), concurrency, 400);
        if state.is_complete() {
            assert_eq!(told(&state), told(&alone), "{method}");
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

/// Whoever must beat somebody loses everything, the others win everything.
struct Children;

impl Trial for Children {
    fn make(&self, asked: &Asked, _number: u32, _: &[Weights]) -> Result<Made, TrialError> {
        let is_child = matches!(asked, Asked::Fitness { bar: Some(_), .. });
        Ok(Made { half_points: if is_child { 0 } else { 4 }, plies: 9, fault: None })
    }
}

#[test]
fn races_save_games() {
    let [whole, raced] = [false, true].map(|race| {
        let dir = begun(&setup("steady-state", race));
        let (journal, setup, _) = Journal::open(dir.path()).unwrap();
        let state = State::new(&setup, 1).unwrap();
        let (trial, stop) = (Children, &Stop::default());
        let session = Session {
            trial: &trial,
            finals: &trial,
            concurrency: 1,
            stop,
            watcher: &(),
            openings: 0,
        };
        let (state, ended) = run(state, journal, &[], &session);
        ended.unwrap();
        state.seasons().progress().games
    });
    assert_eq!(whole, 60 * 30 * 2);
    assert!(raced < whole, "{raced}");
}

/// A game that comes to no result, in one unit.
struct Broken;

impl Trial for Broken {
    fn make(&self, _asked: &Asked, number: u32, _: &[Weights]) -> Result<Made, TrialError> {
        match number {
            4 => Err(TrialError::NoResult("the worker was killed".into())),
            _ => Ok(Made { half_points: 2, plies: 9, fault: None }),
        }
    }
}

#[test]
fn a_unit_that_cannot_be_made_is_named() {
    let check = |openings: u32, expected: &str| {
        let dir = begun(&setup("steady-state", false));
        let (journal, setup, _) = Journal::open(dir.path()).unwrap();
        let state = State::new(&setup, 1).unwrap();
        let (trial, stop) = (Broken, &Stop::default());
        let session =
            Session { trial: &trial, finals: &trial, concurrency: 1, stop, watcher: &(), openings };
        let (_, ended) = run(state, journal, &[], &session);
        let error = ended.unwrap_err().to_string();
        assert_eq!(
            error,
            format!("{expected}: a game has no result after 3 attempts: the worker was killed")
        );
    };
    check(0, "season 1, question 0, unit 4");
    check(10, "season 1, question 0, unit 4, opening 5");
    check(3, "season 1, question 0, unit 4, opening 2");
}

#[test]
fn a_folder_is_of_one_run_and_one_process() {
    let setup = setup("steady-state", false);
    let dir = begun(&setup);
    let error = Journal::create(dir.path(), &setup, &[]).unwrap_err().to_string();
    assert!(error.contains("holds a run already"), "{error}");
    let _held = Journal::open(dir.path()).unwrap();
    let error = Journal::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("is being made by another process"), "{error}");
}

/// The error of a journal with these lines behind its setup.
fn check_refused(lines: &str, expected: &str) {
    let dir = begun(&setup("steady-state", false));
    let file = dir.path().join(FILE);
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
fn what_is_no_journal_is_named() {
    check_refused("", "none");
    check_refused("{\"unit\":", "none");
    check_refused("{\"unit\":\n", "journal.jsonl, line 2: EOF");
    let unit = |question: u32, unit: u32, half_points: u32| {
        let key = json!({ "question": question, "unit": unit });
        format!("{}\n", json!({ "unit": { "key": key, "half_points": half_points, "plies": 1 } }))
    };
    check_refused(&unit(0, 0, 4), "none");
    check_refused(&(unit(0, 0, 4) + &unit(0, 1, 300)), "line 3: ");
    check_refused(&unit(0, 0, 5), "unit 0 of question 0: a pair of games brings 0 to 4");
    check_refused(&unit(0, 30, 1), "unit 30 of question 0 was not asked for");
    check_refused(&unit(5000, 0, 1), "unit 0 of question 5000 was not asked for");
    check_refused(&(unit(0, 0, 4) + &unit(0, 0, 4)), "unit 0 of question 0 was not asked for");
    check_refused("{\"unite\":1}\n", "line 2: unknown variant");
    let question = json!({ "number": 0, "asked": { "kind": "fitness", "weights": [10.0, 90.0] } });
    let answer = json!({ "kind": "fitness", "share": 0.5, "error": 0.1, "games": 24 });
    let line = json!({ "answer": { "question": question, "answer": answer } });
    check_refused(&format!("{line}\n"), "line 2: nothing before it brings this answer");
    let last = |pair: u64| format!("{}\n", json!({ "final": { "pair": pair, "half_points": 2 } }));
    check_refused(&last(0), "line 2: pair 0 of the final match does not fit");
    check_refused(&last(4_294_967_295), "line 2: pair 4294967295 of the final match does not fit");
    // An answer that its units bring is not missed where a kill took it.
    let units: String = (0..30).map(|it| unit(0, it, 2)).collect();
    check_refused(&units, "none");
}

#[test]
fn the_report_acts_and_hides_nothing() {
    let setup = setup("steady-state", true);
    let state = go_on(begun(&setup).path(), 1, usize::MAX);
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
    for part in ["all measurements are made", "three", "likelihood of superiority", "20 games"] {
        assert!(text.contains(part), "{part}");
    }
    let lines = options_file(&setup, &state);
    assert!(lines.lines().any(|line| line.starts_with("three = ")), "{lines}");
    let faults = state.faults();
    assert!(faults.units > 0 && faults.last.as_deref() == Some("<u>crashed"));
}

#[test]
fn a_match_in_words() {
    let check = |pairs: [u64; 5], expected: &str| {
        let found = match_in_words(pairs).unwrap_or_default();
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
fn seasons_play_the_bests_of_those_before() {
    let setup = setup_of("steady-state", false, 3);
    let mut seasons = Seasons::new(&setup, 1).unwrap();
    let mut begun: Vec<(u32, Vec<Weights>, Weights, u32)> = Vec::new();
    let mut counted = Vec::new();
    while let Some(Task { season, unit, rivals }) = seasons.take() {
        let Asked::Fitness { weights, .. } = &unit.asked else { panic!("no duels") };
        if begun.len() == season as usize {
            begun.push((season, rivals.clone(), weights.clone(), unit.number));
        }
        let made = Formula { made: AtomicUsize::new(0), stop: Stop::default(), after: usize::MAX }
            .make(&unit.asked, unit.number, &rivals)
            .unwrap();
        counted.extend(seasons.add(season, unit.key, made.half_points, None).unwrap());
    }
    assert!(seasons.end().is_some());
    assert_eq!((seasons.progress().questions, seasons.progress().games), (180, 180 * 60));
    assert_eq!(seasons.progress().part, Some(1.0));
    for season in 0..3 {
        assert_eq!(counted.iter().filter(|it| it.0 == season).count(), 60);
    }
    let bests: Vec<Weights> = seasons.tuners().map(sandboard_evolution::Tuner::best).collect();
    let start = setup.space().start();
    assert_eq!(
        begun,
        [
            (0, vec![start.clone()], start, 0),
            (1, bests[..1].to_vec(), bests[0].clone(), 1 << 20),
            (2, bests[..2].to_vec(), bests[1].clone(), 2 << 20),
        ]
    );
    assert_eq!(seasons.best(), bests[2]);
    let games: Vec<u64> = seasons.generations().map(|it| it.games).collect();
    assert!(games.is_sorted() && games.last() > Some(&(2 * 60 * 60)), "{games:?}");
    // What comes late counts for nothing, what nobody asked for is refused.
    let key = UnitKey { question: 3, unit: 0 };
    assert_eq!(seasons.add(0, key, 4, None).unwrap(), []);
    assert!(seasons.add(3, key, 4, None).is_err());
}

#[test]
fn seasons_share_what_may_be_spent() {
    let check =
        |seasons: u32, budget: serde_json::Value, expected: &[(Option<u32>, Option<u64>)]| {
            let mut setup = setup_of("steady-state", false, seasons);
            setup.run.budget = serde_json::from_value(budget).unwrap();
            let mut run = Seasons::new(&setup, 1).unwrap();
            while let Some(Task { season, unit, .. }) = run.take() {
                run.add(season, unit.key, 2, None).unwrap();
            }
            let budgets = run.tuners().map(|tuner| tuner.setup().budget);
            let found: Vec<_> = budgets.map(|it| (it.questions, it.games)).collect();
            assert_eq!(found, expected);
        };
    check(0, json!({ "questions": 7 }), &[(Some(7), None)]);
    check(1, json!({ "questions": 7 }), &[(Some(7), None)]);
    check(3, json!({ "questions": 7 }), &[(Some(2), None), (Some(2), None), (Some(3), None)]);
    check(2, json!({ "games": 601 }), &[(None, Some(300)), (None, Some(301))]);
    check(
        5,
        json!({ "questions": 2, "games": 900 }),
        &[(Some(1), Some(450)), (Some(1), Some(450))],
    );
}
