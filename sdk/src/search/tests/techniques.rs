//! The techniques that change what is searched: each does what it says, and a
//! search that thinks ahead ends when it is told to.

use std::sync::atomic::{AtomicU64, Ordering};

use sandboard_abi::Bound;

use super::*;
use crate::gomoku::{Lines, StrongGomokuSearch, Windows};
use crate::{HostCalls, ProbableCut};

/// A quiet middle game.
const QUIET: &str = "11/11/11/11/4xo5/4oxx4/5o5/11/11/11/11 b";

fn strong(position: &Gomoku, switches: Switches, limits: &Limits, barred: &[Move]) -> Found<Move> {
    let task = Task { limits, barred, host: &Host::none() };
    StrongGomokuSearch::new(switches, 1 << 20).run(position, task)
}

#[test]
fn less_is_searched_with_cuts_and_reductions() {
    let position = gomoku(QUIET);
    let plain = Switches { forced_wins: false, extensions: false, ..Switches::CLASSIC };
    let nodes = |switches| strong(&position, switches, &to_depth(5), &[]).line.nodes;
    let all = nodes(plain);
    for saving in ["reductions", "late-cuts"] {
        let mut switches = plain;
        switches.set(saving, true);
        let fewer = nodes(switches);
        assert!(fewer * 3 < all * 2, "{saving}: {fewer} of {all}");
    }
}

#[test]
fn a_narrow_window_finds_the_same_value() {
    let position = gomoku(QUIET);
    for depth in 1..7 {
        let value = |aspiration| {
            let switches = Switches { aspiration, ..Switches::CLASSIC };
            search_with(&position, switches, depth).line.score
        };
        assert_eq!(value(true), value(false), "to depth {depth}");
    }
}

/// Windows that say of every depth what one two plies less deep says, off by no more
/// than this.
#[derive(Clone, Default)]
struct Guessing {
    windows: Windows,
    margin: Option<i32>,
}

impl Evaluator<Gomoku> for Guessing {
    fn value(&self, position: &Gomoku) -> i32 {
        self.windows.value(position)
    }
    fn probable_cut(&self, _: &Gomoku, depth: u32) -> Option<ProbableCut> {
        let cut = |margin| ProbableCut { depth: depth - 2, slope: 256, offset: 0, margin };
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
fn probable_cuts_save_what_their_margin_lets_them() {
    let position = gomoku(QUIET);
    let found = |probable_cuts, margin| {
        let evaluator = Guessing { margin, ..Guessing::default() };
        let switches = Switches { probable_cuts, ..Switches::CLASSIC };
        let task = Task { limits: &to_depth(6), barred: &[], host: &Host::none() };
        let mut search = Search::with(Lines::default(), evaluator, switches, 1 << 20);
        search.run(&position, task).line
    };
    let plain = found(false, None);
    // Where nothing is known, turned off, and where nothing is sure enough.
    for same in [found(true, None), found(false, Some(0)), found(true, Some(40_000))] {
        assert_eq!((same.nodes, &same.moves, same.score), (plain.nodes, &plain.moves, plain.score));
    }
    let [bold, careful] = [0, 60].map(|margin| found(true, Some(margin)).nodes);
    assert!(bold * 3 < plain.nodes * 2, "{bold} of {}", plain.nodes);
    assert!(bold < careful, "{bold}, {careful}");
}

/// Windows that reckon in sevenths.
#[derive(Clone, Default)]
struct Sevenths(Windows);

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
fn a_finer_unit_stays_within() {
    let position = gomoku(QUIET);
    let task = Task { limits: &to_depth(3), barred: &[], host: &Host::none() };
    let evaluator = Sevenths::default();
    let mut search = Search::with(Lines::default(), evaluator, Switches::CLASSIC, 1 << 16);
    let plain = search_with(&position, Switches::CLASSIC, 3);
    assert_eq!(search.run(&position, task).line.score, plain.line.score);
}

fn search_with(position: &Gomoku, switches: Switches, depth: u32) -> Found<Move> {
    let task = Task { limits: &to_depth(depth), barred: &[], host: &Host::none() };
    GomokuSearch::new(switches, 1 << 16).run(position, task)
}

#[test]
fn a_search_that_ends_amid_threats_goes_on() {
    let position = gomoku(QUIET);
    let nodes = |extensions| {
        let switches = Switches { extensions, forced_wins: false, ..Switches::ALL };
        strong(&position, switches, &to_depth(1), &[]).line.nodes
    };
    // After an open three its answers, after them whatever answers those.
    assert!(nodes(true) > nodes(false) + 3);
}

#[test]
fn a_forced_win_is_played_exact_and_to_its_end() {
    // Two threes that fours turn into one more: a win by fours.
    let text = "15/15/15/15/15/15/15/4oxxx7/8x6/8x6/8x6/15/15/15/15 b";
    let position = gomoku(text);
    let found = strong(&position, Switches::ALL, &to_depth(1), &[]);
    let score = found.line.score.unwrap();
    assert_eq!((score.value, score.bound), (30_000 - 3, Bound::Exact));
    let mut board = position.clone();
    for mv in &found.expected {
        board.play(&mv.to_string()).unwrap();
    }
    assert!(board.outcome().is_some_and(|outcome| outcome.winner.is_some()));
    // Barred is barred, even if it wins.
    let other = strong(&position, Switches::ALL, &to_depth(1), &found.expected[..1]);
    assert_ne!(other.best, found.best);
}

/// A clock that stops after so many looks.
struct Looks(AtomicU64);

impl HostCalls for Looks {
    fn left(&self) -> u64 {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 0 { 0 } else { u64::MAX }
    }
    fn report(&self, _: &Line) {
        panic!("nobody listens while the opponent thinks");
    }
}

#[test]
fn thinking_ahead_ends_when_told_and_helps_the_next_search() {
    let position = gomoku(QUIET);
    let mut search = StrongGomokuSearch::new(Switches::ALL, 1 << 20);
    search.ponder(&position, &Host::new(Looks(AtomicU64::new(40))));
    let limits = to_depth(6);
    let task = Task { limits: &limits, barred: &[], host: &Host::none() };
    let prepared = search.run(&position, task).line.nodes;
    search.forget();
    let unprepared = search.run(&position, task);
    assert!(prepared < unprepared.line.nodes, "{prepared} of {}", unprepared.line.nodes);
    assert_eq!(unprepared.line, strong(&position, Switches::ALL, &limits, &[]).line);
}
