//! The engine through the border, without a host; and what is kept move by move
//! against a twin made anew.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use sandboard_sdk::abi::{self, Bound, Choice, Decision, Limits, Line, Setup, Unit};
use sandboard_sdk::games::reversi::{INFO, Move, bits};
use sandboard_sdk::games::{Generate, Rules};
use sandboard_sdk::{BaseEngine, Engine, Evaluator, HostCalls, PredictedBoard};

use super::*;
use crate::eight::EightSearch;
use crate::endgame::{Mobility, Solver};
use crate::eval::Weights;
use crate::midgame::{FewAnswers, Patterns};

/// A host that hears, and whose clock stands still.
#[derive(Clone, Default)]
struct Hearing(Arc<Mutex<Vec<Line>>>);

impl HostCalls for Hearing {
    fn left(&self) -> u64 {
        u64::MAX
    }
    fn report(&self, line: &Line) {
        self.0.lock().unwrap().push(line.clone());
    }
}

fn setup(variant: &str, start: &str, options: &[(&str, &str)]) -> Setup {
    Setup {
        game: "reversi".into(),
        variant: variant.into(),
        start: start.into(),
        seats: vec![0, 1],
        seed: 7,
        threads: 1,
        options: options.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
        moves: String::new(),
        memory_bytes: 0,
        helper: 0,
        helpers: 0,
        table_slots: 0,
    }
}

