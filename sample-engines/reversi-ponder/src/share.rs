//! How the budget of a move is shared between looking ahead and solving, and
//! whether solving is worth a try. Numbers only; searches nothing, reads no clock
//! but the host's.

use sandboard_sdk::abi::{Limits, Line, Unit};
use sandboard_sdk::time::{Allotment, allot};
use sandboard_sdk::{Host, HostCalls};

/// Positions that a solver visits with 20 empty squares, and the factor for one
/// more, in tenths: the endgames 40 to 45 of the FFO suite.
const NODES_20: f64 = 2e7;
const NODES_FACTOR: f64 = 2.2;
/// No board of 8×8 has more that could be empty.
const SQUARES: u32 = 60;
/// To know who wins takes about this part of what the exact score takes.
const WIN_PART: f64 = 0.3;

/// Where nothing is limited, from so many empty squares on: more would take hours.
const EMPTIES_UNTIMED: u32 = 26;

/// Looking ahead gets one part in so many of a move's budget where solving is tried.
const LOOK_PART: u64 = 8;
/// And so many nodes where nothing is limited.
const LOOK_NODES: u64 = 300_000;

/// What is tried beyond looking ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing: the end is too far.
    TooFar,
    /// Who wins, and then by how much.
    Winner,
    /// By how much.
    Score,
}

/// How fast the solver has been, in positions for each unit of a budget.
#[derive(Clone, Copy, Debug)]
pub struct Pace(f64);

impl Pace {
    /// Before anything is known: 10 million positions a second.
    pub const UNKNOWN: Pace = Pace(f64::NAN);

    /// Takes into account that so many positions took so much.
    pub fn learn(&mut self, nodes: u64, spent: u64) {
        if nodes >= 100_000 && spent > 0 {
            self.0 = nodes as f64 / spent as f64;
        }
    }

    fn positions_for(self, unit: Unit, budget: u64) -> f64 {
        let first = match unit {
            Unit::Wall | Unit::Cpu | Unit::Unlimited => 10.0,
            Unit::Fuel => 0.01,
        };
        budget as f64 * if self.0.is_nan() { first } else { self.0 }
    }
}

/// What one move may spend.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    limits: &'a Limits,
    allotment: Allotment,
    at_start: u64,
}

impl<'a> Budget<'a> {
    /// The budget of a call that begins now.
    pub fn new(limits: &'a Limits, host: &Host) -> Self {
        let at_start = host.left();
        Self { limits, allotment: allot(limits, at_start), at_start }
    }

    /// What solving may cost at most. Of a clock it may take more than the share of
    /// a move: the moves after it cost nothing.
    fn most(&self) -> u64 {
        let clock = self.limits.game_left.map_or(0, |clock| clock / 4);
        self.allotment.hard.max(clock.min(self.call_max()))
    }

    fn call_max(&self) -> u64 {
        self.limits.call_max.unwrap_or(u64::MAX).min(self.at_start)
    }

    /// What is worth a try with so many empty squares, when the solver has visited so many
    /// positions of it before.
    pub fn ending(&self, empties: u32, pace: Pace, visited: u64) -> Ending {
        let nodes = NODES_20 * NODES_FACTOR.powi(empties as i32 - 20);
        let fits = |nodes: f64| {
            let nodes = nodes - visited as f64;
            let in_nodes = self.limits.nodes.is_none_or(|most| nodes <= most as f64);
            let in_time = match self.limits.unit {
                Unit::Unlimited => self.limits.nodes.is_some() || empties <= EMPTIES_UNTIMED,
                unit => nodes <= pace.positions_for(unit, self.most()),
            };
            in_nodes && in_time
        };
        let deep_enough = self.limits.depth.is_none_or(|depth| depth >= empties);
        match deep_enough {
            true if fits(nodes) => Ending::Score,
            true if fits(nodes * WIN_PART) => Ending::Winner,
            _ => Ending::TooFar,
        }
    }

    /// With how many empty squares at most the score is worth a try; 0: with none.
    pub fn reach(&self, pace: Pace) -> u32 {
        (1..=SQUARES)
            .rev()
            .find(|empties| self.ending(*empties, pace, 0) == Ending::Score)
            .unwrap_or(0)
    }

    /// The limits for looking ahead before solving, and a host that keeps to them.
    pub fn for_looking(&self, host: &Host) -> (Limits, Host) {
        let (limits, most) = (self.limits, self.most());
        let untimed = limits.unit == Unit::Unlimited || most == u64::MAX;
        let nodes = match limits.nodes {
            Some(nodes) => Some(nodes / LOOK_PART),
            None => untimed.then_some(LOOK_NODES),
        };
        if untimed {
            return (Limits { nodes, ..limits.clone() }, host.clone());
        }
        let part = most / LOOK_PART;
        let only = Limits {
            call_max: Some(part),
            game_left: None,
            increment: 0,
            moves_to_go: None,
            nodes,
            ..limits.clone()
        };
        (only, Host::new(Within { host: host.clone(), kept: self.at_start.saturating_sub(part) }))
    }

