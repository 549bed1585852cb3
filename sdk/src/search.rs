//! The search: negamax alpha-beta with iterative deepening over any game's rules, an analyzer and
//! an evaluator. Knows no game, and reads no clock but the host's.
//!
//! Without time limits, results and node counts depend on the position, the limits and the
//! transposition table alone. In a [`Team`](crate::Team) they also depend on the order in which the
//! members run; only proved results are always the same.

mod abdada;
pub(crate) mod budget;
mod equal_moves;
mod move_list;
mod move_loop;
mod move_ordering;
mod parallel_mode;
mod params;
mod pruning;
mod quiescence;
mod remote_table;
mod root;
mod root_splitting;
mod search_thread;
mod shared_root;
mod switches;
mod team;
#[cfg(test)]
pub(crate) mod tests;

use sandboard_abi::{Limits, Line};
use sandboard_games::Rules;

use crate::analyzer::Analyzer;
use crate::evaluator::Evaluator;
use crate::host::{Host, HostCalls};
use crate::transposition_table::TranspositionTable;

use budget::Budget;
pub use equal_moves::{equal_moves_option, wants_random_equal_move};
pub use parallel_mode::{ParallelMode, parallel_option};
pub use params::SearchParams;
use root::RootResult;
use search_thread::SearchThread;
pub use switches::{SWITCHES, Switch, Switches};
use team::ThreadTeam;

/// The largest depth of any search, in plies from the root.
pub const MAX_PLY: u32 = 100;

/// The depth in plies of a search without iterative deepening if the limits name none.
pub const FIXED_DEPTH: u32 = 4;

/// A search with all that it keeps from one move to the next.
///
/// Use one for one game: hashes and analyzers may not distinguish variants.
///
/// ```
/// use sandboard_sdk::abi::Limits;
/// use sandboard_sdk::games::{Rules, gomoku::{Gomoku, INFO}};
/// use sandboard_sdk::gomoku::{LineAnalyzer, WindowEvaluator};
/// use sandboard_sdk::{Host, Search, SearchTask, Switches};
///
/// let variant = INFO.variant("freestyle").unwrap();
/// let mut position = Gomoku::start(&variant);
/// for mv in ["h8", "a1", "h9", "a3", "h10", "a5"] {
///     position.play(mv).unwrap();
/// }
/// let mut search = Search::<Gomoku, LineAnalyzer, WindowEvaluator>::new(Switches::ALL, 1 << 20);
/// let limits = Limits { nodes: Some(10_000), ..Limits::default() };
/// let task = SearchTask { limits: &limits, barred: &[], host: &Host::null() };
/// let result = search.run(&position, task);
///
/// let mut text = String::new();
/// position.write_move(result.best.unwrap(), &mut text);
/// assert!(["h7", "h11"].contains(&text.as_str()));
/// // A straight four now, a five in three plies.
/// assert_eq!(result.line.score.unwrap().value, 30_000 - 3);
/// ```
#[derive(Clone, Debug)]
pub struct Search<R: Rules, A, E> {
    /// The techniques in use.
    pub switches: Switches,
    /// How the members of a team search together.
    pub parallel_mode: ParallelMode,
    /// The parts of the main thread until it is made, so that no table exists twice.
    parts: Option<SearchParts<A, E, R::Move>>,
    /// Made for the first position.
    main_thread: Option<SearchThread<R, A, E>>,
    /// The helping threads, kept for the next search.
    helper_threads: Vec<SearchThread<R, A, E>>,
    /// The search on the opponent's time, until the next search.
    ponder_result: Option<PonderResult<R>>,
}

/// A search limited to fewer nodes than this uses one thread only.
const TEAM_NODES_MIN: u64 = 10_000;

/// The result of an interrupted search on the opponent's time.
#[derive(Clone, Debug)]
struct PonderResult<R: Rules> {
    position: R,
    switches: Switches,
    result: RootResult<R::Move>,
}

#[derive(Clone, Debug)]
struct SearchParts<A, E, M> {
    analyzer: A,
    evaluator: E,
    table: TranspositionTable<M>,
}

/// The conditions of a search, beside the position.
#[derive(Debug)]
pub struct SearchTask<'a, R: Rules> {
    /// What the search may spend.
    pub limits: &'a Limits,
    /// Moves that must not be chosen.
    pub barred: &'a [R::Move],
    /// The clock, the team, and the receiver of finished iterations.
    pub host: &'a Host,
}

impl<R: Rules> Clone for SearchTask<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Rules> Copy for SearchTask<'_, R> {}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult<M> {
    /// The best move; `None` if the game is over or every legal move is barred.
    pub best: Option<M>,
    /// The principal variation, `best` first.
    pub expected: Vec<M>,
    /// Value, depth, nodes and principal variation, for the host.
    pub line: Line,
}

