//! The strong engine of gomoku: the SDK's search with all its techniques over [`PatternAnalyzer`],
//! which knows the patterns on every line and proves wins by continuous fours and threats. How it
//! works, with sources and measurements: `docs/engines.md`. It plays at full strength or at one of
//! ten levels.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use sandboard_sdk::abi::Description;
use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::gomoku::{PATTERN_WEIGHTS, PatternAnalyzer, Skill, StrongGomokuSearch};
use sandboard_sdk::search::{ParallelMode, parallel_option};
use sandboard_sdk::{
    EngineLimits, GameSearch, LEVELS, Level, NewGame, NullEvaluator, SearchConfig, SearchEngine,
    Switches, Weights, export_engine,
};

/// The levels of strength; noise in hundredths of a stone.
const LEVEL_TABLE: [Level; LEVELS] = [
    Level { nodes: 12, noise: 500 },
    Level { nodes: 40, noise: 250 },
    Level { nodes: 150, noise: 120 },
    Level { nodes: 300, noise: 80 },
    Level { nodes: 600, noise: 50 },
    Level { nodes: 1_200, noise: 30 },
    Level { nodes: 3_000, noise: 15 },
    Level { nodes: 8_000, noise: 5 },
    Level { nodes: 25_000, noise: 0 },
    Level { nodes: 80_000, noise: 0 },
];

/// The first levels that answer open threes, that search for wins by fours, and that search for
/// wins by threats.
const OPEN_THREES_LEVEL: i64 = 3;
const VCF_LEVEL: i64 = 5;
const VCT_LEVEL: i64 = 8;

/// The engine's parts.
struct GomokuAlpha;

impl SearchConfig for GomokuAlpha {
    type Rules = Gomoku;
    type Analyzer = PatternAnalyzer;
    type Evaluator = NullEvaluator;

    fn describe(description: &mut Description) {
        description.name = "Gomoku Alpha".into();
        description.abilities.helpers = true;
        description.options =
            EngineLimits::options("memory of the transposition table and the proof tables");
        description.options.push(parallel_option());
        description.options.extend(Weights::new(&PATTERN_WEIGHTS).options());
    }

    fn start(
        game: &NewGame<'_, Gomoku>,
    ) -> Result<GameSearch<Gomoku, PatternAnalyzer, NullEvaluator>, String> {
        let weights = game.weights(&PATTERN_WEIGHTS)?;
        let limits = EngineLimits::from_options(game, &LEVEL_TABLE);
        let noise = limits.noise(game.setup.seed);
        let level = game.whole("level");
        let knows = |first| level == 0 || level >= first;
        let skill = Skill {
            vcf: knows(VCF_LEVEL),
            vct: knows(VCT_LEVEL),
            sees_open_threes: knows(OPEN_THREES_LEVEL),
            noise,
        };
        // A quarter of the memory for proofs, the rest for positions.
        let bytes = game.table_bytes("table-mib");
        let analyzer = PatternAnalyzer::new(&weights, skill, bytes / 4);
        let table_bytes = bytes / 4 * 3;
        let search =
            StrongGomokuSearch::with_parts(analyzer, NullEvaluator, Switches::ALL, table_bytes);
        let search = search.with_parallel_mode(ParallelMode::from_options(game));
        Ok(GameSearch { limits, ..GameSearch::new(search) })
    }
}

export_engine!(SearchEngine<GomokuAlpha>);
