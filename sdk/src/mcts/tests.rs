//! Tests of the Monte-Carlo tree search with small boards of gomoku and reversi.

use std::sync::atomic::{AtomicU64, Ordering};

use sandboard_abi::{Limits, Unit};
use sandboard_games::gomoku::{self, Gomoku};
use sandboard_games::reversi::{self, Reversi};
use sandboard_games::{MoveSet, Rules};

use super::tree::Tree;
use super::{Mcts, MctsParams, NodeId};
use crate::host::{Host, HostCalls};
use crate::random::Random;
use crate::search::{SearchResult, SearchTask};

fn gomoku(moves: &str) -> Gomoku {
    let mut position = Gomoku::start(&gomoku::INFO.variant("freestyle-9").expect("a variant"));
    for mv in moves.split_ascii_whitespace() {
        position.play(mv).expect("a legal move");
    }
    position
}

/// A position of 4×4 reversi after this number of random plies, in progress.
fn reversi(seed: u64, plies: u32) -> Reversi {
    let mut random = Random::seeded(seed);
    loop {
        let variant = reversi::INFO.variants[0].id;
        let variant = reversi::INFO.variant(&format!("{variant}-4")).expect("a variant");
        let mut position = Reversi::start(&variant);
        for _ in 0..plies {
            if position.outcome().is_none() {
                let moves = legal_moves(&position);
                position.make(moves[random.below(moves.len())]);
            }
        }
        if position.outcome().is_none() {
            return position;
        }
    }
}

fn legal_moves<R: Rules>(position: &R) -> Vec<R::Move> {
    let mut moves = Vec::new();
    position.generate(MoveSet::All, &mut moves);
    moves.retain(|mv| position.is_legal(*mv));
    moves
}

fn text<R: Rules>(position: &R, mv: Option<R::Move>) -> String {
    let mut text = String::new();
    if let Some(mv) = mv {
        position.write_move(mv, &mut text);
    }
    text
}

fn run<R: Rules>(
    mcts: &mut Mcts<R>,
    position: &R,
    nodes: u64,
    barred: &[R::Move],
    seed: u64,
) -> SearchResult<R::Move> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let task = SearchTask { limits: &limits, barred, host: &Host::null() };
    mcts.run(position, task, &mut Random::seeded(seed))
}

#[test]
fn a_win_is_taken_and_a_loss_is_prevented() {
    let check = |moves: &str, expected: &[&str]| {
        let position = gomoku(moves);
        let mut mcts = Mcts::new(MctsParams::default());
        let result = run(&mut mcts, &position, 4_000, &[], 1);
        let found = text(&position, result.best);
        assert!(expected.contains(&&*found), "{found} in {moves}");
        assert!(result.line.moves.starts_with(&found));
    };
    // Four in a row with one open end: the fifth stone wins, or it must be blocked.
    check("b5 b9 c5 d9 d5 f9 e5 a5", &["f5"]);
    check("b5 a5 c5 b9 d5 d9 e5", &["f5"]);
}

