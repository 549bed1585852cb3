//! Read-only queries for evaluation and move ordering, without making a move.

use super::Xiangqi;
use super::attacks::leg;
use super::lines::{WALL, between, ones, reach};
use super::moves::{DIAGONAL, ELEPHANT, STRAIGHT, in_palace};
use super::square::{Move, Piece, PieceKind, Square};

impl Xiangqi {
    /// The number of pieces between two points of a line; `None` if they share no line.
    #[inline]
    pub fn screens_between(&self, from: Square, to: Square) -> Option<u32> {
        self.board.screens_between(from, to)
    }

    /// The number of points that a rook would reach from here: empty points and the first piece on
    /// each side.
    #[inline]
    pub fn rook_reach(&self, from: Square) -> u32 {
        let rank = reach(from.file(), self.board.rank_of(from)).rook & !WALL;
        let file = reach(from.rank(), self.board.file_of(from)).rook;
        ones(rank) + ones(file)
    }

    /// Number of a horse's four legs that are free here.
    #[inline]
    pub fn free_legs(&self, from: Square) -> u32 {
        let free = |step: u8| u32::from(self.board.is_empty(from.plus(step)));
        free(0x10) + free(0x01) + free(0xf0) + free(0xff)
    }

    /// Whether the opponent can recapture on the target of `mv`, a move of the side to move.
    /// Ignores pins.
    pub fn can_be_recaptured(&self, mv: Move) -> bool {
        let board = &self.board;
        let (to, color) = (mv.to, board.mover.other());
        let (rank, file) = board.lines_after(to, mv);
        let base = (color.index() as u8) << 4;
        // A captured piece on the target does not count.
        let other_square = |&square: &Square| square != to && square != Square::NONE;
        let place = |slot: u8| Some(board.square_of(base | slot)).filter(other_square);
        let screens =
            |square: Square| match (square.0 >> 4 == to.0 >> 4, square.0 & 15 == to.0 & 15) {
                (true, _) => Some(ones(rank & between(to.0, square.0))),
                (_, true) => Some(ones(file & between(to.0 >> 4, square.0 >> 4))),
                _ => None,
            };
        let sees = |slot, count| place(slot).and_then(screens) == Some(count);
        if sees(7, 0) || sees(8, 0) || sees(9, 1) || sees(10, 1) {
            return true;
        }
        let is_free = |point: Square| board.is_empty(point) || point == mv.from;
        let jumps = |slot| place(slot).and_then(|from| leg(from, to)).is_some_and(is_free);
        if jumps(5) || jumps(6) {
            return true;
        }
        let is_kind = |step: u8, kind: PieceKind| {
            let from = to.plus(step);
            from != mv.from && self.piece_at(from) == Some(Piece { color, kind })
        };
        let behind = color.other().forward();
        let crossed = color.rank(to.rank()) >= 5;
        if is_kind(behind, PieceKind::Pawn)
            || crossed && (is_kind(1, PieceKind::Pawn) || is_kind(0xff, PieceKind::Pawn))
        {
            return true;
        }
        if crossed {
            return false;
        }
        let elephant = Piece { color, kind: PieceKind::Elephant };
        let guards = |(eye, step): (u8, u8)| {
            is_kind(step, PieceKind::Elephant) && elephant.can_stand(to) && is_free(to.plus(eye))
        };
        ELEPHANT.into_iter().any(guards)
            || in_palace(color, to)
                && (DIAGONAL.into_iter().any(|step| is_kind(step, PieceKind::Advisor))
                    || STRAIGHT.into_iter().any(|step| is_kind(step, PieceKind::King)))
    }
}
