//! Zobrist keys of the position hash (A. Zobrist, 1970): a random word for each piece on each
//! point, combined by exclusive or. The numbers are the same in every build.

use super::square::{Piece, Square};
use crate::splitmix;

/// By piece and by point index; 256 entries, so that no byte index is out of bounds.
static PIECES: [[u64; 256]; 16] = pieces();

/// Key of black to move.
pub(super) const BLACK_TO_MOVE: u64 = splitmix::output(0, 7 << 32);

/// Key of a piece on a point.
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
            keys[piece][index] = splitmix::output(0, (6 << 32) + (piece << 8 | index) as u64);
            index += 1;
        }
        piece += 1;
    }
    keys
}
