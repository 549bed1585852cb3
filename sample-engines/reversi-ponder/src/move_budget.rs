//! Divides the budget of a move between search and endgame solver, and decides whether to solve.
//! Searches nothing, and reads no clock but the host's.

use sandboard_sdk::abi::{Limits, Line, Unit};
use sandboard_sdk::time_management::{Allotment, allot};
use sandboard_sdk::{Host, HostCalls};

/// The positions that the solver visits with 20 empty squares, and the factor for each further one;
/// measured with the endgames 40 to 45 of the FFO suite.
const NODES_20: f64 = 2e7;
const NODES_FACTOR: f64 = 2.2;
/// The empty squares at the start of a game.
const EMPTIES_MAX: u32 = 60;
/// The cost of proving the winner, as a fraction of the cost of the exact score.
const OUTCOME_COST: f64 = 0.3;

/// Without limits, endgames with up to this many empty squares are solved; more would take hours.
const EMPTIES_UNTIMED: u32 = 26;

/// If the endgame is solved, the search gets one of this many parts of a move's budget.
const SEARCH_SHARE: u64 = 8;
/// The nodes of that search without limits.
const SEARCH_NODES: u64 = 300_000;

/// What to solve after the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndgamePlan {
    /// Nothing, since the end of the game is too far away.
    None,
    /// First which side wins, then the exact score.
    Outcome,
    /// The exact score.
    Score,
}

/// The pace of the solver, in positions for each unit of a budget.
#[derive(Clone, Copy, Debug)]
pub struct SolverPace(f64);

impl SolverPace {
    /// The pace before the first measurement: 10 million positions per second.
    pub const UNKNOWN: SolverPace = SolverPace(f64::NAN);

    /// Updates the pace: this many positions have cost this much. Ignores small samples.
    pub fn learn(&mut self, nodes: u64, spent: u64) {
        if nodes >= 100_000 && spent > 0 {
            self.0 = nodes as f64 / spent as f64;
        }
    }

    fn positions_for(self, unit: Unit, budget: u64) -> f64 {
        let initial = match unit {
            Unit::Wall | Unit::Cpu | Unit::Unlimited => 10.0,
            Unit::Fuel => 0.01,
        };
        budget as f64 * if self.0.is_nan() { initial } else { self.0 }
    }
}

/// What one move may spend.
#[derive(Clone, Copy, Debug)]
pub struct MoveBudget<'a> {
    limits: &'a Limits,
    allotment: Allotment,
    left_at_start: u64,
}

impl<'a> MoveBudget<'a> {
    /// The budget of a call that begins now.
    pub fn new(limits: &'a Limits, host: &Host) -> Self {
        let left_at_start = host.left();
        Self { limits, allotment: allot(limits, left_at_start), left_at_start }
    }

    /// The most that solving may cost. With a clock it may exceed the share of a move, since later
    /// moves then cost nothing.
    fn solver_max(&self) -> u64 {
        let clock = self.limits.game_left.map_or(0, |clock| clock / 4);
        self.allotment.hard.max(clock.min(self.call_max()))
    }

    fn call_max(&self) -> u64 {
        self.limits.call_max.unwrap_or(u64::MAX).min(self.left_at_start)
    }

    /// What to solve with this many empty squares. `visited`: positions that the solver has already
    /// visited for this endgame.
    pub fn endgame_plan(&self, empties: u32, pace: SolverPace, visited: u64) -> EndgamePlan {
        let nodes = NODES_20 * NODES_FACTOR.powi(empties as i32 - 20);
        let fits = |nodes: f64| {
            let nodes = nodes - visited as f64;
            let in_nodes = self.limits.nodes.is_none_or(|most| nodes <= most as f64);
            let in_time = match self.limits.unit {
                Unit::Unlimited => self.limits.nodes.is_some() || empties <= EMPTIES_UNTIMED,
                unit => nodes <= pace.positions_for(unit, self.solver_max()),
            };
            in_nodes && in_time
        };
        let deep_enough = self.limits.depth.is_none_or(|depth| depth >= empties);
        match deep_enough {
            true if fits(nodes) => EndgamePlan::Score,
            true if fits(nodes * OUTCOME_COST) => EndgamePlan::Outcome,
            _ => EndgamePlan::None,
        }
    }

    /// The most empty squares with which the exact score fits the budget; 0: none.
    pub fn solvable_empties(&self, pace: SolverPace) -> u32 {
        (1..=EMPTIES_MAX)
            .rev()
            .find(|empties| self.endgame_plan(*empties, pace, 0) == EndgamePlan::Score)
            .unwrap_or(0)
    }

    /// The limits of the search before solving, and a host with a clock for them.
    pub fn for_search(&self, host: &Host) -> (Limits, Host) {
        let (limits, max) = (self.limits, self.solver_max());
        let untimed = limits.unit == Unit::Unlimited || max == u64::MAX;
        let nodes = match limits.nodes {
            Some(nodes) => Some(nodes / SEARCH_SHARE),
            None => untimed.then_some(SEARCH_NODES),
        };
        if untimed {
            return (Limits { nodes, ..limits.clone() }, host.clone());
        }
        let part = max / SEARCH_SHARE;
        let search_limits = Limits {
            call_max: Some(part),
            game_left: None,
            increment: 0,
            moves_to_go: None,
            nodes,
            ..limits.clone()
        };
        let reserve = self.left_at_start.saturating_sub(part);
        (search_limits, Host::new(ReserveHost { host: host.clone(), reserve }))
    }

