//! The moves of gomoku: stones, and the words of opening procedures. Does not know the position:
//! the phase decides which moves are legal and what they do.

use std::fmt;

use super::point::Point;
use crate::rules::MoveCode;

/// A stone or a decision of an opening procedure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// A stone on a point. While points are offered: the point that is offered or picked.
    Stone(Point),
    /// Pass: place no stone.
    Pass,
    /// Exchange the colours of the players.
    Swap,
    /// Keep the colours as they are.
    Keep,
    /// Place two more stones and leave the choice of colour to the opponent.
    PutTwo,
    /// Announce how many fifth moves black will offer.
    Fifths(u8),
}

impl Move {
    /// The point of a stone; `None` for other moves.
    #[inline]
    pub const fn point(self) -> Option<Point> {
        match self {
            Move::Stone(point) => Some(point),
            _ => None,
        }
    }
}

/// First code after the codes of all points.
const FIRST_WORD_CODE: u32 = 1 << 12;
const FIRST_FIFTHS_CODE: u32 = 1 << 13;

impl MoveCode for Move {
    #[inline]
    fn code(self) -> u32 {
        match self {
            Move::Stone(point) => 1 + point.index() as u32,
            Move::Pass => FIRST_WORD_CODE,
            Move::Swap => FIRST_WORD_CODE + 1,
            Move::Keep => FIRST_WORD_CODE + 2,
            Move::PutTwo => FIRST_WORD_CODE + 3,
            Move::Fifths(count) => FIRST_FIFTHS_CODE + u32::from(count),
        }
    }

    #[inline]
    fn from_code(code: u32) -> Option<Move> {
        match code {
            1..FIRST_WORD_CODE => Point::from_index(code as usize - 1).map(Move::Stone),
            FIRST_WORD_CODE => Some(Move::Pass),
            _ => [Move::Swap, Move::Keep, Move::PutTwo]
                .into_iter()
                .chain(u8::try_from(code.wrapping_sub(FIRST_FIFTHS_CODE)).map(Move::Fifths))
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
