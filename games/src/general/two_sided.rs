//! Two-sided games of perfect information as general ones.

use super::{Actor, GeneralRules, Next, Observer, SeatSet};
use crate::board::Board;
use crate::ending::Ending;
use crate::erased::ending;
use crate::rules::{MoveSet, Rules, Seat, Side};

/// A position of a two-sided game, as [`GeneralRules`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoSided<R>(pub R);

impl<R: Rules> GeneralRules for TwoSided<R> {
    type Move = R::Move;

    fn seats(&self) -> u8 {
        R::INFO.seats
    }

    fn side(&self, seat: Seat) -> Side {
        R::side(seat)
    }

    fn next(&self) -> Next {
        match self.0.outcome() {
            None => Next::Seats(SeatSet::one(self.0.to_move())),
            Some(_) => Next::Over,
        }
    }

    fn generate(&self, seat: Seat, out: &mut Vec<R::Move>) {
        if self.next() == Next::Seats(SeatSet::one(seat)) {
            let first = out.len();
            self.0.generate(MoveSet::All, out);
            let mut index = 0;
            out.retain(|mv| {
                index += 1;
                index <= first || self.0.is_legal(*mv)
            });
        }
    }

    fn play(&mut self, _actor: Actor, mv: &R::Move) {
        self.0.make(*mv);
    }

    fn ending(&self) -> Option<Ending> {
        ending(&self.0)
    }

    fn write_position(&self, out: &mut String) {
        self.0.write_position(out);
    }

    fn board(&self, _observer: Observer, last: Option<&R::Move>) -> Option<Board> {
        self.0.board(last.copied())
    }

    fn write_move(&self, _actor: Actor, mv: &R::Move, out: &mut String) {
        self.0.write_move(*mv, out);
    }
}
