//! Several searches of one position at the same time, by threads of a native engine or by instances
//! in a sandbox. The threads share through hosts made here what instances share through their host.
//!
//! Helpers share the transposition table: each searches the position on its own, some to other
//! depths, and uses what the others have stored ("Lazy SMP": D. Homan's "ExChess", 2013, as in
//! "Stockfish" since 2015). Or they take the root's moves in turns
//! ([`root_splitting`](super::root_splitting)).

use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};
use std::thread;

use sandboard_abi::limits::CELLS;
use sandboard_abi::{CellOp, Level, Limits, Line, View};
use sandboard_games::Rules;

use super::abdada::MARKS;
use super::budget::Budget;
use super::root::{RootResult, root_moves, search_iteration};
use super::search_thread::SearchThread;
use super::{MAX_PLY, ParallelMode};
use crate::analyzer::Analyzer;
use crate::evaluator::Evaluator;
use crate::host::{Host, HostCalls, Team};

/// Which depths the helpers skip: blocks of `count` depths are searched and skipped in turns,
/// shifted by `offset`. The first helper skips none: marks keep it from repeating work. Two threads
/// reached depth 11 in xiangqi with 1.2 times the nodes of one, and with 1.6 times if they searched
/// different depths.
const SKIPS: [(u32, u32); 8] = [(0, 0), (1, 0), (0, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)];

/// Whether a helper skips this depth.
fn is_skipped(helper: u16, depth: u32) -> bool {
    let (count, offset) = SKIPS[usize::from(helper.max(1) - 1) % SKIPS.len()];
    count > 0 && !((depth + offset) / count).is_multiple_of(2)
}

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> SearchThread<R, A, E> {
    /// Helps the leader with this position, until the host stops the helper or the search is
    /// complete.
    pub(super) fn help(&mut self, mode: ParallelMode) {
        self.defers_moves = mode == ParallelMode::SharedTable;
        match mode {
            ParallelMode::SharedTable => self.help_by_table(),
            ParallelMode::RootSplitting => self.help_split_root(),
        }
        self.budget.share_nodes();
    }

    fn help_by_table(&mut self) {
        let helper = self.budget.host().team().helper;
        let mut root = root_moves(self, &[]);
        let Some(first) = root.first() else { return };
        let mut best = RootResult::unsearched(Some(first.mv));
        for depth in (1..=MAX_PLY).filter(|&depth| !is_skipped(helper, depth)) {
            search_iteration(self, &mut root, &mut best, depth);
            if self.budget.stopped {
                return;
            }
        }
    }
}

/// What the threads of one search share beside the transposition table.
#[derive(Debug)]
pub(super) struct ThreadTeam {
    cells: [AtomicI64; CELLS],
    marks: Vec<AtomicU64>,
    is_over: AtomicBool,
}

impl ThreadTeam {
    pub(super) fn new() -> Arc<Self> {
        let cells = std::array::from_fn(|_| AtomicI64::new(0));
        let marks = (0..MARKS).map(|_| AtomicU64::new(0)).collect();
        Arc::new(Self { cells, marks, is_over: AtomicBool::new(false) })
    }

    /// Runs `search` on the leader, with as many helper threads as the system can start. The
    /// helpers' search threads are kept for the next search.
    ///
    /// All together search at most `nodes` nodes, plus some dozens for each helper. A helper that
    /// panics is dropped, without further effect.
    pub(super) fn run<R, A, E, T>(
        self: Arc<Self>,
        helper_threads: &mut Vec<SearchThread<R, A, E>>,
        leader: &mut SearchThread<R, A, E>,
        mode: ParallelMode,
        position: &R,
        nodes: Option<u64>,
        search: impl FnOnce(&mut SearchThread<R, A, E>) -> T,
    ) -> T
    where
        R: Rules,
        A: Analyzer<R> + Clone + Send,
        E: Evaluator<R> + Clone + Send,
    {
        let (host, switches) = (leader.budget.host().clone(), leader.switches);
        let count = host.team().helpers;
        let limits = Limits { nodes, ..Limits::default() };
        while helper_threads.len() < usize::from(count) {
            helper_threads.push(leader.clone());
        }
        for (helper_thread, helper) in helper_threads.iter_mut().zip(1..=count) {
            let host = self.helper_host(helper, count);
            helper_thread.begin(position, switches, Budget::new(&limits, &host));
            helper_thread.table = leader.table.clone();
        }
        let (result, failed) = thread::scope(|scope| {
            let stop_helpers = StopHelpers(&self);
            let help = |helper_thread: &'_ mut SearchThread<R, A, E>| helper_thread.help(mode);
            let threads: Vec<_> = helper_threads[..usize::from(count)]
                .iter_mut()
                .map_while(|helper_thread| {
                    thread::Builder::new().spawn_scoped(scope, move || help(helper_thread)).ok()
                })
                .collect();
            let result = search(leader);
            drop(stop_helpers);
            let failed = threads.into_iter().filter_map(|thread| thread.join().err()).count();
            (result, failed)
        });
        if failed > 0 {
            helper_threads.clear();
            let text = format!("{failed} of {count} helper threads panicked and were dropped");
            host.log(Level::Warning, &text);
        }
        result
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

    /// The word of a key. The threads have a transposition table of their own, so these words are
    /// marks only.
    #[inline]
    fn mark(&self, key: u64) -> &AtomicU64 {
        &self.marks[(key % MARKS) as usize]
    }

    /// The host of the leading thread: the real one, with the team's cells and marks.
    pub(super) fn leader_host(self: &Arc<Self>, host: &Host, helpers: u16) -> Host {
        let team = Team { helpers, ..Team::ALONE };
        Host::new(LeaderHost { team: self.clone(), host: host.clone() }).in_team(team)
    }

    /// The host of a helping thread.
    pub(super) fn helper_host(self: &Arc<Self>, helper: u16, helpers: u16) -> Host {
        Host::new(HelperHost(self.clone())).in_team(Team { helper, helpers, ..Team::ALONE })
    }
}

/// Stops the helpers when dropped, even if the search panics.
struct StopHelpers<'a>(&'a ThreadTeam);

impl Drop for StopHelpers<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, SeqCst);
    }
}

struct LeaderHost {
    team: Arc<ThreadTeam>,
    host: Host,
}

impl HostCalls for LeaderHost {
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
        self.team.mark(key).load(Relaxed)
    }
    fn store(&self, key: u64, value: u64) {
        self.team.mark(key).store(value, Relaxed);
    }
    fn cell(&self, index: u8, op: CellOp, value: i64) -> i64 {
        self.team.cell(index, op, value)
    }
}

/// A host whose clock ends with the leader's search; it drops reports and logs.
struct HelperHost(Arc<ThreadTeam>);

impl HostCalls for HelperHost {
    #[inline]
    fn left(&self) -> u64 {
        if self.0.is_over.load(SeqCst) { 0 } else { u64::MAX }
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