#[test]
fn values_are_means_of_results_and_margins() {
    let won = gomoku("b5 b9 c5 d9 d5 f9 e5 a5");
    let value = |position: &Gomoku| {
        let line = run(&mut Mcts::new(MctsParams::default()), position, 3_000, &[], 1).line;
        line.score.expect("a score").value
    };
    assert_eq!(value(&won), 9_999, "the move wins every time");
    assert!(value(&gomoku("b5 a5 c5 b9 d5 f5 a1 e5 e1")).abs() < 200);
    // With one empty square the margin is exact.
    let mut checked = 0;
    for seed in 0..200 {
        let position = reversi(seed, 11);
        let moves = legal_moves(&position);
        let mut after = position.clone();
        after.make(moves[0]);
        if let (1, Some(outcome)) = (moves.len(), after.outcome()) {
            let result = run(&mut Mcts::new(MctsParams::default()), &position, 20, &[], seed);
            let sign = if Reversi::side(position.to_move()).0 == 0 { 1 } else { -1 };
            let expected = sign * outcome.score;
            // A margin of 1 is not known as one; reversi has even ones.
            if expected != 0 {
                assert_eq!(result.line.score.expect("a score").value, expected, "{position:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 10, "{checked} positions");
}

/// The best result for the side to move, 1, 0 or -1.
fn minimax(position: &Reversi) -> i32 {
    let side = Reversi::side(position.to_move());
    if let Some(outcome) = position.outcome() {
        return outcome.winner.map_or(0, |winner| if winner == side { 1 } else { -1 });
    }
    legal_moves(position).into_iter().map(|mv| value_of(position, mv)).max().expect("a move")
}

/// The result of a move for the side that makes it.
fn value_of(position: &Reversi, mv: reversi::Move) -> i32 {
    let mut after = position.clone();
    after.make(mv);
    let value = minimax(&after);
    let same = Reversi::side(after.to_move()) == Reversi::side(position.to_move());
    if same { value } else { -value }
}

#[test]
fn with_enough_iterations_the_move_is_that_of_perfect_play() {
    for seed in 0..40 {
        let position = reversi(seed, 6);
        let mut mcts = Mcts::new(MctsParams::default());
        let result = run(&mut mcts, &position, 20_000, &[], seed);
        let found = value_of(&position, result.best.expect("a move"));
        assert_eq!(found, minimax(&position), "{position:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_search() {
    let position = gomoku("e5 e6 d5");
    let search = |seed| run(&mut Mcts::new(MctsParams::default()), &position, 500, &[], seed);
    assert_eq!(search(7), search(7));
    let values: Vec<_> = (0..5).map(|seed| search(seed).line).collect();
    assert!(values.iter().any(|line| *line != values[0]), "the seed has an effect");
}

#[test]
fn barred_moves_are_not_chosen() {
    let position = gomoku("b5 b9 c5 d9 d5 f9 e5 a5");
    let all = legal_moves(&position);
    let mut mcts = Mcts::new(MctsParams::default());
    let best = run(&mut mcts, &position, 1_000, &[], 1).best.expect("a move");
    assert_eq!(text(&position, Some(best)), "f5");
    // In the kept tree, too.
    let second = run(&mut mcts, &position, 1_000, &[best], 1).best.expect("a move");
    assert_ne!(second, best);
    let others: Vec<_> = all.iter().copied().filter(|mv| *mv != second).collect();
    assert_eq!(run(&mut mcts, &position, 10, &others, 1).best, Some(second));
    assert_eq!(run(&mut mcts, &position, 10, &all, 1).best, None);
    let over = gomoku("b5 b9 c5 d9 d5 f9 e5 a5 f5");
    assert_eq!(run(&mut mcts, &over, 10, &[], 1).best, None);
}

/// Every node has the visits of its children and the one that made it; the root, which has its
/// children from the start, has those of its children only.
fn check_visits(tree: &Tree<reversi::Move>, node: NodeId, first: u32) {
    let node = tree.node(node);
    if !node.children.is_empty() {
        let below: u32 = node.child_ids().map(|id| tree.node(id).visits).sum();
        assert_eq!(node.visits, below + first);
        node.child_ids().for_each(|id| check_visits(tree, id, 1));
    }
}

#[test]
fn a_move_keeps_what_lies_below_it() {
    for seed in 0..20 {
        let mut position = reversi(seed, 2);
        let mut mcts = Mcts::new(MctsParams::default());
        let mut kept = 0;
        while position.outcome().is_none() {
            let result = run(&mut mcts, &position, 300, &[], seed);
            assert_eq!(result.line.nodes, 300);
            check_visits(&mcts.tree, Tree::<reversi::Move>::ROOT, u32::from(kept > 0));
            let root = mcts.tree.node(Tree::<reversi::Move>::ROOT);
            assert_eq!(root.visits, kept + 300);
            let mv = result.best.expect("a move");
            let child = mcts.tree.child(mv).expect("a child");
            let (visits, mean) = (mcts.tree.node(child).visits, mcts.tree.node(child).mean());
            position.make(mv);
            mcts.advance(&position, mv);
            let root = mcts.tree.node(Tree::<reversi::Move>::ROOT);
            assert_eq!((root.visits, root.mean()), (visits, mean));
            kept = visits;
        }
    }
}

#[test]
fn another_position_begins_with_an_empty_tree() {
    let (first, second) = (gomoku("e5"), gomoku("e5 a1 a2"));
    let mut used = Mcts::new(MctsParams::default());
    run(&mut used, &first, 200, &[], 1);
    let fresh = run(&mut Mcts::new(MctsParams::default()), &second, 200, &[], 2);
    assert_eq!(run(&mut used, &second, 200, &[], 2), fresh);
}

#[test]
fn the_tree_is_kept_only_for_its_own_position() {
    let visits = |mcts: &Mcts<Gomoku>| mcts.tree.node(Tree::<gomoku::Move>::ROOT).visits;
    let check = |searched: &str, played: &str, kept: bool| {
        let mut mcts = Mcts::default();
        run(&mut mcts, &gomoku(searched), 2_000, &[], 1);
        let mut position = gomoku(played);
        let (before, last) = played.rsplit_once(' ').expect("two moves");
        let mv = gomoku(before).parse_move(last).expect("a move");
        mcts.advance(&position, mv);
        assert_eq!(visits(&mcts) > 0, kept, "{searched}, then {played}");
        // Whatever was kept, the next search is of the right position.
        let result = run(&mut mcts, &position, 10, &[], 1);
        let mv = text(&position, result.best);
        assert!(position.play(&mv).is_ok(), "{mv}");
    };
    check("e5", "e5 d4", true);
    // Pondered on the position that came, and on another one.
    check("e5 d4", "e5 d4", true);
    check("e5 d5", "e5 d4", false);
    check("a1 a2", "e5 d4", false);
}

#[test]
fn a_full_tree_grows_no_more() {
    let position = gomoku("e5");
    let params = MctsParams { tree_bytes: 40_000, ..MctsParams::default() };
    let mut mcts = Mcts::new(params);
    let result = run(&mut mcts, &position, 5_000, &[], 1);
    assert!(mcts.tree.len() <= mcts.tree.nodes_max(), "{} nodes", mcts.tree.len());
    assert_eq!(mcts.tree.node(Tree::<gomoku::Move>::ROOT).visits, 5_000);
    assert!(result.best.is_some());
    let none = MctsParams { tree_bytes: 0, ..MctsParams::default() };
    assert!(run(&mut Mcts::new(none), &position, 100, &[], 1).best.is_some());
}

/// A clock that loses a unit with every look, after `unlimited` looks
/// that return `u64::MAX`.
struct Looks {
    unlimited: u64,
    left: u64,
    looks: AtomicU64,
}

impl HostCalls for Looks {
    fn left(&self) -> u64 {
        match self.looks.fetch_add(1, Ordering::Relaxed) {
            look if look < self.unlimited => u64::MAX,
            look => self.left.saturating_sub(look - self.unlimited),
        }
    }
}

#[test]
fn the_clock_is_read_in_every_iteration() {
    let nodes = |limits: Limits, unlimited: u64, left: u64| {
        let host = Host::new(Looks { unlimited, left, looks: AtomicU64::new(0) });
        let task = SearchTask { limits: &limits, barred: &[], host: &host };
        let mut mcts = Mcts::<Gomoku>::default();
        let result = mcts.run(&gomoku("e5"), task, &mut Random::seeded(1));
        assert!(result.best.is_some(), "a move even without time");
        result.line.nodes
    };
    let per_move = |max| Limits { unit: Unit::Wall, call_max: Some(max), ..Limits::default() };
    assert_eq!(nodes(per_move(0), 0, 0), 0);
    // Half of so short a time is a margin. A report reads the clock, too.
    let within = nodes(per_move(1_000), 0, 1_000);
    assert!((480..500).contains(&within), "{within} iterations");
    // The host stops a search without limits.
    let stopped = nodes(Limits::default(), 1_000, 0);
    assert!((980..1_000).contains(&stopped), "{stopped} iterations");
}

#[test]
fn a_limit_of_depth_ends_the_search() {
    let run = |position: &Reversi, depth: u32, tree_bytes: usize| {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let task = SearchTask { limits: &limits, barred: &[], host: &Host::null() };
        let mut mcts = Mcts::<Reversi>::new(MctsParams { tree_bytes, ..MctsParams::default() });
        mcts.run(position, task, &mut Random::seeded(1))
    };
    let start = reversi(1, 0);
    for depth in 1..=4 {
        let result = run(&start, depth, 1 << 24);
        assert!(result.line.depth >= depth, "depth {depth}: {:?}", result.line);
        assert!(result.line.nodes < 20_000, "depth {depth}: {:?}", result.line);
    }
    // A small tree gets full before the line is so long.
    let result = run(&start, 60, 1 << 12);
    assert!(result.line.depth < 60 && result.line.nodes < 1_000, "{:?}", result.line);
    // The game ends before the line is so long.
    let result = run(&reversi(3, 8), 60, 1 << 24);
    assert!(result.best.is_some() && result.line.nodes < 1_000, "{:?}", result.line);
}

#[test]
fn it_beats_random_play() {
    let mut points = 0;
    for seed in 0..20 {
        let mut random = Random::seeded(seed);
        let variant = reversi::INFO.variants[0].id;
        let variant = reversi::INFO.variant(&format!("{variant}-6")).expect("a variant");
        let mut position = Reversi::start(&variant);
        let own = (seed % 2) as u8;
        let mut mcts = Mcts::new(MctsParams::default());
        while position.outcome().is_none() {
            let mv = if Reversi::side(position.to_move()).0 == own {
                run(&mut mcts, &position, 60, &[], seed).best.expect("a move")
            } else {
                let moves = legal_moves(&position);
                moves[random.below(moves.len())]
            };
            position.make(mv);
            mcts.advance(&position, mv);
        }
        let winner = position.outcome().and_then(|outcome| outcome.winner);
        points += i32::from(winner.is_some_and(|side| side.0 == own));
    }
    assert!(points >= 18, "{points} wins of 20");
}
