//! The strong engine of gomoku: the SDK's search with all its techniques over
//! [`Patterns`], which sees what every line makes
//! of every point and finds wins by continuous fours and threes. How it works,
//! with sources and figures: `docs/engines.md`. Plays at full strength or at one
//! of ten levels.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use sandboard_sdk::abi::Description;
use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::gomoku::{PATTERN_WEIGHTS, Patterns, Skill, StrongGomokuSearch};
use sandboard_sdk::search::{Way, way_option};
use sandboard_sdk::{
    Chooser, Host, LEVELS, Level, NewGame, NoValue, Noise, OwnLimits, Reply, Switches, Task, Turn,
    Weights, export_engine,
};

/// What the levels search, and by how much they are mistaken.
const NODES: [Level; LEVELS] = [
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

/// The first level that sees an open three coming, that looks for wins by fours,
/// and by threes.
const FORESIGHT: i64 = 3;
const FOURS: i64 = 5;
const THREES: i64 = 8;

/// The engine: a search that is made when the game begins.
#[derive(Default)]
struct GomokuAlpha {
    search: Option<StrongGomokuSearch>,
    own: OwnLimits,
}

impl Chooser for GomokuAlpha {
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
        description.name = "Gomoku Alpha".into();
        description.abilities.helpers = true;
        description.options =
            OwnLimits::options("memory of the tables: of positions and of proofs");
        description.options.push(way_option());
        description.options.extend(Weights::new(&PATTERN_WEIGHTS).options());
    }

    fn started(&mut self, game: &NewGame<'_, Gomoku>) -> Result<(), String> {
        let weights = game.weights(&PATTERN_WEIGHTS)?;
        self.own = OwnLimits::of(game, &NODES);
        let level = game.whole("level");
        // A quarter of the memory for proofs, the rest for positions.
        let bytes = game.table_bytes("table-mib");
        let analyzer = Patterns::new(&weights, skill(level, game.setup.seed), bytes / 4);
        let table = bytes / 4 * 3;
        let search = StrongGomokuSearch::with(analyzer, NoValue, Switches::ALL, table);
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

/// What a level can do; 0: everything.
fn skill(level: i64, seed: u64) -> Skill {
    let from = |first| level == 0 || level >= first;
    let noise = Level::of(&NODES, level).map_or(Noise::NONE, |level| level.mistakes(seed));
    Skill { fours: from(FOURS), threes: from(THREES), foresight: from(FORESIGHT), noise }
}

export_engine!(GomokuAlpha);
