//! The search: negamax alpha-beta with iterative deepening over any game's
//! rules, an analyzer and an evaluator. Knows no game, and reads no clock but the host's;
//! without time limits, what it finds and counts depends on position, limits and table
//! alone, unless it searches in a team ([`Team`](crate::Team)): then on the order in which its
//! members come, too, and only what is proved is always the same.

mod budget;
mod cells;
mod equals;
mod expand;
mod far;
mod leave_out;
mod listing;
mod manner;
mod marks;
mod ordering;
mod quiet;
mod root;
mod split;
mod switches;
mod team;
#[cfg(test)]
pub(crate) mod tests;
mod way;
mod worker;

use sandboard_abi::{Limits, Line};
use sandboard_games::Rules;

use crate::analyzer::Analyzer;
use crate::evaluator::Evaluator;
use crate::host::{Host, HostCalls};
use crate::table::Table;

use budget::Budget;
pub use equals::{equals_option, varies};
pub use manner::Manner;
pub use switches::{SWITCHES, Switch, Switches};
use team::Common;
pub use way::{Way, way_option};
use worker::Worker;

/// No search looks further ahead, in plies.
pub const MAX_PLY: u32 = 100;

/// The depth without iterative deepening when the limits name none.
pub const FIXED_DEPTH: u32 = 4;

/// A search with all that it keeps from one move to the next. One serves one
/// game, since hashes and analyzers may not tell variants apart.
///
/// ```
/// use sandboard_sdk::abi::Limits;
/// use sandboard_sdk::games::{Rules, gomoku::{Gomoku, INFO}};
/// use sandboard_sdk::gomoku::{Lines, Windows};
/// use sandboard_sdk::{Host, Search, Switches, Task};
///
/// let variant = INFO.variant("freestyle").unwrap();
/// let mut position = Gomoku::start(&variant);
/// for mv in ["h8", "a1", "h9", "a3", "h10", "a5"] {
///     position.play(mv).unwrap();
/// }
/// let mut search = Search::<Gomoku, Lines, Windows>::new(Switches::ALL, 1 << 20);
/// let limits = Limits { nodes: Some(10_000), ..Limits::default() };
/// let (barred, host) = ([], Host::none());
/// let found = search.run(&position, Task { limits: &limits, barred: &barred, host: &host });
///
/// let mut text = String::new();
/// position.write_move(found.best.unwrap(), &mut text);
/// assert!(["h7", "h11"].contains(&text.as_str()));
/// // A straight four now, a five in three plies.
/// assert_eq!(found.line.score.unwrap().value, 30_000 - 3);
/// ```
#[derive(Clone, Debug)]
pub struct Search<R: Rules, A, E> {
    /// The techniques in use.
    pub switches: Switches,
    /// How a team searches, if the host has one search.
    pub way: Way,
    /// Until the worker has them: no table is there twice.
    parts: Option<Parts<A, E, R::Move>>,
    /// Comes into being with the first position.
    worker: Option<Worker<R, A, E>>,
    /// Those of the threads that help, as far as any did.
    helpers: Vec<Worker<R, A, E>>,
    /// What was found out on the opponent's time, until the next search.
    begun: Option<Begun<R>>,
}

/// A search that may spend fewer nodes than this is no matter for a team.
const TEAM_NODES: u64 = 10_000;

/// A search that was interrupted, with what it had found.
#[derive(Clone, Debug)]
struct Begun<R: Rules> {
    position: R,
    switches: Switches,
    best: root::Best<R::Move>,
}

#[derive(Clone, Debug)]
struct Parts<A, E, M> {
    analyzer: A,
    evaluator: E,
    table: Table<M>,
}

/// What is to be searched beside the position.
#[derive(Debug)]
pub struct Task<'a, R: Rules> {
    /// What the search may spend.
    pub limits: &'a Limits,
    /// Moves that must not be chosen.
    pub barred: &'a [R::Move],
    /// The clock, and who hears of finished iterations.
    pub host: &'a Host,
}

impl<R: Rules> Clone for Task<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Rules> Copy for Task<'_, R> {}

/// What a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<M> {
    /// The move; none if the game is over or every legal move is barred.
    pub best: Option<M>,
    /// The moves that are expected, `best` first.
    pub expected: Vec<M>,
    /// Value, depth, nodes and the expected moves, for the border.
    pub line: Line,
}

