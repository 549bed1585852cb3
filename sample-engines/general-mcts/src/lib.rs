//! An engine for several plugged-in games with chance, hidden information or moves at the same
//! time: the SDK's information-set Monte-Carlo tree search, over the rules of each game. To add a
//! game, make its rules a dependency, and add a row to `GAMES` and to the manifest.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod player;

use sandboard_sdk::abi::{Barred, Choice, Description, Limits, Setup};
use sandboard_sdk::{CrateInfo, Engine, Host, export_engine};

use player::{GameRow, Player};

/// The games that the engine plays.
const GAMES: [GameRow; 2] =
    [GameRow::of::<goofspiel::Goofspiel>(), GameRow::of::<kuhn_poker::KuhnPoker>()];

/// The engine: the player of the game that the setup names.
struct GeneralMcts(Box<dyn Player>);

impl Engine for GeneralMcts {
    fn describe(crate_info: CrateInfo) -> Description {
        let mut description = Description::default();
        for row in &GAMES {
            let of_game = (row.describe)(crate_info);
            let games = description.games.drain(..).chain(of_game.games).collect();
            description = Description { games, name: "General MCTS".to_owned(), ..of_game };
        }
        description
    }

    fn start(setup: &Setup, host: Host) -> Result<Self, String> {
        let row = GAMES.iter().find(|row| row.game == setup.game);
        let row = row.ok_or_else(|| format!("does not play {}", setup.game))?;
        (row.start)(setup, host).map(Self)
    }

    fn played(&mut self, mv: &str) -> Result<(), String> {
        self.0.played(mv)
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), String> {
        self.0.taken_back(plies)
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Choice, String> {
        self.0.choose(limits, barred)
    }
}

export_engine!(engine GeneralMcts);

#[cfg(test)]
mod tests;
