//! The techniques that change the tree: pruning, reductions, extensions, ProbCut and forced wins.
//! Also tests that pondering ends when its clock does.

use std::sync::atomic::{AtomicU64, Ordering};

use sandboard_abi::Bound;

use super::*;
use crate::gomoku::{LineAnalyzer, StrongGomokuSearch, WindowEvaluator};
use crate::{HostCalls, ProbCut};

/// A quiet middle game.
const QUIET: &str = "11/11/11/11/4xo5/4oxx4/5o5/11/11/11/11 b";

fn strong(
    position: &Gomoku,
    switches: Switches,
    limits: &Limits,
    barred: &[Move],
) -> SearchResult<Move> {
    let task = SearchTask { limits, barred, host: &Host::null() };
    StrongGomokuSearch::new(switches, 1 << 20).run(position, task)
}

#[test]
fn pruning_and_reductions_save_nodes() {
    let position = gomoku(QUIET);
    let plain = Switches { forced_wins: false, threat_extensions: false, ..Switches::CLASSIC };
    let nodes = |switches| strong(&position, switches, &to_depth(5), &[]).line.nodes;
    let all = nodes(plain);
    for technique in ["late-move-reductions", "late-move-pruning"] {
        let mut switches = plain;
        switches.set(technique, true);
        let fewer = nodes(switches);
        assert!(fewer * 3 < all * 2, "{technique}: {fewer} of {all}");
    }
}

#[test]
fn aspiration_windows_find_the_same_value() {
    let position = gomoku(QUIET);
    for depth in 1..7 {
        let value = |aspiration_windows| {
            let switches = Switches { aspiration_windows, ..Switches::CLASSIC };
            search_with(&position, switches, depth).line.score
        };
        assert_eq!(value(true), value(false), "to depth {depth}");
    }
}

/// An evaluator with ProbCut: the value two plies shallower, with this margin.
#[derive(Clone, Default)]
struct ProbCutWindows {
    windows: WindowEvaluator,
    margin: Option<i32>,
}

impl Evaluator<Gomoku> for ProbCutWindows {
    fn value(&self, position: &Gomoku) -> i32 {
        self.windows.value(position)
    }
    fn prob_cut(&self, _: &Gomoku, depth: u32) -> Option<ProbCut> {
        let cut = |margin| ProbCut { depth: depth - 2, slope: 256, offset: 0, margin };
        self.margin.map(cut)
    }
    fn reset(&mut self, position: &Gomoku) {
        self.windows.reset(position);
    }
    fn made(&mut self, after: &Gomoku, mv: Move) {
        self.windows.made(after, mv);
    }
    fn unmade(&mut self, after: &Gomoku, mv: Move) {
        self.windows.unmade(after, mv);
    }
}

#[test]
fn prob_cut_saves_nodes_depending_on_its_margin() {
    let position = gomoku(QUIET);
    let result = |prob_cut, margin| {
        let evaluator = ProbCutWindows { margin, ..ProbCutWindows::default() };
        let switches = Switches { prob_cut, ..Switches::CLASSIC };
        let task = SearchTask { limits: &to_depth(6), barred: &[], host: &Host::null() };
        let mut search = Search::with_parts(LineAnalyzer::default(), evaluator, switches, 1 << 20);
        search.run(&position, task).line
    };
    let plain = result(false, None);
    // Without statistics, turned off, and with a margin that is too large.
    for same in [result(true, None), result(false, Some(0)), result(true, Some(40_000))] {
        assert_eq!((same.nodes, &same.moves, same.score), (plain.nodes, &plain.moves, plain.score));
    }
    let [bold, careful] = [0, 60].map(|margin| result(true, Some(margin)).nodes);
    assert!(bold * 3 < plain.nodes * 2, "{bold} of {}", plain.nodes);
    assert!(bold < careful, "{bold}, {careful}");
}

/// An evaluator whose unit is a seventh.
#[derive(Clone, Default)]
struct Sevenths(WindowEvaluator);

impl Evaluator<Gomoku> for Sevenths {
    fn value(&self, position: &Gomoku) -> i32 {
        7 * self.0.value(position)
    }
    fn score(&self, value: i32) -> i32 {
        value / 7
    }
    fn reset(&mut self, position: &Gomoku) {
        self.0.reset(position);
    }
    fn made(&mut self, after: &Gomoku, mv: Move) {
        self.0.made(after, mv);
    }
    fn unmade(&mut self, after: &Gomoku, mv: Move) {
        self.0.unmade(after, mv);
    }
}

#[test]
fn a_finer_unit_of_values_is_not_visible_outside() {
    let position = gomoku(QUIET);
    let task = SearchTask { limits: &to_depth(3), barred: &[], host: &Host::null() };
    let evaluator = Sevenths::default();
    let mut search =
        Search::with_parts(LineAnalyzer::default(), evaluator, Switches::CLASSIC, 1 << 16);
    let plain = search_with(&position, Switches::CLASSIC, 3);
    assert_eq!(search.run(&position, task).line.score, plain.line.score);
}

fn search_with(position: &Gomoku, switches: Switches, depth: u32) -> SearchResult<Move> {
    let task = SearchTask { limits: &to_depth(depth), barred: &[], host: &Host::null() };
    GomokuSearch::new(switches, 1 << 16).run(position, task)
}

#[test]
fn threats_extend_the_search() {
    let position = gomoku(QUIET);
    let nodes = |threat_extensions| {
        let switches = Switches { threat_extensions, forced_wins: false, ..Switches::ALL };
        strong(&position, switches, &to_depth(1), &[]).line.nodes
    };
    // The answers to an open three are searched, and the answers to those.
    assert!(nodes(true) > nodes(false) + 3);
}

#[test]
fn a_forced_win_is_exact_and_its_line_is_complete() {
    // A win by continuous fours.
    let text = "15/15/15/15/15/15/15/4oxxx7/8x6/8x6/8x6/15/15/15/15 b";
    let position = gomoku(text);
    let result = strong(&position, Switches::ALL, &to_depth(1), &[]);
    let score = result.line.score.unwrap();
    assert_eq!((score.value, score.bound), (30_000 - 3, Bound::Exact));
    let mut board = position.clone();
    for mv in &result.expected {
        board.play(&mv.to_string()).unwrap();
    }
    assert!(board.outcome().is_some_and(|outcome| outcome.winner.is_some()));
    // A barred move is not played, even if it wins.
    let other = strong(&position, Switches::ALL, &to_depth(1), &result.expected[..1]);
    assert_ne!(other.best, result.best);
}

/// A clock that ends after a number of looks.
struct LookClock(AtomicU64);

impl HostCalls for LookClock {
    fn left(&self) -> u64 {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 0 { 0 } else { u64::MAX }
    }
    fn report(&self, _: &Line) {
        panic!("pondering reports nothing");
    }
}

#[test]
fn pondering_stops_with_the_clock_and_helps_the_next_search() {
    let position = gomoku(QUIET);
    let mut search = StrongGomokuSearch::new(Switches::ALL, 1 << 20);
    search.ponder(&position, &Host::new(LookClock(AtomicU64::new(40))));
    let limits = to_depth(6);
    let task = SearchTask { limits: &limits, barred: &[], host: &Host::null() };
    let prepared = search.run(&position, task).line.nodes;
    search.clear();
    let unprepared = search.run(&position, task);
    assert!(prepared < unprepared.line.nodes, "{prepared} of {}", unprepared.line.nodes);
    assert_eq!(unprepared.line, strong(&position, Switches::ALL, &limits, &[]).line);
}
