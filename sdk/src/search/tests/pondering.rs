//! A search after pondering on the same position continues it; after another position it does not.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::*;
use crate::gomoku::{LineAnalyzer, WindowEvaluator};
use crate::host::HostCalls;

/// A clock that ends after a number of looks; keeps reports.
#[derive(Clone, Default)]
struct LookClock {
    looks: Arc<AtomicU64>,
    reports: Arc<Mutex<Vec<Line>>>,
}

impl HostCalls for LookClock {
    fn left(&self) -> u64 {
        let left = self.looks.load(Ordering::Relaxed);
        self.looks.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 0 { 0 } else { u64::MAX }
    }
    fn report(&self, line: &Line) {
        self.reports.lock().unwrap().push(line.clone());
    }
}

impl LookClock {
    fn after(looks: u64) -> Self {
        Self { looks: Arc::new(AtomicU64::new(looks)), ..Self::default() }
    }
}

const HERE: &str = "7/7/5x1/4oo1/2x2xo/7/7 b";
const ELSEWHERE: &str = "7/7/5x1/4oo1/2x2x1/6o/7 b";
const FORCED: &str = "7/7/2xxx2/7/1oo4/7/7 b";

/// Switches whose values are those of minimax, whatever the table has.
const PLAIN: Switches = Switches {
    transposition_table: false,
    late_move_reductions: false,
    late_move_pruning: false,
    forced_wins: false,
    ..Switches::CLASSIC
};

/// Ponders on a position for a number of looks at the clock, and then searches another or the same.
/// Returns the result and the reported depths.
fn ponder_then_search(
    pondered: (&str, u64),
    searched: &str,
    limits: &Limits,
    barred: &[Move],
) -> (SearchResult<Move>, Vec<u32>) {
    let mut search = Search::<Gomoku, LineAnalyzer, WindowEvaluator>::new(PLAIN, 1 << 14);
    let clock = LookClock::after(pondered.1);
    search.ponder(&gomoku(pondered.0), &Host::new(clock.clone()));
    assert!(clock.reports.lock().unwrap().is_empty(), "pondering reports nothing");
    let clock = LookClock::after(u64::MAX);
    let host = Host::new(clock.clone());
    let result = search.run(&gomoku(searched), SearchTask { limits, barred, host: &host });
    let depths = clock.reports.lock().unwrap().iter().map(|line| line.depth).collect();
    (result, depths)
}

fn search_without_pondering(limits: &Limits) -> SearchResult<Move> {
    ponder_then_search((HERE, 0), HERE, limits, &[]).0
}

#[test]
fn after_a_ponder_hit_no_iteration_is_repeated() {
    let limits = to_depth(4);
    let all = search_without_pondering(&limits);
    let mut depths_begun = std::collections::BTreeSet::new();
    for looks in (0..400).step_by(20) {
        let (result, depths) = ponder_then_search((HERE, looks), HERE, &limits, &[]);
        assert_eq!(result.line.score, all.line.score, "{looks}");
        assert_eq!(*depths.last().unwrap(), 4);
        depths_begun.insert(depths[0]);
        if depths[0] > 1 {
            assert!(result.line.nodes < all.line.nodes, "{looks}: {depths:?}");
            // An interrupted iteration begins again.
            assert!(depths[1..].is_sorted() && depths[1..].iter().all(|d| *d >= depths[0]));
        } else if depths[0] == 0 {
            assert_eq!(depths, [0, 1, 2, 3, 4]);
        }
    }
    assert!(depths_begun.len() > 3, "{depths_begun:?}");
}

#[test]
fn after_a_ponder_miss_the_search_starts_over() {
    let limits = to_depth(3);
    let many_looks = 300;
    let check = |pondered: (&str, u64), limits: &Limits, barred: &[Move], expected: &[u32]| {
        let (_, depths) = ponder_then_search(pondered, HERE, limits, barred);
        assert_eq!(depths, expected, "{pondered:?}");
    };
    check((ELSEWHERE, many_looks), &limits, &[], &[0, 1, 2, 3]);
    check((HERE, 0), &limits, &[], &[0, 1, 2, 3]);
    let deeper = Limits { nodes: Some(1), ..Limits::default() };
    let (hit, _) = ponder_then_search((HERE, many_looks), HERE, &deeper, &[]);
    assert!(hit.line.depth > 3, "{:?}", hit.line);
    // Results deeper than the limits do not count, neither do barred moves.
    check((HERE, many_looks), &limits, &[], &[0, 1, 2, 3]);
    let barred = [search_without_pondering(&limits).best.unwrap()];
    let (result, depths) = ponder_then_search((HERE, 20), HERE, &limits, &barred);
    assert!(result.best != Some(barred[0]) && depths[..2] == [0, 1]);
}

#[test]
fn a_settled_result_of_pondering_needs_no_search() {
    let position = gomoku(FORCED);
    let mut search =
        Search::<Gomoku, LineAnalyzer, WindowEvaluator>::new(Switches::CLASSIC, 1 << 14);
    search.ponder(&position, &Host::null());
    let host = Host::null();
    let task = SearchTask { limits: &Limits::default(), barred: &[], host: &host };
    let result = search.run(&position, task);
    assert_eq!((result.line.nodes, result.line.score.unwrap().value > 29_900), (0, true));
    // The result is used once; the next search starts over.
    assert!(search.run(&position, task).line.nodes > 0);
    search.ponder(&position, &host);
    search.clear();
    assert!(search.run(&position, task).line.nodes > 0, "cleared");
}
