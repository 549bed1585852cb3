//! The strong engine of reversi. On 8×8 it looks ahead with the SDK's search over
//! an evaluation by patterns, whose weights its own games have taught
//! (`cargo xtask train reversi`), and solves the end exactly as soon as that fits
//! into its time; on other sizes it looks ahead with a plain evaluation. How it
//! works, with sources and figures: `docs/engines.md`. Plays at full strength or
//! at one of ten levels.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod eight;
pub mod endgame;
pub mod ending;
pub mod eval;
pub mod midgame;
pub mod share;
pub mod wide;

#[cfg(test)]
mod tests;

use sandboard_sdk::abi::Description;
use sandboard_sdk::games::reversi::Reversi;
use sandboard_sdk::{
    AllMoves, Chooser, Host, LEVELS, Level, NewGame, Noise, Noisy, OwnLimits, Reply, Search, Task,
    Turn, export_engine, whole,
};

use eight::{Eight, SWITCHES, reply};
use eval::DISC;
use wide::Plain;

/// What the levels search, and by how much they are mistaken: in 128ths of a disc,
/// on other sizes than 8×8 in as many quarters of a disc as that is discs.
const NODES: [Level; LEVELS] = [
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

/// The search of all other sizes.
type WideSearch = Search<Reversi, AllMoves, Noisy<Plain>>;

/// What plays, by the size of the board.
enum Player {
    Eight(Box<Eight>),
    Wide(Box<WideSearch>),
}

/// The engine: its searches are made when the game begins.
#[derive(Default)]
struct ReversiPonder {
    player: Option<Player>,
    own: OwnLimits,
}

impl Chooser for ReversiPonder {
    type Rules = Reversi;

    fn next_move(&mut self, turn: &mut Turn<'_, Reversi>) -> Reply<Reversi> {
        let limits = self.own.within(turn.limits);
        let task = Task { limits: &limits, barred: turn.barred, host: turn.host };
        match &mut self.player {
            Some(Player::Eight(eight)) => eight.choose(turn.position, task),
            Some(Player::Wide(search)) => reply(search.run(turn.position, task)),
            None => Reply::resign(),
        }
    }

    fn describe(description: &mut Description) {
        description.name = "Reversi Ponder".into();
        description.abilities.ponders = true;
        description.abilities.proves = true;
        // Threads solve endings together, too; instances do not.
        description.abilities.helpers = true;
        description.options =
            OwnLimits::options("memory of the tables: of positions and of endings");
        description.options.extend([whole(
            "caution",
            0..=50,
            9,
            "how sure a probable cut has to be, in tenths of a standard deviation; 0: no such cuts",
        )]);
    }

    fn started(&mut self, game: &NewGame<'_, Reversi>) -> Result<(), String> {
        self.own = OwnLimits::of(game, &NODES);
        let noise = self.own.level.map_or(Noise::NONE, |level| level.mistakes(game.setup.seed));
        let bytes = game.table_bytes("table-mib");
        self.player = Some(if game.position.discs().is_some() {
            let caution = i32::try_from(game.whole("caution")).map_err(|e| e.to_string())?;
            Player::Eight(Box::new(Eight::new(
                caution,
                noise,
                bytes,
                game.setup.threads.max(1).into(),
            )))
        } else {
            let noise = Noise { size: noise.size * wide::QUARTERS / DISC, ..noise };
            let evaluator = Noisy { evaluator: Plain, noise };
            Player::Wide(Box::new(Search::with(AllMoves, evaluator, SWITCHES, bytes)))
        });
        Ok(())
    }

    fn ponders(&self) -> bool {
        self.own.level.is_none()
    }

    fn ponder(&mut self, position: &Reversi, host: &Host) {
        match &mut self.player {
            Some(Player::Eight(eight)) => eight.ponder(position, host),
            Some(Player::Wide(search)) => search.ponder(position, host),
            None => (),
        }
    }
}

export_engine!(ReversiPonder);
