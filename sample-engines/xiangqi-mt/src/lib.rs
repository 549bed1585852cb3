//! The strong engine of xiangqi: the SDK's search with quiescence, null moves and late move
//! reductions over an evaluation made by hand, which knows that perpetual checks and chases
//! lose. How it works, with sources and figures: `docs/engines.md`. Plays at full strength or
//! at one of ten levels.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(test)]
mod tests;

use sandboard_sdk::abi::Description;
use sandboard_sdk::games::xiangqi::Xiangqi;
use sandboard_sdk::search::{Way, way_option};
use sandboard_sdk::xiangqi::{Order, WEIGHTS, Worth, XiangqiSearch};
use sandboard_sdk::{
    Chooser, Host, LEVELS, Level, NewGame, Noise, Noisy, OwnLimits, Reply, Switches, Task, Turn,
    Weights, export_engine,
};

/// What the levels search, and by how many hundredths of a pawn they are mistaken.
const LEVEL_NODES: [Level; LEVELS] = [
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

/// The engine: a search that is made when the game begins.
#[derive(Default)]
pub struct XiangqiMt {
    search: Option<XiangqiSearch>,
    own: OwnLimits,
}

impl Chooser for XiangqiMt {
    type Rules = Xiangqi;

    fn next_move(&mut self, turn: &mut Turn<'_, Xiangqi>) -> Reply<Xiangqi> {
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
        description.name = "Xiangqi MT".into();
        description.abilities.helpers = true;
        description.options = OwnLimits::options("memory of the table of positions");
        description.options.push(way_option());
        description.options.extend(Weights::new(&WEIGHTS).options());
    }

    fn started(&mut self, game: &NewGame<'_, Xiangqi>) -> Result<(), String> {
        let weights = game.weights(&WEIGHTS)?;
        self.own = OwnLimits::of(game, &LEVEL_NODES);
        let noise = self.own.level.map_or(Noise::NONE, |level| level.mistakes(game.setup.seed));
        let evaluator = Noisy { evaluator: Worth::new(&weights), noise };
        let search = XiangqiSearch::with(
            Order::default(),
            evaluator,
            Switches::ALL,
            game.table_bytes("table-mib"),
        );
        self.search = Some(search.in_way(Way::of(game)));
        Ok(())
    }

    fn ponder(&mut self, position: &Xiangqi, host: &Host) {
        if let Some(search) = &mut self.search {
            search.ponder(position, host);
        }
    }

    fn ponders(&self) -> bool {
        // A level that thought longer would be another one.
        self.own.level.is_none()
    }
}

export_engine!(XiangqiMt);
