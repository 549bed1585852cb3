//! The strong engine of reversi. On 8×8 it searches with the SDK's search over an evaluation by
//! patterns, whose weights were trained on its own games (`cargo xtask train reversi`). It solves
//! the endgame exactly as soon as that fits its time. On other sizes it searches with a plain
//! evaluation. How it works, with sources and measurements: `docs/engines.md`. It plays at full
//! strength or at one of ten levels.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod endgame;
pub mod endgame_request;
pub mod eval;
pub mod midgame;
pub mod move_budget;
pub mod other_boards;
pub mod standard_board;

#[cfg(test)]
mod tests;

use sandboard_sdk::abi::Description;
use sandboard_sdk::games::reversi::Reversi;
use sandboard_sdk::{
    AllMoves, Chooser, EngineLimits, Host, LEVELS, Level, NewGame, Noise, NoisyEvaluator, Reply,
    Search, SearchTask, Turn, export_engine, whole_option,
};

use eval::DISC;
use other_boards::PlainEvaluator;
use standard_board::{SEARCH_SWITCHES, StandardBoardPlayer};

/// The levels of strength; noise in 128ths of a disc on 8×8, and scaled to the evaluator's unit on
/// other sizes.
const LEVEL_TABLE: [Level; LEVELS] = [
    Level { nodes: 20, noise: 20 * DISC },
    Level { nodes: 40, noise: 12 * DISC },
    Level { nodes: 80, noise: 8 * DISC },
    Level { nodes: 150, noise: 5 * DISC },
    Level { nodes: 300, noise: 3 * DISC },
    Level { nodes: 800, noise: 2 * DISC },
    Level { nodes: 2_000, noise: DISC },
    Level { nodes: 6_000, noise: DISC / 2 },
    Level { nodes: 20_000, noise: 0 },
    Level { nodes: 80_000, noise: 0 },
];

/// The search for boards other than 8×8.
type OtherBoardSearch = Search<Reversi, AllMoves, NoisyEvaluator<PlainEvaluator>>;

/// The player for the size of the board.
enum Player {
    Standard(Box<StandardBoardPlayer>),
    Other(Box<OtherBoardSearch>),
}

/// The engine; its player is made when a game begins.
#[derive(Default)]
struct ReversiPonder {
    player: Option<Player>,
    limits: EngineLimits,
}

impl Chooser for ReversiPonder {
    type Rules = Reversi;

    fn next_move(&mut self, turn: &mut Turn<'_, Reversi>) -> Reply<Reversi> {
        let limits = self.limits.apply(turn.limits);
        let task = SearchTask { limits: &limits, barred: turn.barred, host: turn.host };
        match &mut self.player {
            Some(Player::Standard(player)) => player.choose(turn.position, task),
            Some(Player::Other(search)) => search.run(turn.position, task).into(),
            None => Reply::resign(),
        }
    }

    fn describe(description: &mut Description) {
        description.name = "Reversi Ponder".into();
        description.abilities.ponders = true;
        description.abilities.proves = true;
        // Threads also solve endgames together; instances do not.
        description.abilities.helpers = true;
        description.options =
            EngineLimits::options("memory of the transposition table and the endgame table");
        description.options.extend([whole_option(
            "prob-cut-margin",
            0..=50,
            9,
            "margin of ProbCut, in tenths of a standard deviation; 0: no ProbCut",
        )]);
    }

    fn started(&mut self, game: &NewGame<'_, Reversi>) -> Result<(), String> {
        self.limits = EngineLimits::from_options(game, &LEVEL_TABLE);
        let noise = self.limits.noise(game.setup.seed);
        let bytes = game.table_bytes("table-mib");
        self.player = Some(if game.position.discs().is_some() {
            let margin_tenths =
                i32::try_from(game.whole("prob-cut-margin")).map_err(|e| e.to_string())?;
            Player::Standard(Box::new(StandardBoardPlayer::new(
                margin_tenths,
                noise,
                bytes,
                game.setup.threads.max(1).into(),
            )))
        } else {
            let noise = Noise { size: noise.size * other_boards::UNITS_PER_DISC / DISC, ..noise };
            let evaluator = NoisyEvaluator { evaluator: PlainEvaluator, noise };
            Player::Other(Box::new(Search::with_parts(AllMoves, evaluator, SEARCH_SWITCHES, bytes)))
        });
        Ok(())
    }

    fn ponders(&self) -> bool {
        self.limits.level.is_none()
    }

    fn ponder(&mut self, position: &Reversi, host: &Host) {
        match &mut self.player {
            Some(Player::Standard(player)) => player.ponder(position, host),
            Some(Player::Other(search)) => search.ponder(position, host),
            None => (),
        }
    }
}

export_engine!(ReversiPonder);
