//! The sample engine `c-minimal` plays whole games against itself and under the host.

use std::sync::Arc;

use sandboard_abi::{Barred, Bound, Decision, Limits, Score, Setup};
use sandboard_engine::{Caps, Engine, EngineSource, NullListener};
use sandboard_engine_native::CallMode;
use sandboard_engine_wasm::Metering;
use sandboard_games::gomoku::INFO;
use sandboard_games::{DynGame, Games};
use sandboard_tests::{gomoku, native, wasm};

use crate::cli::TestHome;
use crate::engines::lenient_limits;

pub(super) fn minimal() -> [(&'static str, Box<dyn EngineSource>); 2] {
    [
        ("wasm", Box::new(wasm("c-minimal", Metering::Deadline, Caps::default()).unwrap())),
        ("native", Box::new(native("c-minimal", CallMode::Inline).unwrap())),
    ]
}

fn choose(engine: &mut dyn Engine, barred: &[Barred]) -> Decision {
    engine.choose(&lenient_limits(), barred).unwrap().choice.decision
}

fn game_of(variant: &str) -> Box<dyn DynGame> {
    let info = Games::default().find("gomoku").unwrap();
    (info.new)(&info.variant(variant).unwrap(), None).unwrap()
}

/// Plays a whole game of an engine against itself: its moves and the reason of its end.
pub(super) fn whole_game(
    source: &dyn EngineSource,
    variant: &str,
    seed: u64,
) -> (Vec<String>, String) {
    let mut engine = source.open(Arc::new(NullListener), 1).unwrap();
    let setup = Setup { variant: variant.into(), seats: vec![0, 1], seed, ..gomoku(&[]) };
    engine.start(&setup).unwrap();
    let mut game = game_of(variant);
    let mut moves = Vec::new();
    while !game.is_over() {
        let Decision::Play(mv) = choose(&mut *engine, &[]) else { panic!("gave up at {moves:?}") };
        game.play(&mv).unwrap();
        engine.played(&mv).unwrap();
        moves.push(mv);
    }
    (moves, game.ending().unwrap().reason.into_owned())
}

#[test]
fn both_kinds_play_the_same_whole_games_for_a_seed() {
    let [(_, wasm), (_, native)] = minimal();
    for (variant, seed) in
        [("freestyle", 1), ("freestyle-5", 2), ("standard-19", 3), ("freestyle-9", u64::MAX)]
    {
        let game = whole_game(&*wasm, variant, seed);
        assert_eq!(game, whole_game(&*native, variant, seed), "{variant}");
        assert_ne!(game.0, whole_game(&*wasm, variant, seed ^ 1).0, "{variant}");
    }
    let (moves, end) = whole_game(&*native, "freestyle-9", 1);
    assert!(moves.len() >= 9 && end == "five in a row", "{end}: {moves:?}");
}

#[test]
fn c_minimal_takes_a_win_it_sees_unless_that_is_barred() {
    let win = Barred { r#move: "e1".into(), reason: "not now".into() };
    for (kind, source) in minimal() {
        let mut engine = source.open(Arc::new(NullListener), 1).unwrap();
        let moves = "a1 a2 b1 b2 c1 c2 d1 d2".to_owned();
        engine.start(&Setup { moves, ..gomoku(&[]) }).unwrap();
        let answer = engine.choose(&lenient_limits(), &[]).unwrap().choice;
        assert_eq!(answer.decision, Decision::Play("e1".into()), "{kind}");
        let score = answer.line.unwrap().score;
        assert_eq!(score, Some(Score { value: 29_999, bound: Bound::Exact }), "{kind}");
        let other = choose(&mut *engine, std::slice::from_ref(&win));
        assert!(matches!(&other, Decision::Play(mv) if mv != "e1"), "{kind}: {other:?}");
        // White, to move next, has a win, too; after the take-back black is to move again.
        engine.played("o15").unwrap();
        assert_eq!(choose(&mut *engine, &[]), Decision::Play("e2".into()), "{kind}");
        engine.taken_back(1).unwrap();
        assert_eq!(choose(&mut *engine, std::slice::from_ref(&win)), other, "{kind}");
    }
}

#[test]
fn c_minimal_refuses_what_it_cannot_play_and_says_why() {
    let check = |setup: Setup, expected: &str| {
        for (kind, source) in minimal() {
            let started = source.open(Arc::new(NullListener), 1).unwrap().start(&setup);
            let sentence = started.err().map(|fault| fault.sentence).unwrap_or_default();
            let expected = match expected {
                "" => String::new(),
                reason => format!("answered with an error: {reason}"),
            };
            assert_eq!(sentence, expected, "{kind}: {setup:?}");
        }
    };
    let usual = || gomoku(&[]);
    check(usual(), "");
    check(Setup { game: "chess".into(), ..usual() }, "plays nothing but gomoku");
    check(gomoku(&[("depth", "3")]), "has no options");
    check(Setup { variant: "freestyle-5".into(), ..usual() }, "");
    // The other reasons are the host's own words.
    let unknown = INFO.variant("freestyle-4").unwrap_err().to_string();
    check(Setup { variant: "freestyle-4".into(), ..usual() }, &unknown);
    check(Setup { start: "5/5/5/5/5 b".into(), variant: "freestyle-5".into(), ..usual() }, "");
    let rows = "not a position of gomoku: at byte 0: 4 rows on a board of 5";
    check(Setup { start: "5/5/5/5 b".into(), variant: "freestyle-5".into(), ..usual() }, rows);
    check(Setup { moves: "h8 h9".into(), ..usual() }, "");
    let occupied = "`h8` is refused: a black stone is on h8";
    check(Setup { moves: "h8 h8".into(), ..usual() }, occupied);
}

#[test]
fn c_minimal_returns_when_no_time_is_left_and_resigns_without_a_move() {
    for (kind, source) in minimal() {
        let mut engine = source.open(Arc::new(NullListener), 1).unwrap();
        let moves = "a1 a2 b1 b2 c1 c2 d1 d2".to_owned();
        engine.start(&Setup { moves, ..gomoku(&[]) }).unwrap();
        let none = Limits { call_max: Some(0), ..lenient_limits() };
        let answer = engine.choose(&none, &[]).unwrap().choice;
        assert_eq!(answer.line.unwrap().score, None, "{kind}");
        let all = game_of("freestyle");
        let mut legal = String::new();
        all.write_legal(&mut legal);
        let bar = |mv: &str| Barred { r#move: mv.into(), reason: String::new() };
        let barred: Vec<Barred> = legal.split(' ').map(bar).collect();
        assert_eq!(choose(&mut *engine, &barred), Decision::Resign, "{kind}");
    }
}

#[test]
fn c_minimal_plays_the_others_at_the_real_host() {
    for (black, white) in
        [("c-minimal", "random-mover"), ("random-mover-native", "c-minimal-native")]
    {
        let home = TestHome::trusting();
        let arguments =
            ["play", "gomoku", "--variant", "freestyle-9", "--seat", black, "--seat", white];
        let out =
            home.succeed(&[&arguments[..], &["--budget", "30s/move", "--seed", "5"]].concat(), "");
        assert!(out.contains("five in a row"), "{out}");
    }
}
