//! The player for 8×8: it searches, and solves the endgame as soon as that fits the budget. It
//! decides what is searched and solved, and searches nothing itself.

use sandboard_sdk::abi::{Bound, Limits, Line};
use sandboard_sdk::games::reversi::{Move, Reversi};
use sandboard_sdk::{
    Host, Noise, NoisyEvaluator, Reply, Search, SearchResult, SearchTask, Switches,
};

use crate::endgame::Solver;
use crate::endgame_request::{self, EndgameRequest, EndgameResult};
use crate::eval::Weights;
use crate::midgame::{MobilityAnalyzer, PatternEvaluator};
use crate::move_budget::{EndgamePlan, MoveBudget, SolverPace};

/// The techniques in use. Late moves of reversi are not bad enough for late move reductions;
/// ProbCut takes their place.
pub const SEARCH_SWITCHES: Switches =
    Switches { aspiration_windows: true, prob_cut: true, ..Switches::CLASSIC };

/// The search for 8×8.
pub type StandardBoardSearch = Search<Reversi, MobilityAnalyzer, NoisyEvaluator<PatternEvaluator>>;

/// The player for 8×8, with all that it keeps between moves.
pub struct StandardBoardPlayer {
    search: StandardBoardSearch,
    solver: Solver<&'static Weights>,
    pace: SolverPace,
    /// The most empty squares that the last move's budget would have sufficed to solve.
    solvable_empties: u32,
    /// The endgame begun on the opponent's time.
    pondered: Option<PonderedEndgame>,
}

/// An endgame that was solved on the opponent's time, perhaps in part.
struct PonderedEndgame {
    position: Reversi,
    /// The result of the search before.
    searched: SearchResult<Move>,
    /// The positions that the solver has visited.
    visited: u64,
}

/// The nodes of the search before solving on the opponent's time, which take some milliseconds.
const PONDER_SEARCH_NODES: u64 = 20_000;

impl StandardBoardPlayer {
    /// A player with half of `table_bytes` for the search and half for the solver, which uses this
    /// many threads. `margin_tenths` is the margin of ProbCut in tenths of a standard deviation; 0:
    /// none.
    pub fn new(margin_tenths: i32, noise: Noise, table_bytes: usize, threads: usize) -> Self {
        let evaluator = NoisyEvaluator {
            evaluator: PatternEvaluator::new(Weights::built_in(), margin_tenths),
            noise,
        };
        Self {
            search: Search::with_parts(
                MobilityAnalyzer,
                evaluator,
                SEARCH_SWITCHES,
                table_bytes / 2,
            ),
            solver: Solver::new(table_bytes / 2, Weights::built_in()).with_threads(threads),
            pace: SolverPace::UNKNOWN,
            solvable_empties: 0,
            pondered: None,
        }
    }

    /// Searches and, if that fits the budget, solves the endgame.
    pub fn choose(&mut self, position: &Reversi, task: SearchTask<'_, Reversi>) -> Reply<Reversi> {
        if task.host.team().helper > 0 {
            // The leader gets the results from the shared table. Endgame results are not shared.
            return self.search.run(position, task).into();
        }
        let budget = MoveBudget::new(task.limits, task.host);
        let pondered = self.pondered.take().filter(|pondered| pondered.position == *position);
        let pondered = pondered.filter(|_| task.barred.is_empty());
        let visited = pondered.as_ref().map_or(0, |pondered| pondered.visited);
        let plan = budget.endgame_plan(position.empties(), self.pace, visited);
        self.solvable_empties = budget.solvable_empties(self.pace);
        if plan == EndgamePlan::None {
            return self.search.run(position, task).into();
        }
        let searched = match pondered {
            Some(pondered) => {
                task.host.report(&pondered.searched.line);
                pondered.searched
            }
            None => {
                let (limits, host) = budget.for_search(task.host);
                self.search.run(position, SearchTask { limits: &limits, host: &host, ..task })
            }
        };
        let proved = searched.line.score.is_some_and(|score| score.bound == Bound::Exact);
        if proved || searched.best.is_none() {
            return searched.into();
        }
        match self.solve(position, task, budget, plan, &searched) {
            Some((mv, line)) => Reply::play(mv).with_line(line),
            None => searched.into(),
        }
    }

    /// Thinks about this position on the opponent's time, which is about as long as the own one. So
    /// an endgame is solved one square earlier than without pondering. Proved results stay in the
    /// solver's table, and the next choice continues from there.
    pub fn ponder(&mut self, position: &Reversi, host: &Host) {
        self.pondered = None;
        if position.empties() > self.solvable_empties + 1 {
            self.search.ponder(position, host);
            return;
        }
        let limits = Limits { nodes: Some(PONDER_SEARCH_NODES), ..Limits::default() };
        let mut searched =
            self.search.run(position, SearchTask { limits: &limits, barred: &[], host });
        let request = EndgameRequest {
            position,
            barred: &[],
            first: searched.best,
            expected: searched.line.score.map(|score| score.value),
            window: (-64, 64),
        };
        let (mut visited, more) = (0, self.solver.nodes_between_stop_checks());
        endgame_request::solve(&mut self.solver, request, &mut || {
            visited += more;
            host.left() == 0
        });
        // Pondering does not count for the next move.
        (searched.line.nodes, searched.line.spent) = (0, 0);
        let position = position.clone();
        self.pondered = Some(PonderedEndgame { position, searched, visited });
    }

    /// The move that is proved best; `None` if the budget does not suffice.
    fn solve(
        &mut self,
        position: &Reversi,
        task: SearchTask<'_, Reversi>,
        budget: MoveBudget<'_>,
        plan: EndgamePlan,
        searched: &SearchResult<Move>,
    ) -> Option<(Move, Line)> {
        let mut cost =
            MoveCost { nodes: searched.line.nodes, spent: budget.spent(task.host.left()) };
        let windows: &[(i32, i32)] = match plan {
            EndgamePlan::Outcome => &[(-1, 1), (-64, 64)],
            _ => &[(-64, 64)],
        };
        let mut best = None;
        for &window in windows {
            let expected = searched.line.score.map(|score| score.value);
            let (first, barred) = (searched.best, task.barred);
            let request = EndgameRequest { position, barred, first, expected, window };
            let Some(answer) = self.run_solver(request, task, budget, &mut cost) else { break };
            let line = endgame_request::line(position, &answer, cost.nodes, cost.spent);
            task.host.report(&line);
            best = Some((answer.best, line));
            if answer.score.bound == Bound::Exact {
                break;
            }
        }
        best
    }

    /// Runs the solver until the budget is spent.
    fn run_solver(
        &mut self,
        request: EndgameRequest<'_>,
        task: SearchTask<'_, Reversi>,
        budget: MoveBudget<'_>,
        cost: &mut MoveCost,
    ) -> Option<EndgameResult> {
        let MoveCost { nodes: before, spent: spent_before } = *cost;
        let (mut nodes, more) = (before, self.solver.nodes_between_stop_checks());
        let answer = endgame_request::solve(&mut self.solver, request, &mut || {
            nodes += more;
            budget.is_spent(task.host, nodes)
        });
        if let Some(answer) = &answer {
            nodes = before + answer.nodes;
        }
        let spent = budget.spent(task.host.left());
        self.pace.learn(nodes - before, spent.saturating_sub(spent_before));
        *cost = MoveCost { nodes, spent };
        answer
    }
}

/// The cost of a choice so far.
#[derive(Clone, Copy)]
struct MoveCost {
    nodes: u64,
    spent: u64,
}
