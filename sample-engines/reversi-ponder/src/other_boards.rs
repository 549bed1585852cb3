//! The evaluator for boards other than 8×8: corners, mobility and, near the end, discs. It makes
//! every variant playable, not strong.

use sandboard_sdk::Evaluator;
use sandboard_sdk::games::Outcome;
use sandboard_sdk::games::reversi::{Color, Move, Reversi, Square};

use crate::midgame::final_discs;

/// The values of a corner and of a move, in quarters of a disc.
const CORNER_VALUE: i32 = 40;
const MOVE_VALUE: i32 = 4;

/// The plain evaluator; its unit is a quarter of a disc.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainEvaluator;

/// The value of a disc.
pub const UNITS_PER_DISC: i32 = 4;

impl Evaluator<Reversi> for PlainEvaluator {
    const ASPIRATION_MARGIN: i32 = 8 * UNITS_PER_DISC;

    fn value(&self, position: &Reversi) -> i32 {
        let own = position.color_to_move();
        let signed = |color: Color| if color == own { 1 } else { -1 };
        let corners: i32 = corners(position).map(signed).sum();
        let moves = position.mobility(own) as i32 - position.mobility(own.other()) as i32;
        let discs = position.count(own) as i32 - position.count(own.other()) as i32;
        // Discs count in proportion to how likely they are to stay.
        let squares = i32::from(position.size()).pow(2);
        let filled = squares - position.empties() as i32;
        let lasting = UNITS_PER_DISC * discs * filled / squares * filled / squares;
        let value = CORNER_VALUE * corners + MOVE_VALUE * moves + lasting;
        value.clamp(-UNITS_PER_DISC * squares, UNITS_PER_DISC * squares)
    }

    fn move_value(&self, position: &Reversi, mv: Move) -> i32 {
        let Move::Disc(square) = mv else { return 0 };
        let last = position.size() - 1;
        let edge = |line: u8| line.min(last - line);
        match (edge(square.column()), edge(square.row())) {
            (0, 0) => 200,
            (1, 1) => -100,
            (0, 1) | (1, 0) => -50,
            (0, _) | (_, 0) => 20,
            (1, _) | (_, 1) => -20,
            _ => 0,
        }
    }

    fn score(&self, value: i32) -> i32 {
        value / UNITS_PER_DISC
    }

    fn final_value(&self, position: &Reversi, outcome: Outcome, _: u32) -> i32 {
        UNITS_PER_DISC * final_discs(position, outcome)
    }
}

/// The colours of the discs in the corners.
fn corners(position: &Reversi) -> impl Iterator<Item = Color> {
    let last = position.size() - 1;
    [(0, 0), (last, 0), (0, last), (last, last)].into_iter().filter_map(move |(column, row)| {
        Square::new(column, row).and_then(|square| position.disc_at(square))
    })
}
