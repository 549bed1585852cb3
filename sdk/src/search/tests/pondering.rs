//! A search that goes on where pondering on the same position ended, and one that does not.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::*;
use crate::gomoku::{Lines, Windows};
use crate::host::HostCalls;

/// Runs out after so many looks; keeps what is reported.
#[derive(Clone, Default)]
struct Clock {
    looks: Arc<AtomicU64>,
    reports: Arc<Mutex<Vec<Line>>>,
}

impl HostCalls for Clock {
    fn left(&self) -> u64 {
        let left = self.looks.load(Ordering::Relaxed);
        self.looks.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 0 { 0 } else { u64::MAX }
    }
    fn report(&self, line: &Line) {
        self.reports.lock().unwrap().push(line.clone());
    }
}

impl Clock {
    fn after(looks: u64) -> Self {
        Self { looks: Arc::new(AtomicU64::new(looks)), ..Self::default() }
    }
}

const HERE: &str = "7/7/5x1/4oo1/2x2xo/7/7 b";
const ELSEWHERE: &str = "7/7/5x1/4oo1/2x2x1/6o/7 b";
const FORCED: &str = "7/7/2xxx2/7/1oo4/7/7 b";

/// Whose values are those of minimax, whatever the table knows.
const PLAIN: Switches = Switches {
    transposition_table: false,
    reductions: false,
    late_cuts: false,
    forced_wins: false,
    ..Switches::CLASSIC
};

/// Ponders on one position for so many looks at the clock, and searches one: what is found, and the
/// depths that are reported on the way.
fn ponder_then_search(
    pondered: (&str, u64),
    searched: &str,
    limits: &Limits,
    barred: &[Move],
) -> (Found<Move>, Vec<u32>) {
    let mut search = Search::<Gomoku, Lines, Windows>::new(PLAIN, 1 << 14);
    let clock = Clock::after(pondered.1);
    search.ponder(&gomoku(pondered.0), &Host::new(clock.clone()));
    assert!(clock.reports.lock().unwrap().is_empty(), "nobody hears of it");
    let clock = Clock::after(u64::MAX);
    let host = Host::new(clock.clone());
    let found = search.run(&gomoku(searched), Task { limits, barred, host: &host });
    let depths = clock.reports.lock().unwrap().iter().map(|line| line.depth).collect();
    (found, depths)
}

fn fresh(limits: &Limits) -> Found<Move> {
    ponder_then_search((HERE, 0), HERE, limits, &[]).0
}

#[test]
fn a_hit_searches_no_iteration_again() {
    let limits = to_depth(4);
    let all = fresh(&limits);
    let mut depths_begun = std::collections::BTreeSet::new();
    for looks in (0..400).step_by(20) {
        let (found, depths) = ponder_then_search((HERE, looks), HERE, &limits, &[]);
        assert_eq!(found.line.score, all.line.score, "{looks}");
        assert_eq!(*depths.last().unwrap(), 4);
        depths_begun.insert(depths[0]);
        if depths[0] > 1 {
            assert!(found.line.nodes < all.line.nodes, "{looks}: {depths:?}");
            // An interrupted iteration is begun again.
            assert!(depths[1..].is_sorted() && depths[1..].iter().all(|d| *d >= depths[0]));
        } else if depths[0] == 0 {
            assert_eq!(depths, [0, 1, 2, 3, 4]);
        }
    }
    assert!(depths_begun.len() > 3, "{depths_begun:?}");
}

#[test]
fn a_miss_begins_afresh() {
    let limits = to_depth(3);
    let long = 300;
    let check = |pondered: (&str, u64), limits: &Limits, barred: &[Move], expected: &[u32]| {
        let (_, depths) = ponder_then_search(pondered, HERE, limits, barred);
        assert_eq!(depths, expected, "{pondered:?}");
    };
    check((ELSEWHERE, long), &limits, &[], &[0, 1, 2, 3]);
    check((HERE, 0), &limits, &[], &[0, 1, 2, 3]);
    let deeper = Limits { nodes: Some(1), ..Limits::default() };
    let (hit, _) = ponder_then_search((HERE, long), HERE, &deeper, &[]);
    assert!(hit.line.depth > 3, "{:?}", hit.line);
    // What is deeper than the limits have it does not count, nor what is barred.
    check((HERE, long), &limits, &[], &[0, 1, 2, 3]);
    let barred = [fresh(&limits).best.unwrap()];
    let (found, depths) = ponder_then_search((HERE, 20), HERE, &limits, &barred);
    assert!(found.best != Some(barred[0]) && depths[..2] == [0, 1]);
}

#[test]
fn what_is_settled_is_not_searched_at_all() {
    let position = gomoku(FORCED);
    let mut search = Search::<Gomoku, Lines, Windows>::new(Switches::CLASSIC, 1 << 14);
    search.ponder(&position, &Host::none());
    let host = Host::none();
    let task = Task { limits: &Limits::default(), barred: &[], host: &host };
    let found = search.run(&position, task);
    assert_eq!((found.line.nodes, found.line.score.unwrap().value > 29_900), (0, true));
    // Once only: the next search is another one.
    assert!(search.run(&position, task).line.nodes > 0);
    search.ponder(&position, &host);
    search.forget();
    assert!(search.run(&position, task).line.nodes > 0, "forgotten");
}
