//! Several searches of one position at the same time: who leads, who helps, and how threads of
//! a native engine do what instances in a sandbox do through their host. Helpers share the
//! table: each searches the position on its own, some to other depths, and finds what the
//! others have found out ("lazy SMP": D. Homan's "ExChess", 2013, as in "Stockfish" since 2015);
//! or they take the moves of the root in turns ([`split`](super::split)).

use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};
#[cfg(not(target_family = "wasm"))]
use std::thread;

use sandboard_abi::limits::CELLS;
use sandboard_abi::{CellOp, Level, Limits, Line, View};
use sandboard_games::Rules;

use super::budget::Budget;
use super::marks::MARKS;
use super::root::{Best, iterate_around, moves_in_question};
use super::worker::Worker;
use super::{MAX_PLY, Way};
use crate::analyzer::Analyzer;
use crate::evaluator::Evaluator;
use crate::host::{Host, HostCalls, Team};

/// Which depths helpers leave out: of the plies of an iteration so many in turns, from where
/// on. The first leaves out none: what it would search twice, marks keep it from. Two workers came
/// to depth 11 in xiangqi with 1.2 times the nodes of one, and with 1.6 times if they were at
/// different depths.
const SKIPS: [(u32, u32); 8] = [(0, 0), (1, 0), (0, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)];

/// Whether a helper leaves out this depth.
fn is_skipped(helper: u16, depth: u32) -> bool {
    let (count, from) = SKIPS[usize::from(helper.max(1) - 1) % SKIPS.len()];
    count > 0 && !((depth + from) / count).is_multiple_of(2)
}

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> Worker<R, A, E> {
    /// Helps whoever searches this position, until told to stop or nothing is left to be found.
    pub(super) fn help(&mut self, way: Way) {
        self.defers = way == Way::SharedTable;
        match way {
            Way::SharedTable => self.help_by_table(),
            Way::RootSplitting => self.help_to_split(),
        }
        self.budget.tell();
    }

    fn help_by_table(&mut self) {
        let helper = self.budget.host().team().helper;
        let mut root = moves_in_question(self, &[]);
        let Some(first) = root.first() else { return };
        let mut best = Best::unsearched(Some(first.mv));
        for depth in (1..=MAX_PLY).filter(|&depth| !is_skipped(helper, depth)) {
            iterate_around(self, &mut root, &mut best, depth);
            if self.budget.stopped {
                return;
            }
        }
    }
}

/// What the threads of one search share beside the table.
#[derive(Debug)]
pub(super) struct Common {
    cells: [AtomicI64; CELLS],
    marks: Vec<AtomicU64>,
    over: AtomicBool,
}

impl Common {
    pub(super) fn new() -> Arc<Self> {
        let cells = std::array::from_fn(|_| AtomicI64::new(0));
        let marks = (0..MARKS).map(|_| AtomicU64::new(0)).collect();
        Arc::new(Self { cells, marks, over: AtomicBool::new(false) })
    }

