//! Move generation: the moves of every piece that do not leave the own king attacked. Pins and
//! checks are computed once per position ([`KingSafety`](super::attacks::KingSafety)); most moves
//! then need no test.

use std::fmt;
use std::ops::Deref;

use super::attacks::{Points, leg};
use super::board::{Board, slots_of};
use super::lines::{WALL, reach};
use super::square::{Color, Move, Piece, PieceKind, Square};
use crate::rules::MoveSet;

/// Upper bound of the number of moves in any position: 17 for each rook and cannon, 8 for each
/// horse, 4 for each elephant, advisor and the king, 3 for each pawn.
const MAX_MOVES: usize = 128;

/// A fixed-capacity list of moves, for searches.
#[derive(Clone, Copy)]
pub struct MoveList {
    moves: [Move; MAX_MOVES],
    len: usize,
}

impl MoveList {
    /// An empty list.
    #[inline]
    pub const fn new() -> MoveList {
        MoveList { moves: [Move::NONE; MAX_MOVES], len: 0 }
    }

    /// Removes all moves.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.moves[..self.len]
    }
}

/// Receives generated moves.
pub(super) trait MoveSink {
    /// Takes a move. Returns `true` to stop the generation.
    fn push(&mut self, mv: Move) -> bool;
}

impl MoveSink for Vec<Move> {
    #[inline]
    fn push(&mut self, mv: Move) -> bool {
        Vec::push(self, mv);
        false
    }
}

impl MoveSink for MoveList {
    #[inline]
    fn push(&mut self, mv: Move) -> bool {
        if let Some(place) = self.moves.get_mut(self.len) {
            *place = mv;
            self.len += 1;
        }
        false
    }
}

/// Counts the generated moves.
pub(super) struct MoveCounter(pub(super) u64);

impl MoveSink for MoveCounter {
    #[inline]
    fn push(&mut self, _: Move) -> bool {
        self.0 += 1;
        false
    }
}

/// Records whether there is a move.
pub(super) struct MoveProbe(pub(super) bool);

impl MoveSink for MoveProbe {
    #[inline]
    fn push(&mut self, _: Move) -> bool {
        self.0 = true;
        true
    }
}

/// Passes on only the legal moves.
struct LegalityFilter<'a, S> {
    board: &'a Board,
    /// Which moves need a test.
    test: LegalityTest,
    critical_points: Points,
    sink: &'a mut S,
}

/// Which moves must be tested for the safety of the king.
#[derive(Clone, Copy)]
enum LegalityTest {
    /// Test every move.
    Always,
    /// Moves to critical points; all others are legal.
    CriticalPoints,
    /// In check: moves to critical points; all others are illegal.
    InCheck,
}

impl<S: MoveSink> MoveSink for LegalityFilter<'_, S> {
    #[inline]
    fn push(&mut self, mv: Move) -> bool {
        let legal = match self.test {
            LegalityTest::Always => !self.board.exposes(mv),
            LegalityTest::CriticalPoints => {
                !self.critical_points.contains(mv.to) || !self.board.exposes(mv)
            }
            LegalityTest::InCheck => {
                self.critical_points.contains(mv.to) && !self.board.exposes(mv)
            }
        };
        legal && self.sink.push(mv)
    }
}

/// The order of piece kinds in a list of moves.
const ORDER: [PieceKind; 6] = [
    PieceKind::Rook,
    PieceKind::Cannon,
    PieceKind::Horse,
    PieceKind::Pawn,
    PieceKind::Elephant,
    PieceKind::Advisor,
];

impl Board {
    /// Passes all legal moves to a sink, by piece kind, then by point: an order that depends only
    /// on the position.
    #[inline]
    pub(super) fn legal<S: MoveSink>(&self, set: MoveSet, in_check: bool, sink: &mut S) {
        // Moves out of check are all tactical.
        let captures = set == MoveSet::Noisy && !in_check;
        match captures {
            true => self.generate_legal::<true, S>(in_check, sink),
            false => self.generate_legal::<false, S>(in_check, sink),
        }
    }

