//! A simple engine of gomoku: the SDK's alpha-beta search with the candidates of [`LineAnalyzer`]
//! and the values of [`WindowEvaluator`]. Every technique of the search is an option, so that its
//! effect can be measured. It plays at full strength or at one of ten levels.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use sandboard_sdk::abi::Description;
use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::gomoku::{LineAnalyzer, WindowEvaluator};
use sandboard_sdk::search::{ParallelMode, SWITCHES, Switch, parallel_option};
use sandboard_sdk::{
    EngineLimits, GameSearch, LEVELS, Level, NewGame, NoisyEvaluator, Search, SearchConfig,
    SearchEngine, Switches, export_engine, toggle_option,
};

/// The levels of strength; noise in hundredths of a stone.
const LEVEL_TABLE: [Level; LEVELS] = [
    Level { nodes: 100, noise: 800 },
    Level { nodes: 150, noise: 400 },
    Level { nodes: 250, noise: 200 },
    Level { nodes: 400, noise: 120 },
    Level { nodes: 800, noise: 80 },
    Level { nodes: 1_500, noise: 50 },
    Level { nodes: 3_000, noise: 30 },
    Level { nodes: 8_000, noise: 10 },
    Level { nodes: 20_000, noise: 0 },
    Level { nodes: 60_000, noise: 0 },
];

/// The techniques that are options.
fn techniques() -> impl Iterator<Item = &'static Switch> {
    SWITCHES.iter().filter(|switch| switch.is_on(&Switches::CLASSIC))
}

/// The engine's parts.
struct GomokuSimple;

impl SearchConfig for GomokuSimple {
    type Rules = Gomoku;
    type Analyzer = LineAnalyzer;
    type Evaluator = NoisyEvaluator<WindowEvaluator>;

    const CONTINUES_PONDERING: bool = false;

    fn describe(description: &mut Description) {
        description.name = "Gomoku Simple".into();
        description.abilities.helpers = true;
        description.options = EngineLimits::options("memory of the transposition table");
        let switches = techniques().map(|switch| toggle_option(switch.name, true, switch.about));
        description.options.push(parallel_option());
        description.options.extend(switches);
    }

    fn start(
        game: &NewGame<'_, Gomoku>,
    ) -> Result<GameSearch<Gomoku, LineAnalyzer, NoisyEvaluator<WindowEvaluator>>, String> {
        let mut switches = Switches::CLASSIC;
        for switch in techniques() {
            switches.set(switch.name, game.toggle(switch.name));
        }
        let table_bytes = game.table_bytes("table-mib");
        let limits = EngineLimits::from_options(game, &LEVEL_TABLE);
        let noise = limits.noise(game.setup.seed);
        let evaluator = NoisyEvaluator { evaluator: WindowEvaluator::default(), noise };
        let search = Search::with_parts(LineAnalyzer::default(), evaluator, switches, table_bytes);
        let search = search.with_parallel_mode(ParallelMode::from_options(game));
        Ok(GameSearch { limits, ..GameSearch::new(search) })
    }
}

export_engine!(SearchEngine<GomokuSimple>);
