//! The steps of the tutorial as engines: each beats the one before it, and the
//! last finds what the one before it finds. Budgets are counted, not timed.

use std::path::PathBuf;
use std::sync::Arc;

use sandboard_abi::{Limits, Setup};
use sandboard_host::bout::{BoutSetup, EnginePlayer, Mover, Nobody, Participant, Place, run};
use sandboard_host::engine::native::{Calls, NativeModule};
use sandboard_host::engine::{Caps, Deaf, EngineSource};
use sandboard_host::record::Start;
use sandboard_host::referee::{Settings, Termination};
use sandboard_tests::gomoku;

/// The steps by their files in `sdk/examples`.
pub const STEPS: [&str; 6] = [
    "step1_random",
    "step2_tactics",
    "step3_values",
    "step4_search",
    "step5_deepening",
    "step6_incremental",
];

type Source = Arc<dyn EngineSource>;

/// A step's library, which cargo leaves in the folder `examples` beside this test's.
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
    let module = NativeModule::load(&found, Calls::Inline, Caps::default(), Default::default());
    Arc::new(module.unwrap_or_else(|fault| panic!("{name}: {fault}")))
}

/// Beginnings of games on a board of 11, as lines of moves: engines that draw no
/// random number would play the same game again and again.
const OPENINGS: [&str; 6] =
    ["f6 g7 e5", "f6 f7 h6", "f6 e7 h8", "c3 i9 f6", "f6 g5 d8", "g6 e6 f9"];
const VARIANT: &str = "freestyle-11";

/// The start after a line of moves.
fn start(opening: &str) -> Start {
    let game = sandboard_games::game("gomoku").expect("gomoku is a game");
    let variant = game.variant(VARIANT).expect("it is a variant");
    let mut board = (game.new)(&variant, None).expect("it begins");
    for mv in opening.split(' ') {
        board.play(mv).expect("openings are legal");
    }
    Start { game, variant, position: Some(board.position()) }
}

/// What the first engine scores, in half points, when it has this seat.
fn half_points(engines: [&Source; 2], seat: u8, budget: &str, opening: usize) -> u32 {
    let player = |index: usize, seat: u8| Participant {
        name: format!("engine {index}"),
        seats: vec![seat],
        budget: budget.parse().expect("a budget"),
        mover: Mover::Engine(EnginePlayer::new(engines[index].clone(), "step")),
        ponders: false,
    };
    let setup = BoutSetup {
        start: start(OPENINGS[opening]),
        seed: opening as u64,
        settings: Settings::default(),
        players: vec![player(0, seat), player(1, 1 - seat)],
        hint: None,
        live: None,
        place: Place::Nowhere,
        resumed: None,
    };
    let report = run(setup, None, &mut Nobody).expect("the bout begins");
    let result = report.result.expect("nobody interrupts it");
    assert!(matches!(result.termination, Termination::Rules { .. }), "{}", result.sentence);
    result.winner.map_or(1, |winner| if winner == seat { 2 } else { 0 })
}

/// Plays each opening twice, with seats exchanged; 24 half points are all there are.
#[track_caller]
fn check(stronger: &Source, weaker: &Source, budget: &str, expected: u32) {
    let games = (0..OPENINGS.len()).flat_map(|opening| [(opening, 0), (opening, 1)]);
    let scored: Vec<_> = games
        .map(|(opening, seat)| half_points([stronger, weaker], seat, budget, opening))
        .collect();
    assert_eq!(scored.iter().sum::<u32>(), expected, "{budget}: {scored:?}");
}

#[test]
fn each_step_beats_the_one_before() {
    let [random, tactics, values, search, deepening, _] = STEPS.map(step);
    check(&tactics, &random, "none", 24);
    check(&values, &tactics, "none", 24);
    check(&search, &values, "depth:3", 19);
    check(&deepening, &search, "nodes:3000", 24);
    // 24, 24, 19 and 24 of 24, as the headings of the guide say.
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
fn the_last_step_finds_what_the_one_before_it_finds() {
    let found = |name: &str, opening: &str| {
        let mut engine = step(name).open(Arc::new(Deaf)).expect("it opens");
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
