//! The SDK's search skeleton put together for gomoku: alpha-beta over the
//! candidates of [`Lines`](sandboard_sdk::gomoku::Lines), valued by
//! [`Windows`](sandboard_sdk::gomoku::Windows). Every technique of the search is
//! an option, so that one can see what it is worth.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use sandboard_sdk::abi::{Description, Level, Limits};
use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::gomoku::GomokuSearch;
use sandboard_sdk::search::{MAX_PLY, SWITCHES};
use sandboard_sdk::{Chooser, NewGame, Reply, Switches, Task, Turn, export_engine, toggle, whole};

/// The engine: a search that is made when the game begins.
#[derive(Default)]
struct GomokuSimple {
    search: Option<GomokuSearch>,
    depth: Option<u32>,
    nodes: Option<u64>,
}

impl GomokuSimple {
    /// The host's limits, and the engine's own where they are tighter.
    fn limits(&self, host: &Limits) -> Limits {
        fn tighter<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
            a.into_iter().chain(b).min()
        }
        Limits {
            depth: tighter(host.depth, self.depth),
            nodes: tighter(host.nodes, self.nodes),
            ..host.clone()
        }
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
        let switches = SWITCHES.iter().map(|switch| toggle(switch.name, true, switch.about));
        description.options.extend(switches);
    }

    fn started(&mut self, game: &NewGame<'_, Gomoku>) -> Result<(), String> {
        let mut switches = Switches::CLASSIC;
        for switch in &SWITCHES {
            switches.set(switch.name, game.toggle(switch.name));
        }
        let table_bytes = table_bytes(game);
        let positive = |value: i64| u64::try_from(value).ok().filter(|value| *value > 0);
        self.depth = positive(game.whole("depth")).map(|depth| depth as u32);
        self.nodes = positive(game.whole("nodes"));
        self.search = Some(GomokuSearch::new(switches, table_bytes));
        Ok(())
    }
}

/// What the table may hold: what the option says, and half of the host's cap at most.
fn table_bytes(game: &NewGame<'_, Gomoku>) -> usize {
    let wanted = usize::try_from(game.whole("table-mib") << 20).unwrap_or(usize::MAX);
    let cap = usize::try_from(game.setup.memory_bytes).unwrap_or(usize::MAX);
    if cap == 0 || wanted <= cap / 2 {
        return wanted;
    }
    let mib = cap / 2 / (1 << 20);
    let text = format!("the table has {mib} MiB: half of what the host admits");
    game.host.log(Level::Warning, &text);
    cap / 2
}

export_engine!(GomokuSimple);
