//! The keys of the position's hash: a random word for each piece on each point, joined
//! by exclusive or (A. Zobrist, 1970). The same numbers in every build.

use super::square::{Piece, Square};
use crate::splitmix::splitmix;

/// By piece, and by a point's index: all that a byte can hold, so that none is out of bounds.
static PIECES: [[u64; 256]; 16] = pieces();

/// The key of black to move.
pub(super) const BLACK_TO_MOVE: u64 = splitmix(7 << 32);

/// The key of a piece on a point.
#[inline]
pub(super) fn piece(piece: Piece, square: Square) -> u64 {
    PIECES[piece.color.index() << 3 | piece.kind.index()][usize::from(square.0)]
}

const fn pieces() -> [[u64; 256]; 16] {
    let mut keys = [[0; 256]; 16];
    let mut piece = 0;
    while piece < 16 {
        let mut index = 0;
        while index < 256 {
            keys[piece][index] = splitmix((6 << 32) + (piece << 8 | index) as u64);
            index += 1;
        }
        piece += 1;
    }
    keys
}
