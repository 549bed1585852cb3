//! Which moves there are: those of every piece, less those that leave the own king to be
//! taken. What could expose the king is found once for a position ([`Shield`](super::attacks::Shield));
//! most moves then need no test.

use std::fmt;
use std::ops::Deref;

use super::attacks::{Points, leg};
use super::board::{Board, slots_of};
use super::lines::{WALL, reach};
use super::square::{Color, Kind, Move, Piece, Square};
use crate::rules::Generate;

/// More moves than any position has: rooks and cannons have 17 each, horses 8,
/// elephants, advisors and the king 4, pawns 3.
pub const MOST_MOVES: usize = 128;

/// A list of moves in a fixed place, for searches.
#[derive(Clone, Copy)]
pub struct MoveList {
    moves: [Move; MOST_MOVES],
    len: usize,
}

impl MoveList {
    /// A list without a move.
    #[inline]
    pub const fn new() -> MoveList {
        MoveList { moves: [Move::NONE; MOST_MOVES], len: 0 }
    }

    /// Takes all moves out.
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

/// What takes moves as they are found.
pub(super) trait Sink {
    /// Takes a move. True: it wants no more.
    fn push(&mut self, mv: Move) -> bool;
}

impl Sink for Vec<Move> {
    #[inline]
    fn push(&mut self, mv: Move) -> bool {
        Vec::push(self, mv);
        false
    }
}

impl Sink for MoveList {
    #[inline]
    fn push(&mut self, mv: Move) -> bool {
        if let Some(place) = self.moves.get_mut(self.len) {
            *place = mv;
            self.len += 1;
        }
        false
    }
}

/// How many moves there are.
pub(super) struct Count(pub(super) u64);

impl Sink for Count {
    #[inline]
    fn push(&mut self, _: Move) -> bool {
        self.0 += 1;
        false
    }
}

/// Whether there is a move.
pub(super) struct Any(pub(super) bool);

impl Sink for Any {
    #[inline]
    fn push(&mut self, _: Move) -> bool {
        self.0 = true;
        true
    }
}

/// Lets legal moves through.
struct Tested<'a, S> {
    board: &'a Board,
    /// What has to be tried.
    trial: Trial,
    points: Points,
    sink: &'a mut S,
}

/// Which moves have to be tried whether they leave the king safe.
#[derive(Clone, Copy)]
enum Trial {
    /// All.
    All,
    /// Those to the points of the shield; others do.
    Points,
    /// Those to the points of the shield; others do not, since the king is in check.
    Checked,
}

impl<S: Sink> Sink for Tested<'_, S> {
    #[inline]
    fn push(&mut self, mv: Move) -> bool {
        let legal = match self.trial {
            Trial::All => !self.board.exposes(mv),
            Trial::Points => !self.points.contains(mv.to) || !self.board.exposes(mv),
            Trial::Checked => self.points.contains(mv.to) && !self.board.exposes(mv),
        };
        legal && self.sink.push(mv)
    }
}

/// The order of kinds in a list of moves.
const ORDER: [Kind; 6] =
    [Kind::Rook, Kind::Cannon, Kind::Horse, Kind::Pawn, Kind::Elephant, Kind::Advisor];

impl Board {
    /// Gives all legal moves of who moves to a sink, by kinds of pieces, those of a kind by
    /// their points: an order that depends on the position alone.
    #[inline]
    pub(super) fn legal<S: Sink>(&self, what: Generate, checked: bool, sink: &mut S) {
        // Out of check every move is a tactical one.
        let captures = what == Generate::Noisy && !checked;
        match captures {
            true => self.legal_of::<true, S>(checked, sink),
            false => self.legal_of::<false, S>(checked, sink),
        }
    }