    #[inline]
    fn generate_legal<const CAPTURES: bool, S: MoveSink>(&self, in_check: bool, sink: &mut S) {
        let safety = self.king_safety();
        let critical_points = safety.critical_points;
        let free = !in_check && critical_points.is_empty();
        let unpinned = if in_check { LegalityTest::InCheck } else { LegalityTest::CriticalPoints };
        let base = (self.mover.index() as u8) << 4;
        for kind in ORDER {
            let (first, count) = slots_of(kind);
            let mut squares = [Square::NONE; 5];
            let squares = &mut squares[..usize::from(count)];
            for (square, slot) in squares.iter_mut().zip(base + first..) {
                *square = self.square_of(slot);
            }
            sort(squares);
            for &mut from in squares {
                if from == Square::NONE {
                    break;
                }
                let pinned = safety.pinned >> (self.slot_at(from) & 15) & 1 != 0;
                let stop = match free && !pinned {
                    true => self.moves_of::<CAPTURES, S>(kind, from, sink),
                    false => {
                        let test = if pinned { LegalityTest::Always } else { unpinned };
                        let filter =
                            &mut LegalityFilter { board: self, test, critical_points, sink };
                        self.moves_of::<CAPTURES, LegalityFilter<S>>(kind, from, filter)
                    }
                };
                if stop {
                    return;
                }
            }
        }
        let filter =
            &mut LegalityFilter { board: self, test: LegalityTest::Always, critical_points, sink };
        self.moves_of::<CAPTURES, LegalityFilter<S>>(
            PieceKind::King,
            self.king(self.mover),
            filter,
        );
    }

    /// Passes the pseudo-legal moves of a piece to a sink. Returns whether the sink stopped the
    /// generation.
    #[inline(always)]
    fn moves_of<const CAPTURES: bool, S: MoveSink>(
        &self,
        kind: PieceKind,
        from: Square,
        sink: &mut S,
    ) -> bool {
        let color = self.mover;
        match kind {
            PieceKind::Rook | PieceKind::Cannon => {
                let (own_rank, own_file) = self.own_lines(color, from);
                let (rank, file) = (self.rank_of(from), self.file_of(from));
                let targets = |place: u8, line: u16, own: u16| {
                    let reach = reach(place, line);
                    let taken = if kind == PieceKind::Rook { reach.rook } else { reach.cannon };
                    let free = if CAPTURES { 0 } else { reach.rook & !line };
                    free | taken & line & !own
                };
                // The wall bit of a rank is not a piece.
                let mut left = targets(from.file(), rank, own_rank) & !WALL;
                while left != 0 {
                    let to = Square(from.0 & 0xf0 | left.trailing_zeros() as u8);
                    left &= left - 1;
                    if sink.push(Move { from, to }) {
                        return true;
                    }
                }
                let mut left = targets(from.rank(), file, own_file);
                while left != 0 {
                    let to = Square((left.trailing_zeros() as u8) << 4 | from.0 & 15);
                    left &= left - 1;
                    if sink.push(Move { from, to }) {
                        return true;
                    }
                }
                false
            }
            PieceKind::Horse => {
                for (leg, ends) in HORSE {
                    if !self.is_empty(from.plus(leg)) {
                        continue;
                    }
                    for end in ends {
                        if self.step::<CAPTURES, S>(from, from.plus(end), sink) {
                            return true;
                        }
                    }
                }
                false
            }
            PieceKind::Pawn => {
                let forward = from.plus(color.forward());
                if self.step::<CAPTURES, S>(from, forward, sink) {
                    return true;
                }
                if color.rank(from.rank()) < 5 {
                    return false;
                }
                self.step::<CAPTURES, S>(from, from.plus(1), sink)
                    || self.step::<CAPTURES, S>(from, from.plus(0xff), sink)
            }
            // Plain loops, which the compiler unrolls, unlike closures over arrays.
            PieceKind::Elephant => {
                for (eye, end) in ELEPHANT {
                    let to = from.plus(end);
                    let at_home = (to.0 < 0x50) == (color == Color::Red);
                    let goes = at_home && self.is_empty(from.plus(eye));
                    if goes && self.step::<CAPTURES, S>(from, to, sink) {
                        return true;
                    }
                }
                false
            }
            PieceKind::Advisor | PieceKind::King => {
                for step in if kind == PieceKind::King { STRAIGHT } else { DIAGONAL } {
                    let to = from.plus(step);
                    if in_palace(color, to) && self.step::<CAPTURES, S>(from, to, sink) {
                        return true;
                    }
                }
                false
            }
        }
    }

