//! Exact play of the last empty squares: the score that a position is worth with
//! perfect play, the move that gets it, and how play goes on. Nothing is estimated:
//! guesses only order moves.

mod last;
mod order;
mod root;
mod search;
mod squares;
mod stable;
mod table;
mod team;

use order::Ahead;
pub use order::{Guess, Mobility};
use search::{ASK_NODES, ASK_TEAM_NODES, Parts, Searcher};
use stable::Stable;
use table::{Key, Table};
use team::{SPLIT_FROM, Team};

#[cfg(test)]
mod tests;

/// So many plies ahead is looked for the score to expect.
const EXPECTED_DEPTH: u32 = 4;

/// What is to be solved.
#[derive(Clone, Debug)]
pub struct Task {
    /// The mover's discs, as in [`sandboard_sdk::games::reversi::bits`].
    pub own: u64,
    /// The opponent's.
    pub opponent: u64,
    /// Scores up to this need not be told apart; -64: none.
    pub alpha: i32,
    /// Scores from this on need not be told apart; 64: none.
    pub beta: i32,
    /// About what score to expect, if anything is known of it: the proof begins there.
    pub expected: Option<i32>,
    /// The move to try first.
    pub first: Option<u32>,
}

impl Task {
    /// The exact score of a position, of which nothing is known.
    pub fn exact(own: u64, opponent: u64) -> Self {
        Self { own, opponent, alpha: -64, beta: 64, expected: None, first: None }
    }
}

/// What is proved. A score is the mover's final discs less the opponent's, empty
/// squares to the winner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The score is at least this.
    pub lower: i32,
    /// The score is at most this; equal to `lower` in a solution that is exact.
    pub upper: i32,
    /// How play goes on from here, beginning with the move to play; `None` is a pass.
    /// Best play to the end if the solution is exact.
    pub line: Vec<Option<u32>>,
    /// How many positions were visited, the last ones before a full board included.
    pub nodes: u64,
    /// Whether what was asked for is proved; if not, the search was stopped.
    pub complete: bool,
}

/// The solver, which keeps what it has proved from task to task.
pub struct Solver<G> {
    table: Table,
    stable: Stable,
    guess: G,
    threads: usize,
}

impl<G: Guess + Sync> Solver<G> {
    /// A solver whose table takes at most so many bytes.
    pub fn new(table_bytes: usize, guess: G) -> Self {
        Self { table: Table::new(table_bytes), stable: Stable::new(), guess, threads: 1 }
    }

    /// The same with so many threads for each task, where there are threads at all. Scores
    /// do not depend on it; nodes do, and among equal moves the one that is found.
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads: if cfg!(target_family = "wasm") { 1 } else { threads }, ..self }
    }

    /// About how many positions are visited between two questions whether to stop.
    pub fn nodes_between_questions(&self) -> u64 {
        if self.threads > 1 { ASK_TEAM_NODES } else { ASK_NODES }
    }

    /// Forgets what it has proved.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// Solves; `stop` is asked every few thousand positions whether to give up.
    pub fn solve(&mut self, task: &Task, stop: &mut dyn FnMut() -> bool) -> Solution {
        self.table.age();
        if let Some(first) = task.first {
            self.table.suggest(Key::of(task.own, task.opponent), first as u8);
        }
        let expected = task.expected.unwrap_or_else(|| self.expected(task));
        let team = Team::default();
        let mut searcher = Searcher::new(self.parts(), stop);
        let empties = (!(task.own | task.opponent)).count_ones();
        let (bounds, helped) = if self.threads > 1 && empties > SPLIT_FROM {
            searcher.team = Some(&team);
            team.run(self.threads - 1, self.parts(), || searcher.bounds(task, expected))
        } else {
            (searcher.bounds(task, expected), 0)
        };
        let line = searcher.line(task.own, task.opponent, bounds);
        Solution {
            lower: bounds.lower,
            upper: bounds.upper,
            line,
            nodes: searcher.nodes + helped,
            complete: bounds.meet(task),
        }
    }

    fn parts(&self) -> Parts<'_, G> {
        Parts { table: &self.table, stable: &self.stable, guess: &self.guess }
    }

    /// What a short look ahead expects.
    fn expected(&self, task: &Task) -> i32 {
        Ahead::new(&self.guess, task.own, task.opponent).whole(task.own, EXPECTED_DEPTH) / 8
    }
}
