//! The defaults of decisions, tested with the opening procedures of gomoku: decisions follow the
//! chooser's scores and keep to the budget.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sandboard_abi::{Decision, Setup};
use sandboard_games::gomoku::{Color, Gomoku, INFO, Move};
use sandboard_games::{Phase, Rules};

use super::*;
use crate::engine::{BaseEngine, Engine};

/// Plays the first legal move. Its score is the sum of the row numbers of the mover's stones, minus
/// that of the opponent's.
#[derive(Default)]
struct RowScorer;

impl Chooser for RowScorer {
    type Rules = Gomoku;

    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        assert_eq!(turn.position.phase(), Phase::Play);
        assert!(turn.position.outcome().is_none());
        let sum = |color| turn.position.stones(color).map(|p| i32::from(p.row()) + 1).sum::<i32>();
        let black = 100 * sum(Color::Black) - 100 * sum(Color::White);
        let value = if turn.position.color_to_move() == Color::Black { black } else { -black };
        let score = Some(Score { value, bound: Bound::Estimate });
        let nodes = turn.limits.nodes.unwrap_or(1);
        let line = Line { rank: 1, score, depth: 2, nodes, ..Line::default() };
        match turn.legal_moves().first() {
            Some(&mv) => Reply::play(mv).with_line(line),
            None => Reply::resign(),
        }
    }
}

/// Plays the first legal move without a score.
#[derive(Default)]
struct Scoreless;

impl Chooser for Scoreless {
    type Rules = Gomoku;

    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        turn.legal_moves().first().map_or(Reply::resign(), |&mv| Reply::play(mv))
    }
}

fn engine<C: Chooser<Rules = Gomoku>>(variant: &str, moves: &str, host: Host) -> BaseEngine<C> {
    let setup = Setup {
        game: "gomoku".into(),
        variant: variant.into(),
        start: String::new(),
        moves: moves.into(),
        seats: vec![0],
        seed: 3,
        options: Vec::new(),
        memory_bytes: 0,
        threads: 1,
        helper: 0,
        helpers: 0,
        table_slots: 0,
    };
    BaseEngine::start(&setup, host).expect("the engine starts")
}

fn decide_move<C: Chooser<Rules = Gomoku>>(variant: &str, moves: &str) -> String {
    let choice = engine::<C>(variant, moves, Host::null()).choose(&Limits::default(), &[]);
    match choice.expect("a choice").decision {
        Decision::Play(mv) => mv,
        other => panic!("{variant} {moves}: {other:?}"),
    }
}

#[track_caller]
fn check(variant: &str, moves: &str, expected: &str) {
    assert_eq!(decide_move::<RowScorer>(variant, moves), expected, "{variant}: {moves}");
}

#[test]
fn the_default_swap_takes_the_better_side() {
    // Black is ahead by 9, then behind by 9.
    check("swap", "a9 a8 b8", "swap");
    check("swap", "a1 a12 b2", "keep");
    check("swap2", "a9 a8 b8", "swap");
    // Keeping and adding two stones have the same value here: the first one is chosen.
    check("swap2", "a1 a12 b2", "keep");
    check("renju-contest", "h8 h9 h10 fifths-3", "swap");
    // Black decides, and keeps black.
    check("soosorv-8", "h8 h9 h10 keep a1 fifths-2", "keep");
    check("soosorv-8", "h8 h9 h6 keep a15 fifths-2", "swap");
}

#[test]
fn black_offers_the_best_moves_left_and_white_picks_the_worst_for_black() {
    // The highest row, and the first move of equals; symmetric moves are not offered.
    check("renju-rif", "h8 h9 h10 keep h1", "a15");
    check("renju-rif", "h8 h9 h10 keep h1 a15", "b15");
    check("renju-rif", "h8 h9 h10 keep h1 b15 a3", "a3");
    check("renju-rif", "h8 h9 h10 keep h1 a3 b15", "a3");
}

#[test]
fn a_stone_after_the_last_swap_is_the_best() {
    // White's fourth stone: the highest row, and the first move of equals. A stone before a swap is
    // chosen differently.
    check("renju-contest", "h8 h9 h10 fifths-2 keep", "a15");
    check("renju-rif", "h8 h9 h10 swap", "a15");
    assert_ne!(decide_move::<RowScorer>("soosorv-8", "h8 h9 h10 keep"), "a15");
}

