//! Step 4 of the tutorial in docs/authoring.md: the SDK's alpha-beta search to a fixed depth, with
//! an analyzer and an evaluator of its own.
#![forbid(unsafe_code)]

use sandboard_sdk::games::gomoku::{Direction, Gomoku, Move, Point};
use sandboard_sdk::{
    Analyzer, Candidate, Chooser, Evaluator, Reply, Scope, Search, SearchTask, Switches, Turn,
    export_engine,
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

struct Mine {
    search: Search<Gomoku, Near, Fives>,
}

impl Default for Mine {
    fn default() -> Self {
        let switches = Switches { alpha_beta: true, move_ordering: true, ..Switches::NONE };
        Self { search: Search::new(switches, 0) }
    }
}

impl Chooser for Mine {
    type Rules = Gomoku;

    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        let task = SearchTask { limits: turn.limits, barred: turn.barred, host: turn.host };
        match self.search.run(turn.position, task).best {
            Some(mv) => Reply::play(mv),
            None => Reply::resign(),
        }
    }
}

export_engine!(Mine);
