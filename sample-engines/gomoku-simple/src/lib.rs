//! The SDK's search skeleton put together for gomoku: alpha-beta over the
//! candidates of [`Lines`], valued by [`Windows`]. Every technique of the search is
//! an option, so that one can see what it is worth; and ten levels of strength.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use sandboard_sdk::abi::{Description, Limits};
use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::gomoku::{Lines, Windows};
use sandboard_sdk::search::{MAX_PLY, SWITCHES, Switch};
use sandboard_sdk::{
    Chooser, LEVELS, Level, NewGame, Noise, Noisy, Reply, Search, Switches, Task, Turn,
    export_engine, level_option, toggle, whole,
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
    level: Option<Level>,
    depth: Option<u32>,
    nodes: Option<u64>,
}

impl GomokuSimple {
    /// The host's limits, and the engine's own where they are tighter.
    fn limits(&self, host: &Limits) -> Limits {
        fn tighter<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
            a.into_iter().chain(b).min()
        }
        let limits = Limits {
            depth: tighter(host.depth, self.depth),
            nodes: tighter(host.nodes, self.nodes),
            ..host.clone()
        };
        self.level.map_or(limits.clone(), |level| level.limits(&limits))
    }
}

impl Chooser for GomokuSimple {
    type Rules = Gomoku;

    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        let limits = self.limits(turn.limits);
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
        description.options = vec![
            level_option(),
            whole(
                "depth",
                0..=MAX_PLY.into(),
                0,
                "search no deeper, in plies; 0: as the budget has it",
            ),
            whole(
                "nodes",
                0..=1_000_000_000,
                0,
                "search no more nodes a move; 0: as the budget has it",
            ),
            whole("table-mib", 1..=1024, 16, "memory of the transposition table"),
        ];
        let switches = techniques().map(|switch| toggle(switch.name, true, switch.about));
        description.options.extend(switches);
    }

    fn started(&mut self, game: &NewGame<'_, Gomoku>) -> Result<(), String> {
        let mut switches = Switches::CLASSIC;
        for switch in techniques() {
            switches.set(switch.name, game.toggle(switch.name));
        }
        let table_bytes = game.table_bytes("table-mib");
        let positive = |value: i64| u64::try_from(value).ok().filter(|value| *value > 0);
        self.depth = positive(game.whole("depth")).map(|depth| depth as u32);
        self.nodes = positive(game.whole("nodes"));
        self.level = Level::of(&NODES, game.whole("level"));
        let noise = self.level.map_or(Noise::NONE, |level| level.mistakes(game.setup.seed));
        let evaluator = Noisy { evaluator: Windows::default(), noise };
        self.search = Some(Search::with(Lines::default(), evaluator, switches, table_bytes));
        Ok(())
    }

    fn ponders(&self) -> bool {
        // A level that thought longer would be another one.
        self.level.is_none()
    }
}

export_engine!(GomokuSimple);