#[test]
fn a_move_before_a_swap_is_fair() {
    // The values of both sides must be close after the move.
    for (variant, moves, worst) in
        [("renju-rif", "h8 h9", 700), ("renju-contest", "h8 i9", 700), ("swap", "a5 b12", 0)]
    {
        let mut position = Gomoku::start(&INFO.variant(variant).unwrap());
        for mv in moves.split(' ') {
            position.play(mv).unwrap();
        }
        let mv = position.parse_move(&decide_move::<RowScorer>(variant, moves)).unwrap();
        let after = position.after_defaults(mv);
        let sum = |color| after.stones(color).map(|p| i32::from(p.row()) + 1).sum::<i32>();
        let ahead = 100 * (sum(Color::Black) - sum(Color::White)).abs();
        assert!(ahead <= worst.max(500), "{variant} {moves} {mv}: {ahead}");
    }
}

#[test]
fn a_third_of_the_allowed_offers_is_announced() {
    check("renju-contest", "h8 h9 h10", "fifths-4");
    check("renju-contest:fifths=4", "h8 h9 h10", "fifths-2");
    check("soosorv-8", "h8 h9 h10 keep a1", "fifths-3");
    check("renju-contest:fifths=1", "h8 h9 h10", "fifths-1");
}

/// Plays both sides by one chooser, until ordinary play begins.
fn open_game<C: Chooser<Rules = Gomoku>>(variant: &str) -> Vec<String> {
    let mut position = Gomoku::start(&INFO.variant(variant).unwrap());
    let mut moves: Vec<String> = Vec::new();
    while position.phase() != Phase::Play {
        let mv = decide_move::<C>(variant, &moves.join(" "));
        position.play(&mv).unwrap_or_else(|refusal| panic!("{variant}: {refusal}"));
        moves.push(mv);
        assert!(moves.len() < 40, "{variant}: {moves:?}");
    }
    moves
}

#[test]
fn every_procedure_is_repeatable_for_a_seed() {
    for info in INFO.variants {
        let (scored, scoreless) =
            (open_game::<RowScorer>(info.id), open_game::<Scoreless>(info.id));
        assert_eq!(scored, open_game::<RowScorer>(info.id));
        assert_eq!(scoreless, open_game::<Scoreless>(info.id));
    }
    assert!(open_game::<RowScorer>("taraguchi-10").len() >= 10);
}

/// A clock that loses a unit at every look.
struct TickingClock {
    left: Arc<AtomicU64>,
}

impl HostCalls for TickingClock {
    fn left(&self) -> u64 {
        let left = self.left.load(Ordering::SeqCst);
        self.left.store(left.saturating_sub(1), Ordering::SeqCst);
        left
    }
}

#[test]
fn a_decision_keeps_to_its_budget() {
    let moves = "h8 h9 h10 keep h1";
    for units in [0, 1, 50, 400, 2_000, 100_000] {
        let left = Arc::new(AtomicU64::new(units));
        let mut engine = engine::<RowScorer>("renju-rif", moves, Host::new(TickingClock { left }));
        let limits = Limits { unit: Unit::Wall, call_max: Some(units), ..Limits::default() };
        let choice = engine.choose(&limits, &[]).expect("a choice");
        // With very little time the move is legal, with more it also has a value.
        assert!(matches!(&choice.decision, Decision::Play(_)), "{units}: {choice:?}");
        let valued = choice.line.as_ref().is_some_and(|line| line.score.is_some());
        assert_eq!(valued, units >= 50, "{units}: {choice:?}");
        if let Some(line) = choice.line {
            assert!(line.spent <= units, "{line:?}");
        }
    }
}

#[test]
fn nodes_are_divided_among_valuations() {
    for nodes in [1_000, 5_000, 100_000] {
        let mut engine = engine::<RowScorer>("renju-rif", "h8 h9 h10 keep h1", Host::null());
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let line = engine.choose(&limits, &[]).expect("a choice").line.expect("a line");
        assert!(line.nodes <= nodes.max(500) && line.nodes > nodes / 4, "{nodes}: {line:?}");
        assert_eq!(line.moves, "a15");
    }
}

#[test]
fn a_barred_decision_is_not_made() {
    let mut engine = engine::<RowScorer>("swap", "a9 a8 b8", Host::null());
    let barred = sandboard_abi::Barred { r#move: "swap".into(), reason: "excluded".into() };
    let choice = engine.choose(&Limits::default(), &[barred]).expect("a choice");
    assert_eq!(choice.decision, Decision::Play(Move::Keep.to_string()));
}