    #[inline]
    fn legal_of<const CAPTURES: bool, S: Sink>(&self, checked: bool, sink: &mut S) {
        let shield = self.shield();
        let points = shield.points;
        let free = !checked && points.is_empty();
        let unpinned = if checked { Trial::Checked } else { Trial::Points };
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
                let pinned = shield.pinned >> (self.slot_at(from) & 15) & 1 != 0;
                let enough = match free && !pinned {
                    true => self.moves_of::<CAPTURES, S>(kind, from, sink),
                    false => {
                        let trial = if pinned { Trial::All } else { unpinned };
                        let tested = &mut Tested { board: self, trial, points, sink };
                        self.moves_of::<CAPTURES, Tested<S>>(kind, from, tested)
                    }
                };
                if enough {
                    return;
                }
            }
        }
        let tested = &mut Tested { board: self, trial: Trial::All, points, sink };
        self.moves_of::<CAPTURES, Tested<S>>(Kind::King, self.king(self.mover), tested);
    }

    /// Gives the moves of who moves' piece on a point to a sink, legal or not; whether that
    /// wants no more.
    #[inline(always)]
    fn moves_of<const CAPTURES: bool, S: Sink>(
        &self,
        kind: Kind,
        from: Square,
        sink: &mut S,
    ) -> bool {
        let color = self.mover;
        match kind {
            Kind::Rook | Kind::Cannon => {
                let (own_rank, own_file) = self.own_lines(color, from);
                let (rank, file) = (self.rank_of(from), self.file_of(from));
                let targets = |place: u8, line: u16, own: u16| {
                    let reach = reach(place, line);
                    let taken = if kind == Kind::Rook { reach.rook } else { reach.cannon };
                    let free = if CAPTURES { 0 } else { reach.rook & !line };
                    free | taken & line & !own
                };
                // The wall of a rank is no piece of either side.
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
            Kind::Horse => {
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
            Kind::Pawn => {
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
            // Loops that the compiler unrolls; closures over arrays it calls.
            Kind::Elephant => {
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
            Kind::Advisor | Kind::King => {
                for step in if kind == Kind::King { STRAIGHT } else { DIAGONAL } {
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
    fn step<const CAPTURES: bool, S: Sink>(&self, from: Square, to: Square, sink: &mut S) -> bool {
        let lands = match CAPTURES {
            true => self.can_land(self.mover, to) && !self.is_empty(to),
            false => self.can_land(self.mover, to),
        };
        lands && sink.push(Move { from, to })
    }

    /// Whether the piece on a point goes to another by its way of moving, whoever's turn it
    /// is; what that leaves of its king is not asked.
    pub(super) fn goes(&self, mv: Move) -> bool {
        let Some(Piece { color, kind }) = self.piece_at(mv.from) else { return false };
        if !self.can_land(color, mv.to) {
            return false;
        }
        let Move { from, to } = mv;
        let step = to.0.wrapping_sub(from.0);
        match kind {
            Kind::Rook => self.screens_between(from, to) == Some(0),
            Kind::Cannon => self.screens_between(from, to) == Some(u32::from(!self.is_empty(to))),
            Kind::Horse => leg(from, to).is_some_and(|leg| self.is_empty(leg)),
            Kind::Pawn => {
                let beyond = color.rank(from.rank()) >= 5;
                step == color.forward() || beyond && (step == 1 || step == 0xff)
            }
            Kind::Elephant => ELEPHANT.into_iter().any(|(eye, end)| {
                end == step && self.is_empty(from.plus(eye)) && color.rank(to.rank()) < 5
            }),
            Kind::Advisor => DIAGONAL.contains(&step) && in_palace(color, to),
            Kind::King => STRAIGHT.contains(&step) && in_palace(color, to),
        }
    }

    /// Whether who moves can make this move, whatever it is.
    pub(super) fn is_move(&self, mv: Move) -> bool {
        let own = self.piece_at(mv.from).is_some_and(|piece| piece.color == self.mover);
        own && self.goes(mv) && !self.exposes(mv)
    }
}

/// A horse's legs and where it goes over each.
const HORSE: [(u8, [u8; 2]); 4] =
    [(0x10, [0x1f, 0x21]), (0x01, [0x12, 0xf2]), (0xf0, [0xe1, 0xdf]), (0xff, [0xee, 0x0e])];
/// An elephant's eyes and where it goes over each.
pub(super) const ELEPHANT: [(u8, u8); 4] = [(0x11, 0x22), (0x0f, 0x1e), (0xef, 0xde), (0xf1, 0xe2)];
pub(super) const STRAIGHT: [u8; 4] = [0x10, 0x01, 0xf0, 0xff];
pub(super) const DIAGONAL: [u8; 4] = [0x11, 0x0f, 0xef, 0xf1];

#[inline]
pub(super) fn in_palace(color: Color, square: Square) -> bool {
    let rank = if color == Color::Red { square.0 >> 4 } else { 9u8.wrapping_sub(square.0 >> 4) };
    rank <= 2 && matches!(square.0 & 15, 3..=5)
}

/// Sorts a handful of points that are mostly sorted.
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
