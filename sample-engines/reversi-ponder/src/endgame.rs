//! The endgame solver: the exact score of a position with perfect play, the best move, and the line
//! of play. Evaluations only order moves; results are proofs.

mod last_squares;
mod move_ordering;
mod root;
mod search;
mod squares;
mod stability;
mod table;
mod team;

use move_ordering::LookAhead;
pub use move_ordering::{MobilityEvaluator, OrderingEvaluator};
use search::{STOP_CHECK_NODES, STOP_CHECK_TEAM_NODES, Searcher, SharedParts};
use stability::StabilityTable;
use table::{Key, Table};
use team::{SPLIT_EMPTIES_MIN, Team};

#[cfg(test)]
mod tests;

/// The depth of the search for the expected score, in plies.
const EXPECTED_DEPTH: u32 = 4;

/// A position to solve, with the window of scores of interest.
#[derive(Clone, Debug)]
pub struct SolverTask {
    /// The discs of the side to move, as in [`sandboard_sdk::games::reversi::bits`].
    pub own: u64,
    /// The opponent's discs.
    pub opponent: u64,
    /// Scores up to this need not be distinguished; -64: all scores are.
    pub alpha: i32,
    /// Scores from this on need not be distinguished; 64: all scores are.
    pub beta: i32,
    /// The expected score, at which the proof begins; `None`: unknown.
    pub expected: Option<i32>,
    /// The move to search first.
    pub first: Option<u32>,
}

impl SolverTask {
    /// A task for the exact score, without prior knowledge.
    pub fn exact(own: u64, opponent: u64) -> Self {
        Self { own, opponent, alpha: -64, beta: 64, expected: None, first: None }
    }
}

/// The proved result. A score is the final discs of the side to move minus the opponent's; empty
/// squares count for the winner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The score is at least this.
    pub lower: i32,
    /// The score is at most this; equal to `lower` if the solution is exact.
    pub upper: i32,
    /// The expected moves, the best one first; `None` is a pass. If the solution is exact, they go
    /// to the end of the game.
    pub line: Vec<Option<u32>>,
    /// The number of visited positions, including the last ones before a full board.
    pub nodes: u64,
    /// Whether the task is proved; if not, the search was stopped.
    pub complete: bool,
}

/// The solver. It keeps proved results from task to task.
pub struct Solver<G> {
    table: Table,
    stability: StabilityTable,
    evaluator: G,
    threads: usize,
}

impl<G: OrderingEvaluator + Sync> Solver<G> {
    /// A solver with a table of at most this many bytes. `evaluator` orders moves.
    pub fn new(table_bytes: usize, evaluator: G) -> Self {
        Self {
            table: Table::new(table_bytes),
            stability: StabilityTable::new(),
            evaluator,
            threads: 1,
        }
    }

    /// The same solver with this many threads for each task; always one in wasm. Scores do not
    /// depend on it, but node counts do, and the choice among equal moves.
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads: if cfg!(target_family = "wasm") { 1 } else { threads }, ..self }
    }

    /// The approximate number of positions visited between two calls of `stop`.
    pub fn nodes_between_stop_checks(&self) -> u64 {
        if self.threads > 1 { STOP_CHECK_TEAM_NODES } else { STOP_CHECK_NODES }
    }

    /// Removes all stored results.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// Solves a task. Stops if `stop` returns true; it is called every few thousand positions.
    pub fn solve(&mut self, task: &SolverTask, stop: &mut dyn FnMut() -> bool) -> Solution {
        self.table.age();
        if let Some(first) = task.first {
            self.table.suggest_move(Key::of(task.own, task.opponent), first as u8);
        }
        let expected = task.expected.unwrap_or_else(|| self.expected_score(task));
        let team = Team::default();
        let mut searcher = Searcher::new(self.parts(), stop);
        let empties = (!(task.own | task.opponent)).count_ones();
        let (bounds, helper_nodes) = if self.threads > 1 && empties > SPLIT_EMPTIES_MIN {
            searcher.team = Some(&team);
            team.run(self.threads - 1, self.parts(), || searcher.prove_bounds(task, expected))
        } else {
            (searcher.prove_bounds(task, expected), 0)
        };
        let line = searcher.line(task.own, task.opponent, bounds);
        Solution {
            lower: bounds.lower,
            upper: bounds.upper,
            line,
            nodes: searcher.nodes + helper_nodes,
            complete: bounds.settle(task),
        }
    }

    fn parts(&self) -> SharedParts<'_, G> {
        SharedParts { table: &self.table, stability: &self.stability, evaluator: &self.evaluator }
    }

    /// The score expected by a shallow search.
    fn expected_score(&self, task: &SolverTask) -> i32 {
        let look_ahead = LookAhead::new(&self.evaluator, task.own, task.opponent);
        look_ahead.position_value(task.own, EXPECTED_DEPTH) / 8
    }
}
