//! The discs on the board, the legal squares, and the turn: two words for 8×8, 256-bit sets for
//! other sizes. Discs are stored as own (side to move) and opponent; colours are only passed in for
//! queries.

use super::bits;
use super::square::{Color, Square};
use super::wide::{self, Squares};

/// Default board size.
pub(super) const DEFAULT_SIZE: u8 = 8;

/// The discs and the legal squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Board {
    /// A board of 8×8.
    Eight(Eight),
    /// Any other size.
    Wide(Wide),
}

/// The discs of 8×8, see [`bits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Eight {
    pub(super) own: u64,
    pub(super) opponent: u64,
    /// Where `own` can move. Stored because move generation and the end of the game both need it.
    moves: u64,
}

/// The discs of another board size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide {
    size: u8,
    own: Squares,
    opponent: Squares,
    moves: Squares,
}

impl Eight {
    #[inline]
    fn new(own: u64, opponent: u64) -> Eight {
        Eight { own, opponent, moves: bits::moves(own, opponent) }
    }

    #[inline]
    pub(super) fn moves(&self) -> u64 {
        self.moves
    }
}

impl Wide {
    fn new(size: u8, own: Squares, opponent: Squares) -> Wide {
        let moves = wide::moves(own, opponent, Squares::board(size));
        Wide { size, own, opponent, moves }
    }

    /// Four words of the side to move, four of its opponent.
    pub(super) fn words(&self) -> ([u64; 4], [u64; 4]) {
        (self.own.words(), self.opponent.words())
    }
}

impl Board {
    /// A board with these discs.
    pub(super) fn new(
        size: u8,
        own: impl IntoIterator<Item = Square>,
        opponent: impl IntoIterator<Item = Square>,
    ) -> Board {
        if size == DEFAULT_SIZE {
            let word = |all: u64, square: Square| all | 1 << square.bit();
            let (own, opponent) =
                (own.into_iter().fold(0, word), opponent.into_iter().fold(0, word));
            return Board::Eight(Eight::new(own, opponent));
        }
        let set = |all: Squares, square| all | Squares::from_square(square);
        let own = own.into_iter().fold(Squares::default(), set);
        let opponent = opponent.into_iter().fold(Squares::default(), set);
        Board::Wide(Wide::new(size, own, opponent))
    }

    /// An 8×8 board with the discs of these words.
    pub(super) fn eight(own: u64, opponent: u64) -> Board {
        Board::Eight(Eight::new(own, opponent))
    }

    pub(super) fn size(&self) -> u8 {
        match self {
            Board::Eight(_) => DEFAULT_SIZE,
            Board::Wide(wide) => wide.size,
        }
    }

    /// Numbers of discs of the side to move and of its opponent.
    pub(super) fn counts(&self) -> (u32, u32) {
        match self {
            Board::Eight(eight) => (eight.own.count_ones(), eight.opponent.count_ones()),
            Board::Wide(wide) => (wide.own.count(), wide.opponent.count()),
        }
    }

    #[inline]
    pub(super) fn empties(&self) -> u32 {
        match self {
            Board::Eight(eight) => (!(eight.own | eight.opponent)).count_ones(),
            Board::Wide(wide) => {
                u32::from(wide.size) * u32::from(wide.size) - (wide.own | wide.opponent).count()
            }
        }
    }

    /// The colour of the disc on a square of the board if `mover` is to move.
    pub(super) fn disc_at(&self, square: Square, mover: Color) -> Option<Color> {
        let (own, opponent) = match self {
            Board::Eight(eight) => {
                let bit = 1u64 << square.bit();
                (eight.own & bit != 0, eight.opponent & bit != 0)
            }
            Board::Wide(wide) => (wide.own.contains(square), wide.opponent.contains(square)),
        };
        if own { Some(mover) } else { opponent.then(|| mover.other()) }
    }

    /// Whether the side to move can place a disc.
    #[inline]
    pub(super) fn can_move(&self) -> bool {
        match self {
            Board::Eight(eight) => eight.moves != 0,
            Board::Wide(wide) => !wide.moves.is_empty(),
        }
    }

    /// Whether neither side can place a disc.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        !self.can_move() && !self.after_pass().can_move()
    }

    /// Number of squares that the side to move can choose from.
    pub(super) fn mobility(&self) -> u32 {
        match self {
            Board::Eight(eight) => eight.moves.count_ones(),
            Board::Wide(wide) => wide.moves.count(),
        }
    }

    /// Whether the side to move can place a disc on a square of the board.
    pub(super) fn is_move(&self, square: Square) -> bool {
        match self {
            Board::Eight(eight) => eight.moves >> square.bit() & 1 != 0,
            Board::Wide(wide) => wide.moves.contains(square),
        }
    }

    /// Calls `visit` with each legal square, in order.
    #[inline]
    pub(super) fn for_each_move(&self, mut visit: impl FnMut(Square)) {
        match self {
            Board::Eight(eight) => {
                let mut left = eight.moves;
                while left != 0 {
                    visit(Square::from_bit(left.trailing_zeros()));
                    left &= left - 1;
                }
            }
            Board::Wide(wide) => wide.moves.iter().for_each(visit),
        }
    }

    /// The same board with the opponent to move.
    #[inline]
    pub(super) fn after_pass(&self) -> Board {
        match self {
            Board::Eight(eight) => Board::Eight(Eight::new(eight.opponent, eight.own)),
            Board::Wide(wide) => Board::Wide(Wide::new(wide.size, wide.opponent, wide.own)),
        }
    }

    /// Places a disc on a legal square, flips the enclosed discs, and changes the turn.
    #[inline]
    pub(super) fn place_disc(&mut self, square: Square) {
        match self {
            Board::Eight(Eight { own, opponent, .. }) => {
                let bit = square.bit();
                let flipped = bits::flips(bit, *own, *opponent);
                *self = Board::Eight(Eight::new(*opponent ^ flipped, *own ^ flipped ^ 1u64 << bit));
            }
            Board::Wide(Wide { size, own, opponent, .. }) => {
                let flipped = wide::flips(square, *own, *opponent, Squares::board(*size));
                let changed = flipped | Squares::from_square(square);
                *self = Board::Wide(Wide::new(*size, *opponent ^ flipped, *own ^ changed));
            }
        }
    }
}
