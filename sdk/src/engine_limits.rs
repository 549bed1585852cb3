//! Limits that an engine sets itself by the options level, depth and nodes, which several engines
//! share. The host's limits apply where they are tighter.

use sandboard_abi::{Limits, OptionSpec};

use crate::chooser::NewGame;
use crate::level::{LEVELS, Level, level_option};
use crate::noise::Noise;
use crate::options::whole_option;
use crate::search::MAX_PLY;

/// The values of the options `level`, `depth` and `nodes` in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineLimits {
    /// The level of strength; `None`: full strength.
    pub level: Option<Level>,
    /// The largest depth, in plies; `None`: not limited.
    pub depth: Option<u32>,
    /// The most nodes for one move; `None`: not limited.
    pub nodes: Option<u64>,
}

impl EngineLimits {
    /// The options `level`, `depth`, `nodes` and `table-mib` for a description. `table_about`
    /// describes the last one.
    pub fn options(table_about: &str) -> Vec<OptionSpec> {
        let depth = "maximum depth in plies; 0: limited by the budget only";
        let nodes = "maximum number of nodes for a move; 0: limited by the budget only";
        vec![
            level_option(),
            whole_option("depth", 0..=MAX_PLY.into(), 0, depth),
            whole_option("nodes", 0..=1_000_000_000, 0, nodes),
            whole_option("table-mib", 1..=1024, 16, table_about),
        ]
    }

    /// The limits that a game's options set; `levels` is the engine's table of levels.
    pub fn from_options<P>(game: &NewGame<'_, P>, levels: &[Level; LEVELS]) -> Self {
        let positive = |value: i64| u64::try_from(value).ok().filter(|value| *value > 0);
        Self {
            level: Level::from_option(levels, game.whole("level")),
            depth: positive(game.whole("depth")).map(|depth| depth as u32),
            nodes: positive(game.whole("nodes")),
        }
    }

    /// The noise of the level's evaluation in a game with this seed; none at full strength.
    pub fn noise(&self, seed: u64) -> Noise {
        self.level.map_or(Noise::NONE, |level| level.noise_with_seed(seed))
    }

    /// The host's limits, and the engine's own where they are tighter.
    pub fn apply(&self, host: &Limits) -> Limits {
        fn tighter<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
            a.into_iter().chain(b).min()
        }
        let limits = Limits {
            depth: tighter(host.depth, self.depth),
            nodes: tighter(host.nodes, self.nodes),
            ..host.clone()
        };
        self.level.map_or(limits.clone(), |level| level.apply(&limits))
    }
}
