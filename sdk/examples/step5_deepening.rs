//! Step 5 of the tutorial in docs/authoring.md: iterative deepening within the budget, a
//! transposition table, reports and options. Analyzer and evaluator are those of step 4.
#![forbid(unsafe_code)]

use sandboard_sdk::abi::Description;
use sandboard_sdk::games::gomoku::{Direction, Gomoku, Move, Point};
use sandboard_sdk::{
    Analyzer, Candidate, Chooser, Evaluator, NewGame, Reply, Scope, Search, SearchTask, Switches,
    Turn, export_engine, toggle_option, whole_option,
};

/// The value of five points in a row with stones of one colour only, by the number of stones: for
/// the side to move, and for the opponent.
const MOVING: [i32; 6] = [0, 2, 10, 70, 2_000, 0];
const WAITING: [i32; 6] = [0, 1, 7, 40, 300, 0];

#[derive(Clone, Copy, Default)]
struct Fives;

impl Evaluator<Gomoku> for Fives {
    fn value(&self, position: &Gomoku) -> i32 {
        let mover = position.color_to_move();
        let of_line = |(direction, point)| {
            let own = position.line(mover, direction, point);
            let other = position.line(mover.other(), direction, point);
            value_of_line(own.bits, other.bits, own.length)
        };
        position.lines().map(of_line).sum()
    }

    /// The value of the lines through a point with an own stone there, minus the value with an
    /// opponent's stone.
    fn move_value(&self, position: &Gomoku, mv: Move) -> i32 {
        let Move::Stone(point) = mv else { return 0 };
        let mover = position.color_to_move();
        let of_line = |direction| {
            let own = position.line(mover, direction, point);
            let other = position.line(mover.other(), direction, point);
            let stone = 1 << own.at;
            value_of_line(own.bits | stone, other.bits, own.length)
                - value_of_line(own.bits, other.bits | stone, own.length)
        };
        Direction::ALL.into_iter().map(of_line).sum()
    }
}

/// The value of all windows of five on one line; points are bits.
fn value_of_line(own: u32, other: u32, length: u32) -> i32 {
    let window = |from: u32| {
        let [own, other] = [own, other].map(|bits| (bits >> from & 0b11111).count_ones() as usize);
        match (own, other) {
            (stones, 0) => MOVING[stones],
            (0, stones) => -WAITING[stones],
            _ => 0,
        }
    };
    (0..(length + 1).saturating_sub(5)).map(window).sum()
}

/// Proposes the empty points next to a stone; on an empty board, the centre.
#[derive(Clone, Copy, Default)]
struct Near;

impl Analyzer<Gomoku> for Near {
    const SCORES_MOVES: bool = false;

    fn candidates(&mut self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) -> Scope {
        let candidate = |point| Candidate { mv: Move::Stone(point), score: 0 };
        let next_to_stone = |point: &Point| {
            let around = |direction| [-1, 1].map(|steps| point.step(direction, steps));
            let mut neighbours = Direction::ALL.into_iter().flat_map(around).flatten();
            neighbours.any(|point| position.stone_at(point).is_some())
        };
        let near = position.empty_points().filter(next_to_stone);
        out.extend(near.map(candidate));
        if out.is_empty() {
            let centre = Point::new(position.size() / 2, position.size() / 2);
            out.extend(centre.map(candidate));
        }
        Scope::Quiet
    }
}

#[derive(Default)]
struct Mine {
    /// Made when a game begins, since it depends on the options.
    search: Option<Search<Gomoku, Near, Fives>>,
}

impl Chooser for Mine {
    type Rules = Gomoku;

    fn describe(description: &mut Description) {
        description.options = vec![
            whole_option("table-mib", 1..=1024, 16, "memory of the transposition table"),
            toggle_option("killers", true, "search early what refuted a move at the same ply"),
        ];
    }

    fn started(&mut self, game: &NewGame<'_, Gomoku>) -> Result<(), String> {
        let switches = Switches { killers: game.toggle("killers"), ..Switches::CLASSIC };
        // A sandboxed engine that exceeds its memory cap loses; the table is most of its memory.
        let held_bytes = match game.setup.memory_bytes {
            0 => u64::MAX,
            bytes => bytes / 2,
        };
        let table_bytes = ((game.whole("table-mib") as u64) << 20).min(held_bytes);
        self.search = Some(Search::new(switches, table_bytes as usize));
        Ok(())
    }

    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        let Some(search) = &mut self.search else { return Reply::resign() };
        let task = SearchTask { limits: turn.limits, barred: turn.barred, host: turn.host };
        search.run(turn.position, task).into()
    }
}

export_engine!(Mine);
