//! What an engine may spend by its own options: level, depth, nodes and memory, which several
//! engines have alike. The host's limits count where they are tighter.

use sandboard_abi::{Limits, OptionSpec};
use sandboard_games::Rules;

use crate::engine::{NewGame, whole};
use crate::level::{LEVELS, Level, level_option};
use crate::search::MAX_PLY;

/// The options `level`, `depth`, `nodes` and `table-mib` of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnLimits {
    /// The level of strength; none: full strength.
    pub level: Option<Level>,
    /// Plies.
    pub depth: Option<u32>,
    /// Nodes a move.
    pub nodes: Option<u64>,
}

impl OwnLimits {
    /// The four options, with what the tables are for.
    pub fn options(tables: &str) -> Vec<OptionSpec> {
        let depth = "search no deeper, in plies; 0: as the budget has it";
        let nodes = "search no more nodes a move; 0: as the budget has it";
        vec![
            level_option(),
            whole("depth", 0..=MAX_PLY.into(), 0, depth),
            whole("nodes", 0..=1_000_000_000, 0, nodes),
            whole("table-mib", 1..=1024, 16, tables),
        ]
    }

    /// As a game's options have it; `levels` says what each level searches.
    pub fn of<R: Rules>(game: &NewGame<'_, R>, levels: &[Level; LEVELS]) -> Self {
        let positive = |value: i64| u64::try_from(value).ok().filter(|value| *value > 0);
        Self {
            level: Level::of(levels, game.whole("level")),
            depth: positive(game.whole("depth")).map(|depth| depth as u32),
            nodes: positive(game.whole("nodes")),
        }
    }

    /// The host's limits, and the engine's own where they are tighter.
    pub fn within(&self, host: &Limits) -> Limits {
        fn tighter<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
            a.into_iter().chain(b).min()
        }
        let limits = Limits {
            depth: tighter(host.depth, self.depth),
            nodes: tighter(host.nodes, self.nodes),
            ..host.clone()
        };
        self.level.map_or(limits.clone(), |level| level.limits(&limits))
    }
}
