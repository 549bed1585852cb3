//! Levels of strength: how many nodes a level searches, and how large the errors of its evaluation
//! are. The same level plays the same moves from the same seed, on any machine.

use sandboard_abi::{Limits, OptionSpec};

use crate::noise::Noise;
use crate::options::whole_option;

/// The highest level below full strength.
pub const LEVELS: usize = 10;

/// One level of strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Nodes searched for each move.
    pub nodes: u64,
    /// The largest error of a value, in the evaluator's unit.
    pub noise: i32,
}

/// The option `level` for a description: 1 to 10, or 0 for full strength.
pub fn level_option() -> OptionSpec {
    let about = "1 is weakest, 10 strongest, each with a fixed number of nodes; 0: full strength";
    whole_option("level", 0..=LEVELS as i64, 0, about)
}

impl Level {
    /// The level that an option's value selects from a table; `None` for 0 and for values outside
    /// the table.
    pub fn from_option(table: &[Level; LEVELS], value: i64) -> Option<Level> {
        usize::try_from(value).ok()?.checked_sub(1).and_then(|index| table.get(index)).copied()
    }

    /// The noise of this level's evaluation in a game with this seed.
    pub fn noise_with_seed(self, seed: u64) -> Noise {
        Noise { size: self.noise, seed }
    }

    /// The host's limits with at most this level's nodes.
    pub fn apply(self, host: &Limits) -> Limits {
        let nodes = host.nodes.map_or(self.nodes, |nodes| nodes.min(self.nodes));
        Limits { nodes: Some(nodes), ..host.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: i64, expected: Option<u64>) {
        let mut table = [Level { nodes: 0, noise: 0 }; LEVELS];
        for (index, level) in (1..).zip(&mut table) {
            level.nodes = index;
        }
        assert_eq!(Level::from_option(&table, value).map(|level| level.nodes), expected);
    }

    #[test]
    fn options_select_levels_from_one() {
        check(0, None);
        check(1, Some(1));
        check(10, Some(10));
        check(11, None);
        check(-1, None);
    }

    #[test]
    fn the_smaller_node_limit_applies() {
        let level = Level { nodes: 100, noise: 0 };
        for (host, expected) in [(None, 100), (Some(30), 30), (Some(300), 100)] {
            let limits = level.apply(&Limits { nodes: host, depth: Some(3), ..Limits::default() });
            assert_eq!((limits.nodes, limits.depth), (Some(expected), Some(3)));
        }
    }
}