    /// Lets `search` lead, and threads help it as far as the system gives any, with workers of
    /// their own that are kept for the next time; all together search so many nodes at most, and
    /// some dozens of each more. One that panics is lost, and nothing else.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn run<R, A, E, T>(
        self: Arc<Self>,
        workers: &mut Vec<Worker<R, A, E>>,
        leader: &mut Worker<R, A, E>,
        way: Way,
        position: &R,
        nodes: Option<u64>,
        search: impl FnOnce(&mut Worker<R, A, E>) -> T,
    ) -> T
    where
        R: Rules,
        A: Analyzer<R> + Clone + Send,
        E: Evaluator<R> + Clone + Send,
    {
        let (host, switches) = (leader.budget.host().clone(), leader.switches);
        let count = host.team().helpers;
        let limits = Limits { nodes, ..Limits::default() };
        while workers.len() < usize::from(count) {
            workers.push(leader.clone());
        }
        for (worker, helper) in workers.iter_mut().zip(1..=count) {
            let host = self.helper(helper, count);
            worker.begin(position, switches, Budget::new(&limits, &host));
            worker.table = leader.table.clone();
        }
        let (result, failed) = thread::scope(|scope| {
            let end = End(&self);
            let help = |worker: &'_ mut Worker<R, A, E>| worker.help(way);
            let threads: Vec<_> = workers[..usize::from(count)]
                .iter_mut()
                .map_while(|worker| {
                    thread::Builder::new().spawn_scoped(scope, move || help(worker)).ok()
                })
                .collect();
            let result = search(leader);
            drop(end);
            let failed = threads.into_iter().filter_map(|thread| thread.join().err()).count();
            (result, failed)
        });
        if failed > 0 {
            workers.clear();
            let text =
                format!("{failed} of {count} threads that helped panicked: they are left out");
            host.log(Level::Warning, &text);
        }
        result
    }

    /// There are no threads here.
    #[cfg(target_family = "wasm")]
    pub(super) fn run<R: Rules, A, E, T>(
        self: Arc<Self>,
        _workers: &mut Vec<Worker<R, A, E>>,
        leader: &mut Worker<R, A, E>,
        _way: Way,
        _position: &R,
        _nodes: Option<u64>,
        search: impl FnOnce(&mut Worker<R, A, E>) -> T,
    ) -> T {
        search(leader)
    }

    fn cell(&self, index: u8, op: CellOp, value: i64) -> i64 {
        let Some(cell) = self.cells.get(usize::from(index)) else { return 0 };
        match op {
            CellOp::Get => cell.load(SeqCst),
            CellOp::Put => cell.swap(value, SeqCst),
            CellOp::Add => cell.fetch_add(value, SeqCst),
            CellOp::Max => cell.fetch_max(value, SeqCst),
        }
    }

    /// The word under a key; the table of positions is the threads' own, and only marks are here.
    #[inline]
    fn mark(&self, key: u64) -> &AtomicU64 {
        &self.marks[(key % MARKS) as usize]
    }

    /// The host of the thread that leads: the real one, and the cells.
    pub(super) fn leader(self: &Arc<Self>, host: &Host, helpers: u16) -> Host {
        let team = Team { helpers, ..Team::ALONE };
        Host::new(Leading { common: self.clone(), host: host.clone() }).in_team(team)
    }

    /// The host of a thread that helps.
    pub(super) fn helper(self: &Arc<Self>, helper: u16, helpers: u16) -> Host {
        Host::new(Helping(self.clone())).in_team(Team { helper, helpers, ..Team::ALONE })
    }
}

/// Tells the helpers to stop, however the search ends.
struct End<'a>(&'a Common);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, SeqCst);
    }
}

struct Leading {
    common: Arc<Common>,
    host: Host,
}

impl HostCalls for Leading {
    fn report(&self, line: &Line) {
        self.host.report(line);
    }
    fn log(&self, level: Level, text: &str) {
        self.host.log(level, text);
    }
    #[inline]
    fn left(&self) -> u64 {
        self.host.left()
    }
    fn legal(&self, moves: &str) -> Result<String, String> {
        self.host.legal(moves)
    }
    fn look(&self, moves: &str) -> Result<View, String> {
        self.host.look(moves)
    }
    fn asset(&self, name: &str, offset: u64, length: u32) -> Result<Vec<u8>, String> {
        self.host.asset(name, offset, length)
    }
    fn probe(&self, key: u64) -> u64 {
        self.common.mark(key).load(Relaxed)
    }
    fn store(&self, key: u64, value: u64) {
        self.common.mark(key).store(value, Relaxed);
    }
    fn cell(&self, index: u8, op: CellOp, value: i64) -> i64 {
        self.common.cell(index, op, value)
    }
}

/// A host that knows when it is over, and nothing else.
struct Helping(Arc<Common>);

impl HostCalls for Helping {
    #[inline]
    fn left(&self) -> u64 {
        if self.0.over.load(SeqCst) { 0 } else { u64::MAX }
    }
    fn probe(&self, key: u64) -> u64 {
        self.0.mark(key).load(Relaxed)
    }
    fn store(&self, key: u64, value: u64) {
        self.0.mark(key).store(value, Relaxed);
    }
    fn cell(&self, index: u8, op: CellOp, value: i64) -> i64 {
        self.0.cell(index, op, value)
    }
}
