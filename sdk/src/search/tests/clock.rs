//! What counts when time or nodes run out in the middle of an iteration, and how
//! often the clock is asked.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use sandboard_abi::{Bound, Unit};

use super::equality::minimax;
use super::row::{Lead, Row};
use super::*;
use crate::analyzer::AllMoves;
use crate::gomoku::{GomokuSearch, Lines, Windows};
use crate::host::HostCalls;

/// A clock that a call of `left` moves on by one unit, and that keeps reports.
#[derive(Clone, Default)]
struct Script {
    units: u64,
    asked: Arc<AtomicU64>,
    reports: Arc<Mutex<Vec<Line>>>,
}

impl HostCalls for Script {
    fn left(&self) -> u64 {
        self.units.saturating_sub(self.asked.fetch_add(1, Ordering::Relaxed))
    }
    fn report(&self, line: &Line) {
        self.reports.lock().unwrap().push(line.clone());
    }
}

/// A position that takes long to search.
const QUIET: &str = "15/15/15/15/15/15/15/6xo7/6ox7/15/15/15/15/15/15 b";

/// A position in which the best move changes from one depth to the next.
const CHANGES: &str = "7/7/5x1/4oo1/2x2xo/7/7 b";

fn search(text: &str, limits: &Limits, script: &Script) -> (Found<Move>, Vec<Line>) {
    let host = Host::new(script.clone());
    let task = Task { limits, barred: &[], host: &host };
    let found = GomokuSearch::new(Switches::CLASSIC, 1 << 14).run(&gomoku(text), task);
    let mut reports = script.reports.lock().unwrap().clone();
    // The one of before the first node.
    assert_eq!((reports[0].depth, reports[0].nodes), (0, 0));
    reports.remove(0);
    (found, reports)
}

fn endless() -> Script {
    Script { units: u64::MAX, ..Script::default() }
}

/// The value of a root move at a depth, by minimax.
fn value_of(mv: &str, depth: u32) -> i32 {
    let mut after = gomoku(CHANGES);
    after.play(mv).unwrap();
    -minimax(&after, depth - 1, 1, &(Lines::default(), Windows::default()))
}

fn first_of(line: &Line) -> &str {
    line.moves.split(' ').next().unwrap()
}

/// Whether what an interrupted search found is what the rule says; and whether
/// it took a better move from the unfinished iteration.
#[track_caller]
fn check_interrupted(found: &Line, finished: &[Line]) -> bool {
    let Some(last) = finished.last() else { return false };
    if found.depth == last.depth {
        assert_eq!((found.score, &found.moves), (last.score, &last.moves));
        return false;
    }
    assert_eq!(found.depth, last.depth + 1);
    assert_eq!(found.score.unwrap().value, value_of(first_of(found), found.depth));
    let former = value_of(first_of(last), found.depth);
    let better = first_of(found) != first_of(last);
    assert!(!better || found.score.unwrap().value > former);
    better
}

#[test]
fn the_unfinished_iteration_counts_once_the_former_best_is_searched() {
    let (_, all) = search(CHANGES, &to_depth(3), &endless());
    let total = all.last().unwrap().nodes;
    let mut better = 0;
    for nodes in (0..total).step_by(5) {
        let limits = Limits { nodes: Some(nodes), ..to_depth(3) };
        let (found, finished) = search(CHANGES, &limits, &endless());
        assert_eq!(finished, all[..finished.len()]);
        better += u64::from(check_interrupted(&found.line, &finished));
    }
    assert!(better > 0, "no iteration was interrupted after a change of mind");
}

#[test]
fn a_legal_move_is_reported_whatever_happens() {
    let reported = |text: &str, units: u64, barred: &[Move]| {
        let script = Script { units, ..Script::default() };
        let limits = Limits { unit: Unit::Wall, call_max: Some(units), ..Limits::default() };
        let host = Host::new(script.clone());
        let task = Task { limits: &limits, barred, host: &host };
        GomokuSearch::new(Switches::CLASSIC, 1 << 14).run(&gomoku(text), task);
        let reports = script.reports.lock().unwrap();
        reports.first().map(|line| (line.depth, gomoku(text).parse_move(&line.moves).unwrap()))
    };
    // Without any time, with time for a few nodes, and where a move wins at once.
    for text in [QUIET, CHANGES, "5/1xxxx/1ooo1/5/5 b"] {
        for units in [0, 1, 2, 10] {
            let (depth, mv) = reported(text, units, &[]).expect("a report");
            assert_eq!(depth, 0, "{text}");
            assert!(gomoku(text).is_legal(mv));
            let (_, other) = reported(text, units, &[mv]).expect("a report");
            assert!(other != mv && gomoku(text).is_legal(other), "{text}");
        }
    }
    // There is none where there is no move.
    assert_eq!(reported("5/xxxxx/oooo1/5/5 w", 10, &[]), None);
}

#[test]
fn a_clock_that_runs_out_interrupts_in_the_same_way() {
    for units in 0..60 {
        let script = Script { units, ..Script::default() };
        let limits = Limits { unit: Unit::Fuel, call_max: Some(units), ..to_depth(3) };
        let (found, finished) = search(CHANGES, &limits, &script);
        check_interrupted(&found.line, &finished);
        assert!(found.best.is_some());
        // Once at the start, once to find that it has run out, once for the line.
        assert!(script.asked.load(Ordering::Relaxed) <= units + 3);
    }
}

#[test]
fn a_stop_without_a_budget_is_obeyed() {
    let script = Script { units: 40, ..Script::default() };
    let (found, _) = search(QUIET, &Limits::default(), &script);
    assert!(found.best.is_some() && found.line.nodes <= 40 * 1_024, "{:?}", found.line);
}

#[test]
fn the_clock_is_asked_about_every_thousand_nodes() {
    let script = endless();
    let limits = Limits { nodes: Some(100_000), ..Limits::default() };
    search(QUIET, &limits, &script);
    let asked = script.asked.load(Ordering::Relaxed);
    // And ten times more as each depth begins.
    assert!((90..200).contains(&asked), "{asked} times");
}

#[test]
fn finished_iterations_are_reported_in_order() {
    let (found, reports) = search(CHANGES, &to_depth(4), &endless());
    assert_eq!(reports.iter().map(|line| line.depth).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(reports.is_sorted_by_key(|line| line.nodes));
    let last = Line { spent: found.line.spent, ..reports[3].clone() };
    assert_eq!(found.line, last);
}

#[test]
fn a_game_seen_to_its_end_is_proved_and_stops() {
    let row = Row::new(&[3, 9, 8, 1, 7, 14, 5]);
    let task = Task { limits: &Limits::default(), barred: &[], host: &Host::none() };
    for exact_end in [false, true] {
        let knows = Lead { exact_end };
        let mut search = Search::with(AllMoves, knows, Switches::CLASSIC, 1 << 14);
        let line = search.run(&row, task).line;
        assert_eq!(line.score.unwrap().bound, Bound::Exact);
        assert_eq!(line.score.unwrap().value, minimax(&row, 7, 0, &(AllMoves, knows)));
        assert!(line.depth <= 7);
    }
}
