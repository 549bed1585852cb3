//! An engine of gomoku for tuning: it evaluates the patterns in all rows of the board, and every
//! weight is an option. The search is the SDK's, over the candidates of [`LineAnalyzer`]. The
//! patterns and their weights are described in `docs/gomoku.md`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod pattern;
pub mod row_evaluator;
#[cfg(test)]
mod tests;
pub mod weights;

use sandboard_sdk::abi::Description;
use sandboard_sdk::games::gomoku::{Gomoku, Rule};
use sandboard_sdk::gomoku::LineAnalyzer;
use sandboard_sdk::search::{ParallelMode, parallel_option};
use sandboard_sdk::{
    EngineLimits, GameSearch, LEVELS, Level, NewGame, NoisyEvaluator, Search, SearchConfig,
    SearchEngine, Switches, Weights, export_engine,
};

use crate::row_evaluator::RowEvaluator;
use crate::weights::WEIGHTS;

/// The levels of strength; noise in the unit of the weights.
const LEVEL_TABLE: [Level; LEVELS] = [
    Level { nodes: 100, noise: 1_200 },
    Level { nodes: 150, noise: 300 },
    Level { nodes: 250, noise: 120 },
    Level { nodes: 400, noise: 80 },
    Level { nodes: 800, noise: 55 },
    Level { nodes: 1_500, noise: 40 },
    Level { nodes: 3_000, noise: 25 },
    Level { nodes: 8_000, noise: 10 },
    Level { nodes: 20_000, noise: 0 },
    Level { nodes: 60_000, noise: 0 },
];

/// The engine's parts.
pub struct GomokuRows;

impl SearchConfig for GomokuRows {
    type Rules = Gomoku;
    type Analyzer = LineAnalyzer;
    type Evaluator = NoisyEvaluator<RowEvaluator>;

    fn describe(description: &mut Description) {
        description.name = "Gomoku Rows".into();
        description.abilities.helpers = true;
        for spec in &mut description.games {
            // The patterns consider neither forbidden points nor blocked fives.
            spec.variants = [Rule::Freestyle, Rule::Standard].map(|rule| rule.id().into()).into();
        }
        description.options = EngineLimits::options("memory of the transposition table");
        description.options.push(parallel_option());
        description.options.extend(Weights::new(&WEIGHTS).options());
    }

    fn start(
        game: &NewGame<'_, Gomoku>,
    ) -> Result<GameSearch<Gomoku, LineAnalyzer, NoisyEvaluator<RowEvaluator>>, String> {
        let weights = game.weights(&WEIGHTS)?;
        let limits = EngineLimits::from_options(game, &LEVEL_TABLE);
        let noise = limits.noise(game.setup.seed);
        let evaluator = NoisyEvaluator { evaluator: RowEvaluator::new(&weights), noise };
        let table_bytes = game.table_bytes("table-mib");
        let search =
            Search::with_parts(LineAnalyzer::default(), evaluator, Switches::CLASSIC, table_bytes);
        let search = search.with_parallel_mode(ParallelMode::from_options(game));
        Ok(GameSearch { limits, ..GameSearch::new(search) })
    }
}

export_engine!(SearchEngine<GomokuRows>);