    /// Whether solving has to end.
    pub fn is_spent(&self, host: &Host, nodes: u64) -> bool {
        let left = host.left();
        let spent = self.spent(left);
        left == 0 || spent >= self.most() || self.limits.nodes.is_some_and(|most| nodes >= most)
    }

    /// What the call has spent when so much is left; 0 where nothing is measured.
    pub fn spent(&self, left: u64) -> u64 {
        if self.at_start == u64::MAX { 0 } else { self.at_start.saturating_sub(left) }
    }
}

/// A host that keeps something back.
struct Within {
    host: Host,
    kept: u64,
}

impl HostCalls for Within {
    fn left(&self) -> u64 {
        self.host.left().saturating_sub(self.kept)
    }

    fn report(&self, line: &Line) {
        self.host.report(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;

    /// A clock that stands still.
    struct Still(u64);

    impl HostCalls for Still {
        fn left(&self) -> u64 {
            self.0
        }
    }

    #[track_caller]
    fn check(limits: &Limits, empties: u32, expected: Ending) {
        let host = Host::new(Still(limits.call_max.or(limits.game_left).unwrap_or(u64::MAX)));
        let found = Budget::new(limits, &host).ending(empties, Pace::UNKNOWN, 0);
        assert_eq!(found, expected, "{empties} empty squares, {limits:?}");
    }

    fn per_move(unit: Unit, max: u64) -> Limits {
        Limits { unit, call_max: Some(max), ..Limits::default() }
    }

    #[test]
    fn the_end_is_solved_when_it_fits() {
        let second = per_move(Unit::Wall, SECOND);
        check(&second, 19, Ending::Score);
        check(&second, 20, Ending::Winner);
        check(&second, 21, Ending::TooFar);
        check(&per_move(Unit::Cpu, 100 * SECOND), 24, Ending::Score);
        check(&per_move(Unit::Fuel, 1_000 * SECOND), 19, Ending::Score);
        check(&per_move(Unit::Fuel, 1_000 * SECOND), 21, Ending::TooFar);
        // Of a clock, a quarter.
        let clock = |game_left| Limits {
            unit: Unit::Wall,
            game_left: Some(game_left),
            ..Limits::default()
        };
        check(&clock(60 * SECOND), 22, Ending::Score);
        check(&clock(SECOND), 22, Ending::TooFar);
    }

    #[test]
    fn the_reach_is_the_most_that_fits() {
        for max in [0, 1, 1_000, SECOND, 100 * SECOND] {
            let limits = per_move(Unit::Wall, max);
            let host = Host::new(Still(max));
            let reach = Budget::new(&limits, &host).reach(Pace::UNKNOWN);
            assert!(reach < SQUARES);
            if reach > 0 {
                check(&limits, reach, Ending::Score);
            }
            let beyond = Budget::new(&limits, &host).ending(reach + 1, Pace::UNKNOWN, 0);
            assert_ne!(beyond, Ending::Score, "{max}");
        }
    }

    #[test]
    fn nodes_and_depth_limit_it_too() {
        let free = Limits::default();
        check(&free, 26, Ending::Score);
        check(&free, 27, Ending::TooFar);
        let nodes = |nodes| Limits { nodes: Some(nodes), ..free.clone() };
        check(&nodes(20_000_000), 20, Ending::Score);
        check(&nodes(19_000_000), 20, Ending::Winner);
        check(&nodes(5_000_000), 20, Ending::TooFar);
        let depth = |depth| Limits { depth: Some(depth), ..free.clone() };
        check(&depth(12), 12, Ending::Score);
        check(&depth(11), 12, Ending::TooFar);
    }

    #[test]
    fn the_pace_that_was_seen_counts() {
        let limits = per_move(Unit::Wall, SECOND);
        let budget = Budget::new(&limits, &Host::new(Still(SECOND)));
        let mut pace = Pace::UNKNOWN;
        pace.learn(99_999, 1);
        assert_eq!(budget.ending(21, pace, 0), Ending::TooFar);
        pace.learn(50_000_000, SECOND);
        assert_eq!(budget.ending(21, pace, 0), Ending::Score);
        pace.learn(1_000_000, SECOND);
        assert_eq!(budget.ending(19, pace, 0), Ending::TooFar);
    }

    #[test]
    fn looking_ahead_leaves_the_rest() {
        let limits = per_move(Unit::Wall, 8 * SECOND);
        let host = Host::new(Still(8 * SECOND));
        let budget = Budget::new(&limits, &host);
        let (part, within) = budget.for_looking(&host);
        // A per-move budget is spent but for a margin, of which an eighth.
        assert_eq!(part.call_max, Some((8 * SECOND - 50_000) / 8));
        assert_eq!(Some(within.left()), part.call_max);
        assert!(!budget.is_spent(&host, 1));
        assert!(budget.is_spent(&Host::new(Still(50_000)), 1));
    }
}