fn start(setup: &Setup) -> (BaseEngine<ReversiPonder>, Hearing) {
    let hearing = Hearing::default();
    (BaseEngine::start(setup, Host::new(hearing.clone())).unwrap(), hearing)
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn played(choice: &Choice) -> String {
    match &choice.decision {
        Decision::Play(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

/// The position as a variant of that size reads it.
fn position(variant: &str, text: &str) -> Reversi {
    Reversi::parse_position(&INFO.variant(variant).unwrap(), text).unwrap()
}

#[test]
fn a_legal_move_is_reported_before_anything_is_searched() {
    let (mut engine, hearing) = start(&setup("standard", "", &[]));
    engine.choose(&nodes(0), &[]).unwrap();
    let lines = hearing.0.lock().unwrap();
    assert!(!lines.is_empty() && lines[0].score.is_none());
    assert!(["d3", "c4", "f5", "e6"].contains(&lines[0].moves.as_str()));
}

/// The first problem of the FFO suite, fourteen empty squares: 18 discs with g8.
const LATE: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";

/// The second one.
const EARLIER: &str = "-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X";

#[test]
fn the_end_is_proved_and_played_out() {
    let (mut engine, _) = start(&setup("standard", LATE, &[]));
    let mut board = position("standard", LATE);
    let score = Some(18);
    while board.outcome().is_none() {
        let choice = engine.choose(&Limits::default(), &[]).unwrap();
        let line = choice.line.clone().unwrap();
        let found = line.score.unwrap();
        assert_eq!(found.bound, Bound::Exact, "{line:?}");
        let black = if board.to_move().0 == 0 { found.value } else { -found.value };
        assert_eq!(Some(black), score, "{line:?}");
        let text = played(&choice);
        board.play(&text).unwrap();
        engine.played(&text).unwrap();
    }
    assert_eq!(board.outcome().map(|outcome| outcome.score), score);
}

/// Runs out after so many looks at it.
struct Looks(AtomicU64);

impl HostCalls for Looks {
    fn left(&self) -> u64 {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 0 { 0 } else { u64::MAX }
    }
}

#[test]
fn what_was_solved_on_the_opponents_time_is_not_solved_again() {
    let nodes_after = |looks: u64| {
        let mut eight = Eight::new(15, Noise::NONE, 1 << 22, 1);
        let (limits, host) = (Limits::default(), Host::none());
        let task = Task { limits: &limits, barred: &[], host: &host };
        // How far its time reaches, it knows from the move before.
        eight.choose(&position("standard", EARLIER), task);
        let late = position("standard", LATE);
        eight.ponder(&late, &Host::new(Looks(AtomicU64::new(looks))));
        let reply = eight.choose(&late, task);
        let line = reply.line.unwrap();
        assert_eq!(line.score.map(|score| (score.value, score.bound)), Some((18, Bound::Exact)));
        line.nodes
    };
    let (hit, nothing) = (nodes_after(1_000), nodes_after(0));
    assert!(hit * 4 < nothing, "{hit} and {nothing} nodes");
}

#[test]
fn barred_moves_are_not_chosen_where_the_end_is_solved() {
    let (mut engine, _) = start(&setup("standard", LATE, &[]));
    let free = engine.choose(&Limits::default(), &[]).unwrap();
    let barred = abi::Barred { r#move: played(&free), reason: "shielded".into() };
    let other = engine.choose(&Limits::default(), &[barred]).unwrap();
    assert_ne!(played(&other), played(&free));
    let score = |choice: &Choice| choice.line.as_ref().unwrap().score.unwrap();
    assert_eq!(score(&other).bound, Bound::Exact);
    assert!(score(&other).value <= score(&free).value);
}

#[test]
fn the_same_seed_gives_the_same_game() {
    let game = |options: &[(&str, &str)]| {
        let (mut engine, _) = start(&setup("standard", "", options));
        let mut board = position("standard-8", &start_text("standard-8"));
        let mut moves = String::new();
        while board.outcome().is_none() {
            let text = played(&engine.choose(&nodes(2_000), &[]).unwrap());
            board.play(&text).unwrap();
            engine.played(&text).unwrap();
            moves += &text;
        }
        moves
    };
    for options in [&[][..], &[("level", "3")]] {
        assert_eq!(game(options), game(options));
    }
    assert_ne!(game(&[]), game(&[("level", "3")]));
}

fn start_text(variant: &str) -> String {
    let mut text = String::new();
    Reversi::start(&INFO.variant(variant).unwrap()).write_position(&mut text);
    text
}

#[test]
fn boards_of_every_size_are_played_to_the_end() {
    for size in (4..=16).step_by(2) {
        let variant = format!("standard-{size}");
        let (mut engine, _) = start(&setup(&variant, "", &[]));
        let mut board = Reversi::start(&INFO.variant(&variant).unwrap());
        while board.outcome().is_none() {
            let text = played(&engine.choose(&nodes(50), &[]).unwrap());
            board.play(&text).unwrap();
            engine.played(&text).unwrap();
        }
    }
}

#[test]
fn scores_are_discs() {
    let evaluator = Patterns::new(Weights::own(), 0);
    let check =
        |value, expected| assert_eq!(Evaluator::<Reversi>::score(&evaluator, value), expected);
    check(0, 0);
    check(63, 0);
    check(64, 1);
    check(-64, -1);
    check(-8192, -64);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_order_lists_every_move(choices in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut board = PredictedBoard::new(
            Reversi::start(&INFO.variant("standard").unwrap()),
            Patterns::new(Weights::own(), 15),
        );
        for choice in choices {
            let mut moves = Vec::new();
            board.position().generate(Generate::All, &mut moves);
            let mut listed = Vec::new();
            sandboard_sdk::Analyzer::candidates(&mut FewAnswers, board.position(), &mut listed);
            let mut listed: Vec<Move> = listed.iter().map(|candidate| candidate.mv).collect();
            listed.sort_unstable();
            // A pass is left to the search.
            let mut discs: Vec<Move> = moves.iter().copied().filter(|mv| *mv != Move::Pass).collect();
            discs.sort_unstable();
            assert_eq!(listed, discs);
            let Some(&mv) = moves.get(usize::from(choice) % moves.len().max(1)) else { break };
            let value = board.value();
            board.make(mv);
            assert!(board.evaluator().is_up_to_date(board.position()));
            board.unmake();
            assert!(board.evaluator().is_up_to_date(board.position()));
            assert_eq!(board.value(), value);
            board.make(mv);
        }
    }

    #[test]
    fn a_search_that_sees_the_end_finds_what_the_solver_finds(
        choices in prop::collection::vec(any::<u8>(), 52..56),
    ) {
        let mut board = Reversi::start(&INFO.variant("standard").unwrap());
        for choice in choices {
            let mut moves = Vec::new();
            board.generate(Generate::All, &mut moves);
            let Some(&mv) = moves.get(usize::from(choice) % moves.len().max(1)) else { break };
            board.make(mv);
        }
        prop_assume!(board.outcome().is_none());
        let switches = sandboard_sdk::Switches { probable_cuts: false, ..SWITCHES };
        let evaluator = Noisy { evaluator: Patterns::new(Weights::own(), 0), noise: Noise::NONE };
        let mut search: EightSearch = Search::with(FewAnswers, evaluator, switches, 1 << 20);
        let limits = Limits { unit: Unit::Unlimited, ..Limits::default() };
        let task = Task { limits: &limits, barred: &[], host: &Host::none() };
        let found = search.run(&board, task);
        let (own, opponent) = board.discs().unwrap();
        let mut solver = Solver::new(1 << 20, Mobility);
        let solution = solver.solve(&endgame::Task::exact(own, opponent), &mut || false);
        let score = found.line.score.unwrap();
        assert_eq!((score.value, score.bound), (solution.lower, Bound::Exact));
        assert!(bits::moves(own, opponent) == 0 || found.best.unwrap() != Move::Pass);
    }
}
