//! Boards of other sizes than 8×8: a plain evaluation of corners, moves and, near
//! the end, discs. So that every variant is played, not so that it is played best.

use sandboard_sdk::Evaluator;
use sandboard_sdk::games::Outcome;
use sandboard_sdk::games::reversi::{Color, Move, Reversi, Square};

use crate::midgame::final_discs;

/// Discs that a corner is worth, and a move more than the opponent has, in quarters.
const CORNER: i32 = 40;
const MOVE: i32 = 4;

/// The plain evaluator, in quarters of a disc.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

/// What a disc is worth in values.
pub const QUARTERS: i32 = 4;

impl Evaluator<Reversi> for Plain {
    const USUAL_CHANGE: i32 = 8 * QUARTERS;

    fn value(&self, position: &Reversi) -> i32 {
        let own = position.color_to_move();
        let signed = |color: Color| if color == own { 1 } else { -1 };
        let corners: i32 = corners(position).map(signed).sum();
        let moves = position.mobility(own) as i32 - position.mobility(own.other()) as i32;
        let discs = position.count(own) as i32 - position.count(own.other()) as i32;
        // Discs count as much as they are likely to stay.
        let squares = i32::from(position.size()).pow(2);
        let filled = squares - position.empties() as i32;
        let lasting = QUARTERS * discs * filled / squares * filled / squares;
        let value = CORNER * corners + MOVE * moves + lasting;
        value.clamp(-QUARTERS * squares, QUARTERS * squares)
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
        value / QUARTERS
    }

    fn final_value(&self, position: &Reversi, outcome: Outcome, _: u32) -> i32 {
        QUARTERS * final_discs(position, outcome)
    }
}

/// Whose discs lie in the corners.
fn corners(position: &Reversi) -> impl Iterator<Item = Color> {
    let last = position.size() - 1;
    [(0, 0), (last, 0), (0, last), (last, last)].into_iter().filter_map(move |(column, row)| {
        Square::new(column, row).and_then(|square| position.disc_at(square))
    })
}
