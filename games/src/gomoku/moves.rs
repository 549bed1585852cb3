//! The moves of gomoku: stones, and the words of opening procedures. Knows no
//! position: which of them is legal, and what it does, the phases decide.

use std::fmt;

use super::point::Point;
use crate::rules::Coded;

/// A move: a stone, or a decision of an opening procedure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// A stone on a point; in the phases of offers, the point that is offered
    /// or chosen.
    Stone(Point),
    /// Puts no stone.
    Pass,
    /// Exchanges the colours of the players.
    Swap,
    /// Leaves the colours as they are.
    Keep,
    /// Puts two more stones and leaves the choice of colour to the opponent.
    PutTwo,
    /// Announces how many fifth moves black is to offer.
    Fifths(u8),
}

impl Move {
    /// The point of a stone; none for the other moves.
    #[inline]
    pub const fn point(self) -> Option<Point> {
        match self {
            Move::Stone(point) => Some(point),
            _ => None,
        }
    }
}

/// Behind the codes of all points.
const WORDS: u32 = 1 << 12;
const FIFTHS: u32 = 1 << 13;

impl Coded for Move {
    #[inline]
    fn code(self) -> u32 {
        match self {
            Move::Stone(point) => 1 + point.index() as u32,
            Move::Pass => WORDS,
            Move::Swap => WORDS + 1,
            Move::Keep => WORDS + 2,
            Move::PutTwo => WORDS + 3,
            Move::Fifths(count) => FIFTHS + u32::from(count),
        }
    }

    #[inline]
    fn of_code(code: u32) -> Option<Move> {
        match code {
            1..WORDS => Point::of_index(code as usize - 1).map(Move::Stone),
            WORDS => Some(Move::Pass),
            _ => [Move::Swap, Move::Keep, Move::PutTwo]
                .into_iter()
                .chain(u8::try_from(code.wrapping_sub(FIFTHS)).map(Move::Fifths))
                .find(|mv| mv.code() == code),
        }
    }
}

impl From<Point> for Move {
    #[inline]
    fn from(point: Point) -> Move {
        Move::Stone(point)
    }
}

impl fmt::Display for Move {
    /// The move text: `h8`, `pass`, `swap`, `keep`, `put-two`, `fifths-5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Stone(point) => point.fmt(f),
            Move::Pass => f.write_str("pass"),
            Move::Swap => f.write_str("swap"),
            Move::Keep => f.write_str("keep"),
            Move::PutTwo => f.write_str("put-two"),
            Move::Fifths(count) => write!(f, "fifths-{count}"),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
