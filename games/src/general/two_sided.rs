//! Two-sided games of perfect information as general ones.

use super::{Actor, GeneralRules, Next, Observer, SeatSet};
use crate::board::Board;
use crate::ending::Ending;
use crate::erased::ending;
use crate::info::{GameInfo, Variant};
use crate::phase::Phase;
use crate::rules::{MoveSet, PositionError, Rules, Seat, Side};

/// A position of a two-sided game, as [`GeneralRules`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoSided<R>(pub R);

impl<R: Rules> GeneralRules for TwoSided<R> {
    type Move = R::Move;

    const INFO: &'static GameInfo = R::INFO;

    fn start(variant: &Variant) -> Self {
        Self(R::start(variant))
    }

    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError> {
        R::parse_position(variant, text).map(Self)
    }

    fn variant(&self) -> Variant {
        self.0.variant()
    }

    fn without_history(&self) -> Self {
        Self(self.0.without_history())
    }

    fn side(seat: Seat) -> Side {
        R::side(seat)
    }

    fn side_name(&self, side: Side) -> &'static str {
        self.0.side_name(side)
    }

    fn next(&self) -> Next {
        match self.0.outcome() {
            None => Next::Seats(SeatSet::one(self.0.to_move())),
            Some(_) => Next::Over,
        }
    }

    fn to_move(&self) -> Seat {
        self.0.to_move()
    }

    fn phase(&self) -> Phase {
        self.0.phase()
    }

    fn prompt(&self) -> Option<String> {
        self.0.prompt()
    }

    fn generate(&self, seat: Seat, out: &mut Vec<R::Move>) {
        if seat == self.0.to_move() {
            let first = out.len();
            self.0.generate(MoveSet::All, out);
            let mut index = 0;
            out.retain(|mv| {
                index += 1;
                index <= first || self.0.is_legal(*mv)
            });
        }
    }

    fn count_moves(&self, _seat: Seat) -> Option<usize> {
        // Some games can count moves, but not find one by its number.
        self.0.nth_move(0)?;
        usize::try_from(self.0.count_moves()?).ok()
    }

    fn nth_move(&self, _seat: Seat, number: usize) -> Option<R::Move> {
        self.0.nth_move(number as u64)
    }

    fn play(&mut self, _actor: Actor, mv: &R::Move) {
        self.0.make_parsed(*mv);
    }

    fn ending(&self) -> Option<Ending> {
        ending(&self.0)
    }

    fn append_scores(&self, out: &mut Vec<i32>) {
        if let Some(outcome) = self.0.outcome() {
            let sides = self.0.side_scores(&outcome);
            out.extend((0..self.seats()).map(|seat| sides[usize::from(R::side(Seat(seat)).0)]));
        }
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

    fn write_notation(&self, _actor: Actor, mv: &R::Move, out: &mut String) {
        self.0.write_notation(*mv, out);
    }

    fn parse_move(&self, _actor: Actor, text: &str) -> Result<R::Move, String> {
        self.0.parse_move(text)
    }

    fn write_diagram(&self, _observer: Observer, last: Option<(Actor, R::Move)>, out: &mut String) {
        self.0.write_diagram(last.map(|(_, mv)| mv), out);
    }
}
