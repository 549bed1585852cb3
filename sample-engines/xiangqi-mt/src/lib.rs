//! The strong engine of xiangqi: the SDK's search with quiescence search, null moves and late move
//! reductions, over an evaluation written by hand. It knows that perpetual checks and chases lose.
//! How it works, with sources and measurements: `docs/engines.md`. It plays at full strength or at
//! one of ten levels.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(test)]
mod tests;

use sandboard_sdk::abi::Description;
use sandboard_sdk::games::xiangqi::Xiangqi;
use sandboard_sdk::search::{ParallelMode, parallel_option};
use sandboard_sdk::xiangqi::{WEIGHTS, XiangqiAnalyzer, XiangqiEvaluator, XiangqiSearch};
use sandboard_sdk::{
    EngineLimits, GameSearch, LEVELS, Level, NewGame, NoisyEvaluator, SearchConfig, SearchEngine,
    Switches, Weights, export_engine,
};

/// The levels of strength; noise in hundredths of a pawn.
const LEVEL_TABLE: [Level; LEVELS] = [
    Level { nodes: 30, noise: 600 },
    Level { nodes: 80, noise: 350 },
    Level { nodes: 200, noise: 220 },
    Level { nodes: 500, noise: 140 },
    Level { nodes: 1_200, noise: 90 },
    Level { nodes: 3_000, noise: 55 },
    Level { nodes: 8_000, noise: 30 },
    Level { nodes: 25_000, noise: 15 },
    Level { nodes: 80_000, noise: 0 },
    Level { nodes: 250_000, noise: 0 },
];

/// The engine's parts.
struct XiangqiMt;

impl SearchConfig for XiangqiMt {
    type Rules = Xiangqi;
    type Analyzer = XiangqiAnalyzer;
    type Evaluator = NoisyEvaluator<XiangqiEvaluator>;

    fn describe(description: &mut Description) {
        description.name = "Xiangqi MT".into();
        description.abilities.helpers = true;
        description.options = EngineLimits::options("memory of the transposition table");
        description.options.push(parallel_option());
        description.options.extend(Weights::new(&WEIGHTS).options());
    }

    fn start(
        game: &NewGame<'_, Xiangqi>,
    ) -> Result<GameSearch<Xiangqi, XiangqiAnalyzer, NoisyEvaluator<XiangqiEvaluator>>, String>
    {
        let weights = game.weights(&WEIGHTS)?;
        let limits = EngineLimits::from_options(game, &LEVEL_TABLE);
        let noise = limits.noise(game.setup.seed);
        let evaluator = NoisyEvaluator { evaluator: XiangqiEvaluator::new(&weights), noise };
        let search = XiangqiSearch::with_parts(
            XiangqiAnalyzer::default(),
            evaluator,
            Switches::ALL,
            game.table_bytes("table-mib"),
        );
        let search = search.with_parallel_mode(ParallelMode::from_options(game));
        Ok(GameSearch { limits, ..GameSearch::new(search) })
    }
}

export_engine!(SearchEngine<XiangqiMt>);