impl<R, A, E> Search<R, A, E>
where
    R: Rules,
    A: Analyzer<R> + Clone + Send,
    E: Evaluator<R> + Clone + Send,
{
    /// A search with default parts and a transposition table of at most this many bytes.
    ///
    /// Make it in [`Chooser::started`](crate::Chooser::started): it fills the table, which takes
    /// about 10 ms for 16 MiB, and that time should not count for the first move.
    pub fn new(switches: Switches, table_bytes: usize) -> Self
    where
        A: Default,
        E: Default,
    {
        Self::with_parts(A::default(), E::default(), switches, table_bytes)
    }

    /// A search with this analyzer and this evaluator, like [`new`](Self::new) otherwise.
    pub fn with_parts(analyzer: A, evaluator: E, switches: Switches, table_bytes: usize) -> Self {
        let table = TranspositionTable::new(table_bytes);
        Self {
            switches,
            parallel_mode: ParallelMode::default(),
            parts: Some(SearchParts { analyzer, evaluator, table }),
            main_thread: None,
            helper_threads: Vec::new(),
            ponder_result: None,
        }
    }

    /// The same search with this mode for teams.
    pub fn with_parallel_mode(self, parallel_mode: ParallelMode) -> Self {
        Self { parallel_mode, ..self }
    }

    /// Clears what earlier searches found: transposition table, proofs, and pondering.
    pub fn clear(&mut self) {
        self.ponder_result = None;
        if let Some(thread) = &mut self.main_thread {
            thread.table.clear();
            thread.analyzer.clear();
        }
    }

    /// Searches this position until the host has nothing left for it, and reports nothing. The
    /// results stay in the transposition table. If the next search is of the same position, it
    /// continues this one.
    pub fn ponder(&mut self, position: &R, host: &Host) {
        let host = Host::new(ClockOnlyHost(host.clone()));
        let task = SearchTask { limits: &Limits::default(), barred: &[], host: &host };
        let (_, result) = self.search(position, task);
        let (position, switches) = (position.clone(), self.switches);
        self.ponder_result = Some(PonderResult { position, switches, result });
    }

    /// Chooses a move.
    ///
    /// The result is that of the deepest finished iteration. An unfinished iteration counts if it
    /// has searched the previous best move and found a better one. A move is reported before the
    /// first node is searched.
    ///
    /// Does not repeat iterations of a [`ponder`](Self::ponder) on the same position, unless moves
    /// are barred or the limits allow less than its depth.
    pub fn run(&mut self, position: &R, task: SearchTask<'_, R>) -> SearchResult<R::Move> {
        self.search(position, task).0
    }

    fn search(
        &mut self,
        position: &R,
        task: SearchTask<'_, R>,
    ) -> (SearchResult<R::Move>, RootResult<R::Move>) {
        let pondered = self.ponder_result.take().filter(|pondered| {
            let depth = task.limits.depth.unwrap_or(MAX_PLY);
            let same = pondered.position == *position && pondered.switches == self.switches;
            same && task.barred.is_empty() && pondered.result.depth <= depth
        });
        let (team, mode) = (task.host.team(), self.parallel_mode);
        if team.helper > 0 {
            let thread = self.prepare(position, Budget::new(&Limits::default(), task.host));
            thread.help(mode);
            return root::unsearched(thread);
        }
        let is_worth_team = task.limits.nodes.is_none_or(|nodes| nodes >= TEAM_NODES_MIN);
        // A WebAssembly module has no threads; its host runs helpers as instances instead.
        let has_threads = !cfg!(target_family = "wasm") && team.threads > 1;
        let thread_team = (is_worth_team && has_threads).then(ThreadTeam::new);
        let leader_host =
            thread_team.as_ref().map(|shared| shared.leader_host(task.host, team.threads - 1));
        let task = SearchTask { host: leader_host.as_ref().unwrap_or(task.host), ..task };
        let thread = self.prepare(position, Budget::new(task.limits, task.host));
        let is_helped = is_worth_team && task.host.team().helpers > 0;
        thread.splits_root = is_helped && mode == ParallelMode::RootSplitting;
        thread.defers_moves = is_helped && mode == ParallelMode::SharedTable;
        let search =
            |thread: &mut _| root::run(thread, task, pondered.map(|pondered| pondered.result));
        match (thread_team, &mut self.main_thread) {
            (Some(thread_team), Some(main)) => {
                let helpers = &mut self.helper_threads;
                thread_team.run(helpers, main, mode, position, task.limits.nodes, search)
            }
            (_, Some(thread)) => search(thread),
            (_, None) => unreachable!("`prepare` made the main thread"),
        }
    }

    /// The main thread, set up for a search of this position.
    fn prepare(&mut self, position: &R, budget: Budget) -> &mut SearchThread<R, A, E> {
        let parts = self.parts.take();
        let thread = self.main_thread.get_or_insert_with(|| {
            let parts = parts.expect("a search keeps its parts until its main thread has them");
            SearchThread::new(position, parts, budget.clone())
        });
        thread.table.start_search();
        thread.begin(position, self.switches, budget);
        thread
    }
}

/// A host that passes on the clock, and drops reports.
struct ClockOnlyHost(Host);

impl HostCalls for ClockOnlyHost {
    fn left(&self) -> u64 {
        self.0.left()
    }
}