    /// Whether solving has to stop.
    pub fn is_spent(&self, host: &Host, nodes: u64) -> bool {
        let left = host.left();
        let spent = self.spent(left);
        left == 0
            || spent >= self.solver_max()
            || self.limits.nodes.is_some_and(|most| nodes >= most)
    }

    /// What the call has spent if `left` is left; 0 if that is not measured.
    pub fn spent(&self, left: u64) -> u64 {
        if self.left_at_start == u64::MAX { 0 } else { self.left_at_start.saturating_sub(left) }
    }
}

/// A host whose clock leaves out a reserve.
struct ReserveHost {
    host: Host,
    reserve: u64,
}

impl HostCalls for ReserveHost {
    fn left(&self) -> u64 {
        self.host.left().saturating_sub(self.reserve)
    }

    fn report(&self, line: &Line) {
        self.host.report(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;

    /// A clock that does not advance.
    struct FixedClock(u64);

    impl HostCalls for FixedClock {
        fn left(&self) -> u64 {
            self.0
        }
    }

    #[track_caller]
    fn check(limits: &Limits, empties: u32, expected: EndgamePlan) {
        let host = Host::new(FixedClock(limits.call_max.or(limits.game_left).unwrap_or(u64::MAX)));
        let plan = MoveBudget::new(limits, &host).endgame_plan(empties, SolverPace::UNKNOWN, 0);
        assert_eq!(plan, expected, "{empties} empty squares, {limits:?}");
    }

    fn per_move(unit: Unit, max: u64) -> Limits {
        Limits { unit, call_max: Some(max), ..Limits::default() }
    }

    #[test]
    fn an_endgame_is_solved_if_it_fits_the_budget() {
        let second = per_move(Unit::Wall, SECOND);
        check(&second, 19, EndgamePlan::Score);
        check(&second, 20, EndgamePlan::Outcome);
        check(&second, 21, EndgamePlan::None);
        check(&per_move(Unit::Cpu, 100 * SECOND), 24, EndgamePlan::Score);
        check(&per_move(Unit::Fuel, 1_000 * SECOND), 19, EndgamePlan::Score);
        check(&per_move(Unit::Fuel, 1_000 * SECOND), 21, EndgamePlan::None);
        // A quarter of the clock may be used.
        let clock = |game_left| Limits {
            unit: Unit::Wall,
            game_left: Some(game_left),
            ..Limits::default()
        };
        check(&clock(60 * SECOND), 22, EndgamePlan::Score);
        check(&clock(SECOND), 22, EndgamePlan::None);
    }

    #[test]
    fn solvable_empties_are_the_most_that_fit() {
        for max in [0, 1, 1_000, SECOND, 100 * SECOND] {
            let limits = per_move(Unit::Wall, max);
            let host = Host::new(FixedClock(max));
            let empties = MoveBudget::new(&limits, &host).solvable_empties(SolverPace::UNKNOWN);
            assert!(empties < EMPTIES_MAX);
            if empties > 0 {
                check(&limits, empties, EndgamePlan::Score);
            }
            let beyond =
                MoveBudget::new(&limits, &host).endgame_plan(empties + 1, SolverPace::UNKNOWN, 0);
            assert_ne!(beyond, EndgamePlan::Score, "{max}");
        }
    }

    #[test]
    fn nodes_and_depth_limit_solving_too() {
        let free = Limits::default();
        check(&free, 26, EndgamePlan::Score);
        check(&free, 27, EndgamePlan::None);
        let nodes = |nodes| Limits { nodes: Some(nodes), ..free.clone() };
        check(&nodes(20_000_000), 20, EndgamePlan::Score);
        check(&nodes(19_000_000), 20, EndgamePlan::Outcome);
        check(&nodes(5_000_000), 20, EndgamePlan::None);
        let depth = |depth| Limits { depth: Some(depth), ..free.clone() };
        check(&depth(12), 12, EndgamePlan::Score);
        check(&depth(11), 12, EndgamePlan::None);
    }

    #[test]
    fn the_measured_pace_counts() {
        let limits = per_move(Unit::Wall, SECOND);
        let budget = MoveBudget::new(&limits, &Host::new(FixedClock(SECOND)));
        let mut pace = SolverPace::UNKNOWN;
        pace.learn(99_999, 1);
        assert_eq!(budget.endgame_plan(21, pace, 0), EndgamePlan::None);
        pace.learn(50_000_000, SECOND);
        assert_eq!(budget.endgame_plan(21, pace, 0), EndgamePlan::Score);
        pace.learn(1_000_000, SECOND);
        assert_eq!(budget.endgame_plan(19, pace, 0), EndgamePlan::None);
    }

    #[test]
    fn the_search_leaves_the_rest_of_the_budget() {
        let limits = per_move(Unit::Wall, 8 * SECOND);
        let host = Host::new(FixedClock(8 * SECOND));
        let budget = MoveBudget::new(&limits, &host);
        let (part, within) = budget.for_search(&host);
        // An eighth of the budget per move, which is spent except for a margin.
        assert_eq!(part.call_max, Some((8 * SECOND - 50_000) / 8));
        assert_eq!(Some(within.left()), part.call_max);
        assert!(!budget.is_spent(&host, 1));
        assert!(budget.is_spent(&Host::new(FixedClock(50_000)), 1));
    }
}
