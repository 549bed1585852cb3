//! The engine through the calls of a host: options that set weights, refused values, repeatable
//! choices.

use sandboard_sdk::abi::{Decision, Kind, Limits, Setup};
use sandboard_sdk::{BaseEngine, CrateInfo, Engine, Host, SearchEngine};

use crate::GomokuRows;
use crate::weights::WEIGHTS;

type RowsEngine = BaseEngine<SearchEngine<GomokuRows>>;

fn setup(start: &str, options: &[(&str, &str)]) -> Setup {
    Setup {
        game: "gomoku".into(),
        variant: "freestyle".into(),
        start: start.into(),
        moves: String::new(),
        seats: vec![0],
        seed: 1,
        options: options
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect(),
        memory_bytes: 0,
        threads: 1,
        helper: 0,
        helpers: 0,
        table_slots: 0,
    }
}

/// The move and the score.
fn choose(start: &str, options: &[(&str, &str)], depth: u32) -> (String, i32) {
    let mut engine = RowsEngine::start(&setup(start, options), Host::null()).unwrap();
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let choice = engine.choose(&limits, &[]).unwrap();
    let Decision::Play(mv) = choice.decision else { panic!("{start}: the engine resigned") };
    (mv, choice.line.and_then(|line| line.score).map_or(0, |score| score.value))
}

#[test]
fn exactly_the_weights_are_tunable_options() {
    let description = RowsEngine::describe(CrateInfo::default());
    let tunable: Vec<_> = description.options.iter().filter(|option| option.tunable).collect();
    assert_eq!(tunable.len(), WEIGHTS.len());
    for (option, weight) in tunable.iter().zip(&WEIGHTS) {
        assert_eq!(option.name, weight.name);
        assert_eq!(option.kind, Kind::Whole(0, 10_000), "{}", option.name);
        assert_eq!(option.initial, weight.initial.to_string());
    }
    assert_eq!(description.games[0].variants, ["freestyle", "standard"]);
}

#[track_caller]
fn check_refused(options: &[(&str, &str)], expected: &str) {
    let refused = RowsEngine::start(&setup("", options), Host::null());
    assert_eq!(refused.map(drop), Err(expected.to_owned()));
}

#[test]
fn wrong_option_values_are_refused_by_name() {
    check_refused(
        &[("open-two", "10001")],
        "option `open-two`: `10001` is not a whole number from 0 to 10000",
    );
    check_refused(
        &[("open-two", "1.5")],
        "option `open-two`: `1.5` is not a whole number from 0 to 10000",
    );
    check_refused(&[("open-six", "1")], "has no option `open-six`");
}

#[test]
fn weights_reach_the_search() {
    // Black makes an open three, whose weight is raised by 700.
    let start = "15/15/15/15/15/15/6xx7/15/15/15/4ooox7/15/15/15/15 b";
    let (_, initial) = choose(start, &[], 1);
    let (_, raised) = choose(start, &[("open-three", "900")], 1);
    assert_eq!(raised - initial, 700, "the value of an open three rises by 700");
}

#[test]
fn forced_wins_do_not_depend_on_weights() {
    let weights: Vec<(&str, &str)> = WEIGHTS.iter().map(|weight| (weight.name, "0")).collect();
    for options in [&[][..], &weights] {
        let (_, score) = choose("15/15/15/15/15/15/15/6xxx6/15/6ooo6/15/15/15/15/15 b", options, 5);
        assert_eq!(score, 29_997);
    }
}

#[test]
fn choices_are_repeatable() {
    let start = "15/15/15/15/15/15/7o7/7xx6/8o6/15/15/15/15/15/15 b";
    for options in [&[][..], &[("level", "1")], &[("open-two", "900")]] {
        assert_eq!(choose(start, options, 3), choose(start, options, 3));
    }
    assert_ne!(choose(start, &[], 3).1, choose(start, &[("open-two", "900")], 3).1);
}
