//! Results when time or nodes run out in the middle of an iteration, and how often the clock is
//! read.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use sandboard_abi::{Bound, Unit};

use super::equality::minimax;
use super::row_game::{Lead, Row};
use super::*;
use crate::analyzer::AllMoves;
use crate::gomoku::{GomokuSearch, LineAnalyzer, WindowEvaluator};
use crate::host::HostCalls;

/// A clock that loses one unit at every call of `left`; keeps reports.
#[derive(Clone, Default)]
struct ScriptedHost {
    units: u64,
    looks: Arc<AtomicU64>,
    reports: Arc<Mutex<Vec<Line>>>,
}

impl HostCalls for ScriptedHost {
    fn left(&self) -> u64 {
        self.units.saturating_sub(self.looks.fetch_add(1, Ordering::Relaxed))
    }
    fn report(&self, line: &Line) {
        self.reports.lock().unwrap().push(line.clone());
    }
}

/// A position that takes long to search.
const QUIET: &str = "15/15/15/15/15/15/15/6xo7/6ox7/15/15/15/15/15/15 b";

/// A position in which the best move changes from one depth to the next.
const CHANGES: &str = "7/7/5x1/4oo1/2x2xo/7/7 b";

fn search(text: &str, limits: &Limits, script: &ScriptedHost) -> (SearchResult<Move>, Vec<Line>) {
    let host = Host::new(script.clone());
    let task = SearchTask { limits, barred: &[], host: &host };
    let result = GomokuSearch::new(Switches::CLASSIC, 1 << 14).run(&gomoku(text), task);
    let mut reports = script.reports.lock().unwrap().clone();
    // The report before the first node.
    assert_eq!((reports[0].depth, reports[0].nodes), (0, 0));
    reports.remove(0);
    (result, reports)
}

fn endless() -> ScriptedHost {
    ScriptedHost { units: u64::MAX, ..ScriptedHost::default() }
}

/// The minimax value of a root move at a depth.
fn value_of(mv: &str, depth: u32) -> i32 {
    let mut after = gomoku(CHANGES);
    after.play(mv).unwrap();
    -minimax(&after, depth - 1, 1, &(LineAnalyzer::default(), WindowEvaluator::default()))
}

fn first_of(line: &Line) -> &str {
    line.moves.split(' ').next().unwrap()
}

/// Checks the result of an interrupted search; returns whether it has a better move from the
/// unfinished iteration.
#[track_caller]
fn check_interrupted(result: &Line, finished: &[Line]) -> bool {
    let Some(last) = finished.last() else { return false };
    if result.depth == last.depth {
        assert_eq!((result.score, &result.moves), (last.score, &last.moves));
        return false;
    }
    assert_eq!(result.depth, last.depth + 1);
    assert_eq!(result.score.unwrap().value, value_of(first_of(result), result.depth));
    let previous = value_of(first_of(last), result.depth);
    let better = first_of(result) != first_of(last);
    assert!(!better || result.score.unwrap().value > previous);
    better
}

#[test]
fn an_unfinished_iteration_counts_once_the_previous_best_is_searched() {
    let (_, all) = search(CHANGES, &to_depth(3), &endless());
    let total = all.last().unwrap().nodes;
    let mut better = 0;
    for nodes in (0..total).step_by(5) {
        let limits = Limits { nodes: Some(nodes), ..to_depth(3) };
        let (result, finished) = search(CHANGES, &limits, &endless());
        assert_eq!(finished, all[..finished.len()]);
        better += u64::from(check_interrupted(&result.line, &finished));
    }
    assert!(better > 0, "no iteration was interrupted after a better move");
}

#[test]
fn a_legal_move_is_always_reported() {
    let reported = |text: &str, units: u64, barred: &[Move]| {
        let script = ScriptedHost { units, ..ScriptedHost::default() };
        let limits = Limits { unit: Unit::Wall, call_max: Some(units), ..Limits::default() };
        let host = Host::new(script.clone());
        let task = SearchTask { limits: &limits, barred, host: &host };
        GomokuSearch::new(Switches::CLASSIC, 1 << 14).run(&gomoku(text), task);
        let reports = script.reports.lock().unwrap();
        reports.first().map(|line| (line.depth, gomoku(text).parse_move(&line.moves).unwrap()))
    };
    // Without time, with time for a few nodes, and if a move wins at once.
    for text in [QUIET, CHANGES, "5/1xxxx/1ooo1/5/5 b"] {
        for units in [0, 1, 2, 10] {
            let (depth, mv) = reported(text, units, &[]).expect("a report");
            assert_eq!(depth, 0, "{text}");
            assert!(gomoku(text).is_legal(mv));
            let (_, other) = reported(text, units, &[mv]).expect("a report");
            assert!(other != mv && gomoku(text).is_legal(other), "{text}");
        }
    }
    // Without a legal move there is no report.
    assert_eq!(reported("5/xxxxx/oooo1/5/5 w", 10, &[]), None);
}

#[test]
fn the_end_of_time_interrupts_like_the_end_of_nodes() {
    for units in 0..60 {
        let script = ScriptedHost { units, ..ScriptedHost::default() };
        let limits = Limits { unit: Unit::Fuel, call_max: Some(units), ..to_depth(3) };
        let (result, finished) = search(CHANGES, &limits, &script);
        check_interrupted(&result.line, &finished);
        assert!(result.best.is_some());
        // One look at the start, one at the end of time, one for the line.
        assert!(script.looks.load(Ordering::Relaxed) <= units + 3);
    }
}

#[test]
fn a_stop_without_a_budget_is_obeyed() {
    let script = ScriptedHost { units: 40, ..ScriptedHost::default() };
    let (result, _) = search(QUIET, &Limits::default(), &script);
    assert!(result.best.is_some() && result.line.nodes <= 40 * 1_024, "{:?}", result.line);
}

#[test]
fn the_clock_is_read_about_every_thousand_nodes() {
    let script = endless();
    let limits = Limits { nodes: Some(100_000), ..Limits::default() };
    search(QUIET, &limits, &script);
    let looks = script.looks.load(Ordering::Relaxed);
    // There are about ten more looks at the beginning of each depth.
    assert!((90..200).contains(&looks), "{looks} looks");
}

#[test]
fn finished_iterations_are_reported_in_order() {
    let (result, reports) = search(CHANGES, &to_depth(4), &endless());
    assert_eq!(reports.iter().map(|line| line.depth).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(reports.is_sorted_by_key(|line| line.nodes));
    let last = Line { spent: result.line.spent, ..reports[3].clone() };
    assert_eq!(result.line, last);
}

#[test]
fn a_game_searched_to_its_end_is_proved_and_stops() {
    let row = Row::new(&[3, 9, 8, 1, 7, 14, 5]);
    let task = SearchTask { limits: &Limits::default(), barred: &[], host: &Host::null() };
    for exact_end in [false, true] {
        let evaluator = Lead { exact_end };
        let mut search = Search::with_parts(AllMoves, evaluator, Switches::CLASSIC, 1 << 14);
        let line = search.run(&row, task).line;
        assert_eq!(line.score.unwrap().bound, Bound::Exact);
        assert_eq!(line.score.unwrap().value, minimax(&row, 7, 0, &(AllMoves, evaluator)));
        assert!(line.depth <= 7);
    }
}
