//! The engine through the calls of the ABI, and updated state compared with recomputed state.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use sandboard_sdk::abi::{self, Bound, Choice, Decision, Limits, Line, Setup, Unit};
use sandboard_sdk::games::reversi::{INFO, Move, bits};
use sandboard_sdk::games::{MoveSet, Rules};
use sandboard_sdk::{BaseEngine, Engine, Evaluator, HostCalls, SearchBoard};

use super::*;
use crate::endgame::{MobilityEvaluator, Solver};
use crate::eval::Weights;
use crate::midgame::{MobilityAnalyzer, PatternEvaluator};
use crate::standard_board::StandardBoardSearch;

/// A host that records lines, and whose clock does not advance.
#[derive(Clone, Default)]
struct RecordingHost(Arc<Mutex<Vec<Line>>>);

impl HostCalls for RecordingHost {
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

fn start(setup: &Setup) -> (BaseEngine<ReversiPonder>, RecordingHost) {
    let host = RecordingHost::default();
    (BaseEngine::start(setup, Host::new(host.clone())).unwrap(), host)
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn played_move(choice: &Choice) -> String {
    match &choice.decision {
        Decision::Play(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

/// A position of a variant from its text.
fn position(variant: &str, text: &str) -> Reversi {
    Reversi::parse_position(&INFO.variant(variant).unwrap(), text).unwrap()
}

#[test]
fn a_legal_move_is_reported_before_the_search() {
    let (mut engine, host) = start(&setup("standard", "", &[]));
    engine.choose(&nodes(0), &[]).unwrap();
    let lines = host.0.lock().unwrap();
    assert!(!lines.is_empty() && lines[0].score.is_none());
    assert!(["d3", "c4", "f5", "e6"].contains(&lines[0].moves.as_str()));
}

/// The first problem of the FFO suite: fourteen empty squares, 18 discs with g8.
const LATE: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";

/// The second problem of the FFO suite.
const EARLIER: &str = "-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X";

#[test]
fn the_endgame_is_proved_and_played_out() {
    let (mut engine, _) = start(&setup("standard", LATE, &[]));
    let mut board = position("standard", LATE);
    let score = Some(18);
    while board.outcome().is_none() {
        let choice = engine.choose(&Limits::default(), &[]).unwrap();
        let line = choice.line.clone().unwrap();
        let proved = line.score.unwrap();
        assert_eq!(proved.bound, Bound::Exact, "{line:?}");
        let black = if board.to_move().0 == 0 { proved.value } else { -proved.value };
        assert_eq!(Some(black), score, "{line:?}");
        let text = played_move(&choice);
        board.play(&text).unwrap();
        engine.played(&text).unwrap();
    }
    assert_eq!(board.outcome().map(|outcome| outcome.score), score);
}

/// A clock that ends after a number of looks.
struct LookClock(AtomicU64);

impl HostCalls for LookClock {
    fn left(&self) -> u64 {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 0 { 0 } else { u64::MAX }
    }
}

#[test]
fn an_endgame_solved_while_pondering_is_not_solved_again() {
    let nodes_after = |looks: u64| {
        let mut player = StandardBoardPlayer::new(15, Noise::NONE, 1 << 22, 1);
        let (limits, host) = (Limits::default(), Host::null());
        let task = SearchTask { limits: &limits, barred: &[], host: &host };
        // The previous move tells the player which endgames it can solve.
        player.choose(&position("standard", EARLIER), task);
        let late = position("standard", LATE);
        player.ponder(&late, &Host::new(LookClock(AtomicU64::new(looks))));
        let reply = player.choose(&late, task);
        let line = reply.line.unwrap();
        assert_eq!(line.score.map(|score| (score.value, score.bound)), Some((18, Bound::Exact)));
        line.nodes
    };
    let (hit, nothing) = (nodes_after(1_000), nodes_after(0));
    assert!(hit * 4 < nothing, "{hit} and {nothing} nodes");
}

#[test]
fn barred_moves_are_not_chosen_in_a_solved_endgame() {
    let (mut engine, _) = start(&setup("standard", LATE, &[]));
    let free = engine.choose(&Limits::default(), &[]).unwrap();
    let barred = abi::Barred { r#move: played_move(&free), reason: "shielded".into() };
    let other = engine.choose(&Limits::default(), &[barred]).unwrap();
    assert_ne!(played_move(&other), played_move(&free));
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
            let text = played_move(&engine.choose(&nodes(2_000), &[]).unwrap());
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
            let text = played_move(&engine.choose(&nodes(50), &[]).unwrap());
            board.play(&text).unwrap();
            engine.played(&text).unwrap();
        }
    }
}

#[test]
fn scores_are_discs() {
    let evaluator = PatternEvaluator::new(Weights::built_in(), 0);
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
    fn the_analyzer_lists_every_move(choices in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut board = SearchBoard::new(
            Reversi::start(&INFO.variant("standard").unwrap()),
            PatternEvaluator::new(Weights::built_in(), 15),
        );
        for choice in choices {
            let mut moves = Vec::new();
            board.position().generate(MoveSet::All, &mut moves);
            let mut listed = Vec::new();
            let position = board.position();
            sandboard_sdk::Analyzer::candidates(&mut MobilityAnalyzer, position, &mut listed);
            let mut listed: Vec<Move> = listed.iter().map(|candidate| candidate.mv).collect();
            listed.sort_unstable();
            // The search itself adds a pass.
            let discs = moves.iter().copied().filter(|mv| *mv != Move::Pass);
            let mut discs: Vec<Move> = discs.collect();
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
    fn a_search_to_the_end_agrees_with_the_solver(
        choices in prop::collection::vec(any::<u8>(), 52..56),
    ) {
        let mut board = Reversi::start(&INFO.variant("standard").unwrap());
        for choice in choices {
            let mut moves = Vec::new();
            board.generate(MoveSet::All, &mut moves);
            let Some(&mv) = moves.get(usize::from(choice) % moves.len().max(1)) else { break };
            board.make(mv);
        }
        prop_assume!(board.outcome().is_none());
        let switches = sandboard_sdk::Switches { prob_cut: false, ..SEARCH_SWITCHES };
        let evaluator = PatternEvaluator::new(Weights::built_in(), 0);
        let evaluator = NoisyEvaluator { evaluator, noise: Noise::NONE };
        let mut search: StandardBoardSearch =
            Search::with_parts(MobilityAnalyzer, evaluator, switches, 1 << 20);
        let limits = Limits { unit: Unit::Unlimited, ..Limits::default() };
        let task = SearchTask { limits: &limits, barred: &[], host: &Host::null() };
        let result = search.run(&board, task);
        let (own, opponent) = board.discs().unwrap();
        let mut solver = Solver::new(1 << 20, MobilityEvaluator);
        let solution = solver.solve(&endgame::SolverTask::exact(own, opponent), &mut || false);
        let score = result.line.score.unwrap();
        assert_eq!((score.value, score.bound), (solution.lower, Bound::Exact));
        assert!(bits::moves(own, opponent) == 0 || result.best.unwrap() != Move::Pass);
    }
}