    #[inline(always)]
    fn step<const CAPTURES: bool, S: MoveSink>(
        &self,
        from: Square,
        to: Square,
        sink: &mut S,
    ) -> bool {
        let lands = match CAPTURES {
            true => self.can_land(self.mover, to) && !self.is_empty(to),
            false => self.can_land(self.mover, to),
        };
        lands && sink.push(Move { from, to })
    }

    /// Whether the piece on a point can move to another by its movement rules, regardless of turn
    /// and king safety.
    pub(super) fn can_reach(&self, mv: Move) -> bool {
        let Some(Piece { color, kind }) = self.piece_at(mv.from) else { return false };
        if !self.can_land(color, mv.to) {
            return false;
        }
        let Move { from, to } = mv;
        let step = to.0.wrapping_sub(from.0);
        match kind {
            PieceKind::Rook => self.screens_between(from, to) == Some(0),
            PieceKind::Cannon => {
                self.screens_between(from, to) == Some(u32::from(!self.is_empty(to)))
            }
            PieceKind::Horse => leg(from, to).is_some_and(|leg| self.is_empty(leg)),
            PieceKind::Pawn => {
                let beyond = color.rank(from.rank()) >= 5;
                step == color.forward() || beyond && (step == 1 || step == 0xff)
            }
            PieceKind::Elephant => ELEPHANT.into_iter().any(|(eye, end)| {
                end == step && self.is_empty(from.plus(eye)) && color.rank(to.rank()) < 5
            }),
            PieceKind::Advisor => DIAGONAL.contains(&step) && in_palace(color, to),
            PieceKind::King => STRAIGHT.contains(&step) && in_palace(color, to),
        }
    }

    /// Whether an arbitrary move is legal for the side to move.
    pub(super) fn is_move(&self, mv: Move) -> bool {
        let own = self.piece_at(mv.from).is_some_and(|piece| piece.color == self.mover);
        own && self.can_reach(mv) && !self.exposes(mv)
    }
}

/// A horse's legs, and its two targets beyond each.
const HORSE: [(u8, [u8; 2]); 4] =
    [(0x10, [0x1f, 0x21]), (0x01, [0x12, 0xf2]), (0xf0, [0xe1, 0xdf]), (0xff, [0xee, 0x0e])];
/// An elephant's eyes, and its target beyond each.
pub(super) const ELEPHANT: [(u8, u8); 4] = [(0x11, 0x22), (0x0f, 0x1e), (0xef, 0xde), (0xf1, 0xe2)];
pub(super) const STRAIGHT: [u8; 4] = [0x10, 0x01, 0xf0, 0xff];
pub(super) const DIAGONAL: [u8; 4] = [0x11, 0x0f, 0xef, 0xf1];

#[inline]
pub(super) fn in_palace(color: Color, square: Square) -> bool {
    let rank = if color == Color::Red { square.0 >> 4 } else { 9u8.wrapping_sub(square.0 >> 4) };
    rank <= 2 && matches!(square.0 & 15, 3..=5)
}

/// Insertion sort for a few points that are almost sorted.
#[inline(always)]
fn sort(squares: &mut [Square]) {
    for end in 1..squares.len() {
        let mut at = end;
        while at > 0 && squares[at - 1] > squares[at] {
            squares.swap(at - 1, at);
            at -= 1;
        }
    }
}
