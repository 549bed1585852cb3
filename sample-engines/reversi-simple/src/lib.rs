//! A simple engine of reversi: the SDK's search over discs and corners, with every legal move a
//! candidate. It is short enough to read first, and a baseline for stronger engines of reversi.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use sandboard_sdk::abi::Description;
use sandboard_sdk::games::Outcome;
use sandboard_sdk::games::reversi::{Color, Move, Reversi, Square};
use sandboard_sdk::search::{
    MAX_PLY, ParallelMode, equal_moves_option, parallel_option, wants_random_equal_move,
};
use sandboard_sdk::{
    AllMoves, EngineLimits, Evaluator, GameSearch, LEVELS, Level, NewGame, NoisyEvaluator, Search,
    SearchConfig, SearchEngine, Switches, export_engine, level_option, whole_option,
};

/// The levels of strength; noise in discs.
const LEVEL_TABLE: [Level; LEVELS] = [
    Level { nodes: 4, noise: 60 },
    Level { nodes: 12, noise: 30 },
    Level { nodes: 40, noise: 12 },
    Level { nodes: 80, noise: 8 },
    Level { nodes: 150, noise: 5 },
    Level { nodes: 300, noise: 3 },
    Level { nodes: 800, noise: 2 },
    Level { nodes: 2_000, noise: 1 },
    Level { nodes: 6_000, noise: 0 },
    Level { nodes: 25_000, noise: 0 },
];

/// The value of a corner, in discs.
const CORNER_VALUE: i32 = 10;

/// Evaluates the difference of discs, plus ten for each corner.
#[derive(Clone, Copy, Debug, Default)]
struct DiscsAndCorners;

impl Evaluator<Reversi> for DiscsAndCorners {
    const ASPIRATION_MARGIN: i32 = 8;

    fn value(&self, position: &Reversi) -> i32 {
        let own = position.color_to_move();
        let discs = position.count(own) as i32 - position.count(own.other()) as i32;
        let sign = |color: Color| if color == own { CORNER_VALUE } else { -CORNER_VALUE };
        let corner_discs = corners(position).filter_map(|corner| position.disc_at(corner));
        discs + corner_discs.map(sign).sum::<i32>()
    }

    /// Corners are searched first.
    fn move_value(&self, position: &Reversi, mv: Move) -> i32 {
        let is_corner = mv.square().is_some_and(|square| corners(position).any(|c| c == square));
        if is_corner { 100 } else { 0 }
    }

    /// The result in discs, at any distance from the root.
    fn final_value(&self, position: &Reversi, outcome: Outcome, _: u32) -> i32 {
        if position.color_to_move() == Color::Black { outcome.score } else { -outcome.score }
    }
}

/// The four corners of the board.
fn corners(position: &Reversi) -> impl Iterator<Item = Square> {
    let last = position.size() - 1;
    let corners = [(0, 0), (last, 0), (0, last), (last, last)];
    corners.into_iter().filter_map(|(column, row)| Square::new(column, row))
}

/// The engine's parts.
struct ReversiSimple;

impl SearchConfig for ReversiSimple {
    type Rules = Reversi;
    type Analyzer = AllMoves;
    type Evaluator = NoisyEvaluator<DiscsAndCorners>;

    const CONTINUES_PONDERING: bool = false;

    fn describe(description: &mut Description) {
        description.name = "Reversi Simple".into();
        description.abilities.helpers = true;
        description.options = vec![
            level_option(),
            whole_option(
                "depth",
                0..=MAX_PLY.into(),
                4,
                "maximum depth in plies, without effect on a level; 0: limited by the budget only",
            ),
            whole_option("table-mib", 1..=1024, 4, "memory of the transposition table"),
            parallel_option(),
            equal_moves_option(),
        ];
    }

    fn start(
        game: &NewGame<'_, Reversi>,
    ) -> Result<GameSearch<Reversi, AllMoves, NoisyEvaluator<DiscsAndCorners>>, String> {
        let options = EngineLimits::from_options(game, &LEVEL_TABLE);
        let depth = options.depth.filter(|_| options.level.is_none());
        let limits = EngineLimits { depth, ..options };
        let noise = limits.noise(game.setup.seed);
        let evaluator = NoisyEvaluator { evaluator: DiscsAndCorners, noise };
        let table_bytes = game.table_bytes("table-mib");
        let search = Search::with_parts(AllMoves, evaluator, Switches::CLASSIC, table_bytes);
        Ok(GameSearch {
            search: search.with_parallel_mode(ParallelMode::from_options(game)),
            limits,
            varies_equal_moves: wants_random_equal_move(game),
        })
    }
}

export_engine!(SearchEngine<ReversiSimple>);
