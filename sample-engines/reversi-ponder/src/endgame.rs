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

pub use order::{Guess, Mobility};
use search::Searcher;
use stable::Stable;
use table::{Key, Table};

#[cfg(test)]
mod tests;

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
}

impl<G: Guess> Solver<G> {
    /// A solver whose table takes at most so many bytes.
    pub fn new(table_bytes: usize, guess: G) -> Self {
        Self { table: Table::new(table_bytes), stable: Stable::new(), guess }
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
        let mut searcher = Searcher::new(&self.table, &self.stable, &self.guess, stop);
        let bounds = searcher.bounds(task, task.expected.unwrap_or_else(|| self.expected(task)));
        let line = searcher.line(task.own, task.opponent, bounds);
        Solution {
            lower: bounds.lower,
            upper: bounds.upper,
            line,
            nodes: searcher.nodes,
            complete: bounds.meet(task),
        }
    }

    fn expected(&self, task: &Task) -> i32 {
        let seen = self.guess.see(task.own, task.opponent);
        self.guess.guess(&seen, task.own, task.opponent, true) / 8
    }
}
