//! The SDK's search skeleton put together for gomoku: alpha-beta over the
//! candidates of [`Lines`], valued by [`Windows`]. Every technique of the search is
//! an option, so that one can see what it is worth; and ten levels of strength.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use sandboard_sdk::abi::Description;
use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::gomoku::{Lines, Windows};
use sandboard_sdk::search::{SWITCHES, Switch, Way, way_option};
use sandboard_sdk::{
    Chooser, LEVELS, Level, NewGame, Noise, Noisy, OwnLimits, Reply, Search, Switches, Task, Turn,
    export_engine, toggle,
};

/// What the levels search, and by how much they are mistaken.
const NODES: [Level; LEVELS] = [
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

/// The techniques that it uses.
fn techniques() -> impl Iterator<Item = &'static Switch> {
    SWITCHES.iter().filter(|switch| switch.is_on(&Switches::CLASSIC))
}

/// The engine: a search that is made when the game begins.
#[derive(Default)]
struct GomokuSimple {
    search: Option<Search<Gomoku, Lines, Noisy<Windows>>>,
    own: OwnLimits,
}

impl Chooser for GomokuSimple {
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
        description.name = "Gomoku Simple".into();
        description.abilities.helpers = true;
        description.options = OwnLimits::options("memory of the transposition table");
        let switches = techniques().map(|switch| toggle(switch.name, true, switch.about));
        description.options.push(way_option());
        description.options.extend(switches);
    }

    fn started(&mut self, game: &NewGame<'_, Gomoku>) -> Result<(), String> {
        let mut switches = Switches::CLASSIC;
        for switch in techniques() {
            switches.set(switch.name, game.toggle(switch.name));
        }
        let table_bytes = game.table_bytes("table-mib");
        self.own = OwnLimits::of(game, &NODES);
        let noise = self.own.level.map_or(Noise::NONE, |level| level.mistakes(game.setup.seed));
        let evaluator = Noisy { evaluator: Windows::default(), noise };
        let search = Search::with(Lines::default(), evaluator, switches, table_bytes);
        self.search = Some(search.in_way(Way::of(game)));
        Ok(())
    }

    fn ponders(&self) -> bool {
        // A level that thought longer would be another one.
        self.own.level.is_none()
    }
}

export_engine!(GomokuSimple);