impl<R, A, E> Search<R, A, E>
where
    R: Rules,
    A: Analyzer<R> + Clone + Send,
    E: Evaluator<R> + Clone + Send,
{
    /// A search with a table of at most so many bytes. Made as the game begins, in
    /// `started`: the table is filled here, 16 MiB in about 10 ms, and not on the clock of the first move.
    pub fn new(switches: Switches, table_bytes: usize) -> Self
    where
        A: Default,
        E: Default,
    {
        Self::with(A::default(), E::default(), switches, table_bytes)
    }

    /// A search with an analyzer and an evaluator that were made elsewhere.
    pub fn with(analyzer: A, evaluator: E, switches: Switches, table_bytes: usize) -> Self {
        let table = Table::new(table_bytes);
        let parts = Some(Parts { analyzer, evaluator, table });
        let (worker, helpers, begun) = (None, Vec::new(), None);
        Self { switches, way: Way::default(), parts, worker, helpers, begun }
    }

    /// The same search, in this way where a team has it.
    pub fn in_way(self, way: Way) -> Self {
        Self { way, ..self }
    }

    /// Forgets what earlier searches found out.
    pub fn forget(&mut self) {
        self.begun = None;
        if let Some(worker) = &mut self.worker {
            worker.table.clear();
            worker.analyzer.forget();
        }
    }

    /// Thinks about this position until the host has nothing left for it, and nobody hears of
    /// it: what it finds out stays in the table. If the next search is one of this very
    /// position, it goes on where this one ended.
    pub fn ponder(&mut self, position: &R, host: &Host) {
        let host = Host::new(Silent(host.clone()));
        let task = Task { limits: &Limits::default(), barred: &[], host: &host };
        let (_, best) = self.search(position, task);
        self.begun = Some(Begun { position: position.clone(), switches: self.switches, best });
    }

    /// Chooses a move. Of the iterations, the deepest finished one counts, or a
    /// better move of the unfinished one if that has come past the former best. From the
    /// first moment on a move is reported, before a node is searched.
    ///
    /// Of a position that it has just pondered on, it searches no iteration again, unless the
    /// limits are of less than that depth or moves are barred.
    pub fn run(&mut self, position: &R, task: Task<'_, R>) -> Found<R::Move> {
        self.search(position, task).0
    }

    fn search(&mut self, position: &R, task: Task<'_, R>) -> (Found<R::Move>, root::Best<R::Move>) {
        let begun = self.begun.take().filter(|begun| {
            let depth = task.limits.depth.unwrap_or(MAX_PLY);
            let same = begun.position == *position && begun.switches == self.switches;
            same && task.barred.is_empty() && begun.best.depth <= depth
        });
        let (team, way) = (task.host.team(), self.way);
        if team.helper > 0 {
            let worker = self.prepare(position, Budget::new(&Limits::default(), task.host));
            worker.help(way);
            return root::unsearched(worker);
        }
        let is_worth_it = task.limits.nodes.is_none_or(|nodes| nodes >= TEAM_NODES);
        let common = (is_worth_it && team.threads > 1).then(Common::new);
        let led = common.as_ref().map(|common| common.leader(task.host, team.threads - 1));
        let task = Task { host: led.as_ref().unwrap_or(task.host), ..task };
        let worker = self.prepare(position, Budget::new(task.limits, task.host));
        let is_helped = is_worth_it && task.host.team().helpers > 0;
        worker.splits_root = is_helped && way == Way::RootSplitting;
        worker.defers = is_helped && way == Way::SharedTable;
        let search = |worker: &mut _| root::run(worker, task, begun.map(|begun| begun.best));
        match (common, &mut self.worker) {
            (Some(common), Some(worker)) => {
                common.run(&mut self.helpers, worker, way, position, task.limits.nodes, search)
            }
            (_, Some(worker)) => search(worker),
            (_, None) => unreachable!("a worker was prepared"),
        }
    }

    /// The worker, with this position before it.
    fn prepare(&mut self, position: &R, budget: Budget) -> &mut Worker<R, A, E> {
        let parts = self.parts.take();
        let worker = self.worker.get_or_insert_with(|| {
            let parts = parts.expect("a search has its parts until a worker has them");
            Worker::new(position, parts, budget.clone())
        });
        worker.table.next_search();
        worker.begin(position, self.switches, budget);
        worker
    }
}

/// A clock and nothing else.
struct Silent(Host);

impl HostCalls for Silent {
    fn left(&self) -> u64 {
        self.0.left()
    }
}
