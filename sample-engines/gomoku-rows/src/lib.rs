//! Gomoku by the patterns in all rows of the board, with every weight an option: the engine
//! whose knowledge is meant to be tuned. The search is the SDK's, over the candidates
//! of [`Lines`]; what a pattern is and which weights are whose, `docs/gomoku.md` says.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod pattern;
pub mod rows;
#[cfg(test)]
mod tests;
pub mod weights;

use sandboard_sdk::abi::Description;
use sandboard_sdk::games::gomoku::{Gomoku, Rule};
use sandboard_sdk::gomoku::Lines;
use sandboard_sdk::search::{Way, way_option};
use sandboard_sdk::{
    Chooser, Host, LEVELS, Level, NewGame, Noise, Noisy, OwnLimits, Reply, Search, Switches, Task,
    Turn, Weights, export_engine,
};

use crate::rows::Rows;
use crate::weights::WEIGHTS;

/// What the levels search, and by how much they are mistaken.
const NODES: [Level; LEVELS] = [
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

/// The engine: a search that is made when the game begins.
#[derive(Default)]
pub struct GomokuRows {
    search: Option<Search<Gomoku, Lines, Noisy<Rows>>>,
    own: OwnLimits,
}

impl Chooser for GomokuRows {
    type Rules = Gomoku;

    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        let limits = self.own.within(turn.limits);
        let Some(search) = &mut self.search else { return Reply::resign() };
        let task = Task { limits: &limits, barred: turn.barred, host: turn.host };
        let found = search.run(turn.position, task);
        match found.best {
            Some(mv) => Reply::play(mv).with_line(found.line),
            None => Reply::resign(),
        }
    }

    fn describe(description: &mut Description) {
        description.name = "Gomoku Rows".into();
        description.abilities.helpers = true;
        for spec in &mut description.games {
            // Neither forbidden points nor blocked fives are in its patterns.
            spec.variants = [Rule::Freestyle, Rule::Standard].map(|rule| rule.id().into()).into();
        }
        description.options = OwnLimits::options("memory of the transposition table");
        description.options.push(way_option());
        description.options.extend(Weights::new(&WEIGHTS).options());
    }

    fn started(&mut self, game: &NewGame<'_, Gomoku>) -> Result<(), String> {
        let weights = game.weights(&WEIGHTS)?;
        self.own = OwnLimits::of(game, &NODES);
        let noise = self.own.level.map_or(Noise::NONE, |level| level.mistakes(game.setup.seed));
        let evaluator = Noisy { evaluator: Rows::new(&weights), noise };
        let table_bytes = game.table_bytes("table-mib");
        let search = Search::with(Lines::default(), evaluator, Switches::CLASSIC, table_bytes);
        self.search = Some(search.in_way(Way::of(game)));
        Ok(())
    }

    fn ponder(&mut self, position: &Gomoku, host: &Host) {
        if let Some(search) = &mut self.search {
            search.ponder(position, host);
        }
    }

    fn ponders(&self) -> bool {
        // A level that thought longer would be another one.
        self.own.level.is_none()
    }
}

export_engine!(GomokuRows);
