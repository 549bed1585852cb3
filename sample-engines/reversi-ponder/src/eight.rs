//! How 8×8 is played: looking ahead, and solving as soon as that fits into the
//! budget. Decides what is asked; searches nothing itself.

use sandboard_sdk::abi::{Bound, Limits, Line};
use sandboard_sdk::games::reversi::{Move, Reversi};
use sandboard_sdk::{Found, Host, Noise, Noisy, Reply, Search, Switches, Task};

use crate::endgame::Solver;
use crate::ending::{self, Ended, Question};
use crate::eval::Weights;
use crate::midgame::{FewAnswers, Patterns};
use crate::share::{Budget, Ending, Pace};

/// The techniques that pay: late moves of reversi are not worse than others by so
/// much that they could be searched less deep without asking, which probable cuts do.
pub const SWITCHES: Switches =
    Switches { aspiration: true, probable_cuts: true, ..Switches::CLASSIC };

/// The search of 8×8.
pub type EightSearch = Search<Reversi, FewAnswers, Noisy<Patterns>>;

/// Who plays 8×8, with all that is kept from one move to the next.
pub struct Eight {
    search: EightSearch,
    solver: Solver<&'static Weights>,
    pace: Pace,
    /// With how many empty squares at most the last move's budget would have sufficed to solve.
    reach: u32,
    /// What was begun on the opponent's time.
    begun: Option<Begun>,
}

/// An end that was solved on the opponent's time, as far as that went.
struct Begun {
    position: Reversi,
    /// What looking ahead had found before.
    looked: Found<Move>,
    /// How many positions the solver has visited.
    visited: u64,
}

/// What is looked ahead before solving on the opponent's time, in nodes: some milliseconds.
const PONDER_LOOK_NODES: u64 = 20_000;

impl Eight {
    /// Half of the memory for positions, half for endings; so many threads solve.
    pub fn new(caution: i32, noise: Noise, table_bytes: usize, threads: usize) -> Self {
        let evaluator = Noisy { evaluator: Patterns::new(Weights::own(), caution), noise };
        Self {
            search: Search::with(FewAnswers, evaluator, SWITCHES, table_bytes / 2),
            solver: Solver::new(table_bytes / 2, Weights::own()).with_threads(threads),
            pace: Pace::UNKNOWN,
            reach: 0,
            begun: None,
        }
    }

    /// Looks ahead and, where that fits, solves the end.
    pub fn choose(&mut self, position: &Reversi, task: Task<'_, Reversi>) -> Reply<Reversi> {
        if task.host.team().helper > 0 {
            // What a search finds, its leader finds in the table; of endings nothing is shared.
            return reply(self.search.run(position, task));
        }
        let budget = Budget::new(task.limits, task.host);
        let begun = self.begun.take().filter(|begun| begun.position == *position);
        let begun = begun.filter(|_| task.barred.is_empty());
        let visited = begun.as_ref().map_or(0, |begun| begun.visited);
        let ending = budget.ending(position.empties(), self.pace, visited);
        self.reach = budget.reach(self.pace);
        if ending == Ending::TooFar {
            return reply(self.search.run(position, task));
        }
        let looked = match begun {
            Some(begun) => {
                task.host.report(&begun.looked.line);
                begun.looked
            }
            None => {
                let (limits, host) = budget.for_looking(task.host);
                self.search.run(position, Task { limits: &limits, host: &host, ..task })
            }
        };
        let proved = looked.line.score.is_some_and(|score| score.bound == Bound::Exact);
        if proved || looked.best.is_none() {
            return reply(looked);
        }
        match self.solve(position, task, budget, ending, &looked) {
            Some((mv, line)) => Reply::play(mv).with_line(line),
            None => reply(looked),
        }
    }

    /// Thinks about this position on the opponent's time. Since that is about as long as a move's
    /// own, an end is solved one square earlier than on the own time alone; what is proved stays in
    /// the solver's table, and the next choice goes on there.
    pub fn ponder(&mut self, position: &Reversi, host: &Host) {
        self.begun = None;
        if position.empties() > self.reach + 1 {
            self.search.ponder(position, host);
            return;
        }
        let limits = Limits { nodes: Some(PONDER_LOOK_NODES), ..Limits::default() };
        let mut looked = self.search.run(position, Task { limits: &limits, barred: &[], host });
        let question = Question {
            position,
            barred: &[],
            first: looked.best,
            expected: looked.line.score.map(|score| score.value),
            window: (-64, 64),
        };
        let (mut visited, more) = (0, self.solver.nodes_between_questions());
        ending::solve(&mut self.solver, question, &mut || {
            visited += more;
            host.left() == 0
        });
        // They count for no move of its own.
        (looked.line.nodes, looked.line.spent) = (0, 0);
        self.begun = Some(Begun { position: position.clone(), looked, visited });
    }

    /// The move that is proved best; none if the budget did not suffice.
    fn solve(
        &mut self,
        position: &Reversi,
        task: Task<'_, Reversi>,
        budget: Budget<'_>,
        ending: Ending,
        looked: &Found<Move>,
    ) -> Option<(Move, Line)> {
        let mut cost = Cost { nodes: looked.line.nodes, spent: budget.spent(task.host.left()) };
        let windows: &[(i32, i32)] = match ending {
            Ending::Winner => &[(-1, 1), (-64, 64)],
            _ => &[(-64, 64)],
        };
        let mut best = None;
        for &window in windows {
            let expected = looked.line.score.map(|score| score.value);
            let (first, barred) = (looked.best, task.barred);
            let question = Question { position, barred, first, expected, window };
            let Some(answer) = self.answer(question, task, budget, &mut cost) else { break };
            let line = ending::line(position, &answer, cost.nodes, cost.spent);
            task.host.report(&line);
            best = Some((answer.best, line));
            if answer.score.bound == Bound::Exact {
                break;
            }
        }
        best
    }

    /// Asks the solver, until the budget is spent.
    fn answer(
        &mut self,
        question: Question<'_>,
        task: Task<'_, Reversi>,
        budget: Budget<'_>,
        cost: &mut Cost,
    ) -> Option<Ended> {
        let Cost { nodes: before, spent: spent_before } = *cost;
        let (mut nodes, more) = (before, self.solver.nodes_between_questions());
        let answer = ending::solve(&mut self.solver, question, &mut || {
            nodes += more;
            budget.is_spent(task.host, nodes)
        });
        if let Some(answer) = &answer {
            nodes = before + answer.nodes;
        }
        let spent = budget.spent(task.host.left());
        self.pace.learn(nodes - before, spent.saturating_sub(spent_before));
        *cost = Cost { nodes, spent };
        answer
    }
}

/// What a choice has cost so far.
#[derive(Clone, Copy)]
struct Cost {
    nodes: u64,
    spent: u64,
}

/// The answer that a search has found.
pub fn reply(found: Found<Move>) -> Reply<Reversi> {
    match found.best {
        Some(mv) => Reply::play(mv).with_line(found.line),
        None => Reply::resign(),
    }
}
