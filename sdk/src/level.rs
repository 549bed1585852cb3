//! Levels of strength, so that people of any strength have an opponent: how many
//! nodes a level searches, and how much it is mistaken. The same level plays the
//! same moves from the same seed, on any machine.

use sandboard_abi::{Limits, OptionSpec};

use crate::engine::whole;
use crate::noise::Noise;

/// The highest level below full strength.
pub const LEVELS: usize = 10;

/// One level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Nodes for each move.
    pub nodes: u64,
    /// Values are off by no more than this.
    pub noise: i32,
}

/// The option `level` for a description: 0 is full strength, which has no level.
pub fn level_option() -> OptionSpec {
    let about =
        "1 plays worst and 10 best, each with a fixed number of nodes; 0: as well as it can";
    whole("level", 0..=LEVELS as i64, 0, about)
}

impl Level {
    /// The level that an option's value names in a table of them; none for 0.
    pub fn of(table: &[Level; LEVELS], value: i64) -> Option<Level> {
        usize::try_from(value).ok()?.checked_sub(1).and_then(|index| table.get(index)).copied()
    }

    /// Its mistakes in a game with this seed.
    pub fn mistakes(self, seed: u64) -> Noise {
        Noise { size: self.noise, seed }
    }

    /// The host's limits where they are tighter than the level's.
    pub fn limits(self, host: &Limits) -> Limits {
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
        assert_eq!(Level::of(&table, value).map(|level| level.nodes), expected);
    }

    #[test]
    fn levels_are_named_from_one_and_nought_is_none() {
        check(0, None);
        check(1, Some(1));
        check(10, Some(10));
        check(11, None);
        check(-1, None);
    }

    #[test]
    fn the_tighter_limit_of_nodes_counts() {
        let level = Level { nodes: 100, noise: 0 };
        for (host, expected) in [(None, 100), (Some(30), 30), (Some(300), 100)] {
            let limits = level.limits(&Limits { nodes: host, depth: Some(3), ..Limits::default() });
            assert_eq!((limits.nodes, limits.depth), (Some(expected), Some(3)));
        }
    }
}
