//! The SDK's search with the first evaluation that comes to mind: discs and
//! corners, every legal move a candidate. Short enough to read before breakfast,
//! and the yardstick that better engines of reversi are held against.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use sandboard_sdk::abi::{Description, Limits};
use sandboard_sdk::games::Outcome;
use sandboard_sdk::games::reversi::{Color, Move, Reversi, Square};
use sandboard_sdk::search::{MAX_PLY, Way, equals_option, varies, way_option};
use sandboard_sdk::{
    AllMoves, Chooser, Evaluator, LEVELS, Level, NewGame, Noise, Noisy, Reply, Search, Switches,
    Task, Turn, export_engine, level_option, whole,
};

/// What the levels search, and by how many discs they are mistaken.
const NODES: [Level; LEVELS] = [
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

/// Discs that a corner is worth.
const CORNER: i32 = 10;

/// Counts discs, and corners as ten more.
#[derive(Clone, Copy, Debug, Default)]
struct DiscsAndCorners;

impl Evaluator<Reversi> for DiscsAndCorners {
    const USUAL_CHANGE: i32 = 8;

    fn value(&self, position: &Reversi) -> i32 {
        let own = position.color_to_move();
        let discs = position.count(own) as i32 - position.count(own.other()) as i32;
        let sign = |color: Color| if color == own { CORNER } else { -CORNER };
        let held = corners(position).filter_map(|corner| position.disc_at(corner));
        discs + held.map(sign).sum::<i32>()
    }

    /// Corners are tried first.
    fn move_value(&self, position: &Reversi, mv: Move) -> i32 {
        let is_corner = mv.square().is_some_and(|square| corners(position).any(|c| c == square));
        if is_corner { 100 } else { 0 }
    }

    /// The result in discs, however far away.
    fn final_value(&self, position: &Reversi, outcome: Outcome, _: u32) -> i32 {
        if position.color_to_move() == Color::Black { outcome.score } else { -outcome.score }
    }
}

/// The corners of the board.
fn corners(position: &Reversi) -> impl Iterator<Item = Square> {
    let last = position.size() - 1;
    let corners = [(0, 0), (last, 0), (0, last), (last, last)];
    corners.into_iter().filter_map(|(column, row)| Square::new(column, row))
}

/// The engine: a search that is made when the game begins.
#[derive(Default)]
struct ReversiSimple {
    search: Option<Search<Reversi, AllMoves, Noisy<DiscsAndCorners>>>,
    level: Option<Level>,
    depth: Option<u32>,
    varies: bool,
}

impl ReversiSimple {
    /// The host's limits, and the engine's own where they are tighter: a level's nodes,
    /// else the depth.
    fn limits(&self, host: &Limits) -> Limits {
        let depth = host.depth.into_iter().chain(self.depth).min();
        let to_depth = || Limits { depth, ..host.clone() };
        self.level.map_or_else(to_depth, |level| level.limits(host))
    }
}

impl Chooser for ReversiSimple {
    type Rules = Reversi;

    fn next_move(&mut self, turn: &mut Turn<'_, Reversi>) -> Reply<Reversi> {
        let limits = self.limits(turn.limits);
        let Some(search) = &mut self.search else { return Reply::resign() };
        let task = Task { limits: &limits, barred: turn.barred, host: turn.host };
        let found = match self.varies {
            true => search.vary(turn, &limits),
            false => search.run(turn.position, task),
        };
        match found.best {
            Some(mv) => Reply::play(mv).with_line(found.line),
            None => Reply::resign(),
        }
    }

    fn describe(description: &mut Description) {
        description.name = "Reversi Simple".into();
        description.abilities.helpers = true;
        description.options = vec![
            level_option(),
            whole(
                "depth",
                0..=MAX_PLY.into(),
                4,
                "search no deeper, in plies, unless a level is set; 0: as the budget has it",
            ),
            whole("table-mib", 1..=1024, 4, "memory of the transposition table"),
            way_option(),
            equals_option(),
        ];
    }

    fn started(&mut self, game: &NewGame<'_, Reversi>) -> Result<(), String> {
        self.depth = u32::try_from(game.whole("depth")).ok().filter(|depth| *depth > 0);
        self.varies = varies(game);
        self.level = Level::of(&NODES, game.whole("level"));
        let noise = self.level.map_or(Noise::NONE, |level| level.mistakes(game.setup.seed));
        let evaluator = Noisy { evaluator: DiscsAndCorners, noise };
        let table_bytes = game.table_bytes("table-mib");
        let search = Search::with(AllMoves, evaluator, Switches::CLASSIC, table_bytes);
        self.search = Some(search.in_way(Way::of(game)));
        Ok(())
    }

    fn ponders(&self) -> bool {
        // A level that thought longer would be another one.
        self.level.is_none()
    }
}

export_engine!(ReversiSimple);
