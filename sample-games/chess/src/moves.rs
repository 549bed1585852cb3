//! A move in 16 bits. Knows no position: whether a move castles depends on the board.

use std::fmt;

use cozy_chess::{Piece, Square};
use sandboard_game_sdk::games::MoveCode;

/// A move: its squares and the piece that a pawn becomes. A king castles by moving to the square of
/// its rook, in both variants.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

/// The pieces that a pawn can become, by their number in a move; 0 is none.
const PROMOTIONS: [Option<Piece>; 5] =
    [None, Some(Piece::Knight), Some(Piece::Bishop), Some(Piece::Rook), Some(Piece::Queen)];
const SQUARE_BITS: u32 = 6;
const SQUARE_MASK: u16 = (1 << SQUARE_BITS) - 1;

impl Move {
    /// The square that the piece leaves.
    #[inline]
    pub fn from_square(self) -> Square {
        Square::index(usize::from(self.0 & SQUARE_MASK))
    }

    /// The square that the piece moves to; in castling, the square of the rook.
    #[inline]
    pub fn to_square(self) -> Square {
        Square::index(usize::from(self.0 >> SQUARE_BITS & SQUARE_MASK))
    }

    /// The piece that a pawn becomes.
    #[inline]
    pub fn promotion(self) -> Option<Piece> {
        PROMOTIONS[usize::from(self.0 >> (2 * SQUARE_BITS))]
    }
}

impl From<cozy_chess::Move> for Move {
    /// No pawn becomes a pawn or a king: such a promotion is left out.
    #[inline]
    fn from(mv: cozy_chess::Move) -> Self {
        let promotion = match mv.promotion {
            Some(Piece::Knight) => 1,
            Some(Piece::Bishop) => 2,
            Some(Piece::Rook) => 3,
            Some(Piece::Queen) => 4,
            None | Some(Piece::Pawn | Piece::King) => 0,
        };
        Self(mv.from as u16 | (mv.to as u16) << SQUARE_BITS | promotion << (2 * SQUARE_BITS))
    }
}

impl From<Move> for cozy_chess::Move {
    #[inline]
    fn from(mv: Move) -> Self {
        Self { from: mv.from_square(), to: mv.to_square(), promotion: mv.promotion() }
    }
}

impl MoveCode for Move {
    #[inline]
    fn code(self) -> u32 {
        1 + u32::from(self.0)
    }

    fn from_code(code: u32) -> Option<Self> {
        let mv = Self(u16::try_from(code.checked_sub(1)?).ok()?);
        let is_promotion = usize::from(mv.0 >> (2 * SQUARE_BITS)) < PROMOTIONS.len();
        (is_promotion && mv.from_square() != mv.to_square()).then_some(mv)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", cozy_chess::Move::from(*self))
    }
}
