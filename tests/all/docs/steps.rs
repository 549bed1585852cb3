//! The steps of the tutorial as engines: each beats the previous one, and the last chooses the same
//! moves as the one before it. Budgets count depth or nodes, not time.

use std::path::PathBuf;
use std::sync::Arc;

use sandboard_abi::{Limits, Setup};
use sandboard_bout::driver::{
    BoutSetup, EnginePlayer, NullObserver, Participant, RecordDestination, run,
};
use sandboard_bout::referee::{BoutSettings, Termination};
use sandboard_bout::start::StartPosition;
use sandboard_engine::{Caps, EngineSource, NullListener};
use sandboard_engine_native::{CallMode, NativeModule};
use sandboard_games::Games;
use sandboard_tests::gomoku;

/// The steps by their files in `sdk/examples`.
pub(super) const STEPS: [&str; 6] = [
    "step1_random",
    "step2_tactics",
    "step3_values",
    "step4_search",
    "step5_deepening",
    "step6_incremental",
];

type Source = Arc<dyn EngineSource>;

/// A step's library, which cargo puts into the folder `examples` beside this test's.
fn step(name: &str) -> Source {
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let test = std::env::current_exe().expect("a test knows where it is");
    let file = PathBuf::from(format!("examples/{prefix}{name}{suffix}"));
    let found = test.ancestors().map(|folder| folder.join(&file)).find(|path| path.is_file());
    let found = found.unwrap_or_else(|| {
        panic!(
            "{} is missing: run `cargo xtask test`, or `cargo build -p sandboard-sdk --examples`",
            file.display()
        )
    });
    let module = NativeModule::load(&found, CallMode::Inline, Caps::default(), Default::default());
    Arc::new(module.unwrap_or_else(|fault| panic!("{name}: {fault}")))
}

/// Openings on a board of 11, as lines of moves: deterministic engines would repeat one game.
const OPENINGS: [&str; 6] =
    ["f6 g7 e5", "f6 f7 h6", "f6 e7 h8", "c3 i9 f6", "f6 g5 d8", "g6 e6 f9"];
const VARIANT: &str = "freestyle-11";

/// The start position after a line of moves.
fn start(opening: &str) -> StartPosition {
    let game = Games::default().find("gomoku").expect("gomoku is a game");
    let variant = game.variant(VARIANT).expect("it is a variant");
    let mut board = (game.new)(&variant, None).expect("it begins");
    for mv in opening.split(' ') {
        board.play(mv).expect("openings are legal");
    }
    StartPosition::new(game, variant, Some(board.position()))
}

/// The score of the first engine in half points, in this seat.
fn half_points(engines: [&Source; 2], seat: u8, budget: &str, opening: usize) -> u32 {
    let player = |index: usize, seat: u8| Participant {
        name: format!("engine {index}"),
        seats: vec![seat],
        budget: budget.parse().expect("a budget"),
        engine: Some(EnginePlayer::new(engines[index].clone(), "step")),
        ponders: false,
    };
    let setup = BoutSetup {
        start: start(OPENINGS[opening]),
        seed: opening as u64,
        settings: BoutSettings::default(),
        players: vec![player(0, seat), player(1, 1 - seat)],
        hint: None,
        output_listener: None,
        destination: RecordDestination::Unsaved,
        resumed_from: None,
    };
    let report = run(setup, None, &mut NullObserver).expect("the bout begins");
    let result = report.result.expect("the bout has a result");
    assert!(matches!(result.termination, Termination::Rules { .. }), "{}", result.sentence);
    result.winner.map_or(1, |winner| if winner == seat { 2 } else { 0 })
}

/// Plays each opening twice, with seats exchanged; at most 24 half points.
#[track_caller]
fn check(stronger: &Source, weaker: &Source, budget: &str, expected: u32) {
    let games = (0..OPENINGS.len()).flat_map(|opening| [(opening, 0), (opening, 1)]);
    let scored: Vec<_> = games
        .map(|(opening, seat)| half_points([stronger, weaker], seat, budget, opening))
        .collect();
    assert_eq!(scored.iter().sum::<u32>(), expected, "{budget}: {scored:?}");
}

#[test]
fn each_step_beats_the_previous_one() {
    let [random, tactics, values, search, deepening, _] = STEPS.map(step);
    check(&tactics, &random, "none", 24);
    check(&values, &tactics, "none", 24);
    check(&search, &values, "depth:3", 19);
    check(&deepening, &search, "nodes:3000", 24);
    // The guide's headings have these scores (24, 24, 19 and 24 of 24) in percent.
    let guide = super::guide();
    let headings = guide.lines().filter(|line| line.starts_with("### Step "));
    let shares: Vec<_> =
        headings.filter_map(|line| line.split_once(" (")?.1.split_once(" %")).collect();
    assert_eq!(
        shares.iter().map(|(share, _)| *share).collect::<Vec<_>>(),
        ["100", "100", "79", "100"]
    );
}

#[test]
fn the_monte_carlo_search_beats_random_moves() {
    check(&step("monte_carlo"), &step(STEPS[0]), "nodes:400", 24);
}

#[test]
fn the_last_step_chooses_like_the_previous_one() {
    let found = |name: &str, opening: &str| {
        let mut engine = step(name).open(Arc::new(NullListener), 1).expect("it opens");
        let start = start(opening).position.unwrap_or_default();
        let setup = Setup { variant: VARIANT.into(), start, ..gomoku(&[]) };
        engine.start(&setup).expect("it starts");
        let limits = Limits { nodes: Some(5_000), ..Limits::default() };
        engine.choose(&limits, &[]).expect("it chooses").choice
    };
    for opening in OPENINGS {
        let [before, last] = [STEPS[4], STEPS[5]].map(|name| found(name, opening));
        assert_eq!(before, last, "{opening}");
        assert!(last.line.is_some_and(|line| line.depth > 2 && line.nodes > 1_000), "{opening}");
    }
}
