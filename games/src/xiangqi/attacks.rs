//! Attacks on a king, pins and blocks. Evaluated from the king's side: few pieces are on its lines,
//! so most answers cost one comparison each.

use super::board::{Board, EMPTY};
use super::lines::{between, ones};
use super::square::{Color, Move, Square};

/// By the step from a horse to a point: the step to its leg; 0 if a horse does not move so.
static LEGS: [u8; 256] = legs();

const fn legs() -> [u8; 256] {
    let mut legs = [0; 256];
    let steps: [(i8, i8); 8] =
        [(1, 2), (-1, 2), (1, -2), (-1, -2), (2, 1), (2, -1), (-2, 1), (-2, -1)];
    let mut index = 0;
    while index < 8 {
        let (right, up) = steps[index];
        let step = (up * 16 + right) as u8;
        legs[step as usize] = (up / 2 * 16 + right / 2) as u8;
        index += 1;
    }
    legs
}

/// The leg of a horse move from one point to another; `None` if it is not a horse move.
#[inline]
pub(super) fn leg(from: Square, to: Square) -> Option<Square> {
    match LEGS[usize::from(to.0.wrapping_sub(from.0))] {
        0 => None,
        step => Some(from.plus(step)),
    }
}

/// Which moves of a side must be tested for king safety. All others are legal; or, if the side is
/// in check, illegal.
#[derive(Clone, Copy, Debug)]
pub(super) struct KingSafety {
    /// A bit for each own slot whose departure can expose the king, or end a check.
    pub(super) pinned: u16,
    /// The points where an arriving piece can expose the king or end a check: points between the
    /// king and a line piece, and the points of checking pieces.
    pub(super) critical_points: Points,
}

/// A set of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Points([u64; 4]);

impl Points {
    const NONE: Points = Points([0; 4]);

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        *self == Points::NONE
    }

    #[inline]
    pub(super) fn contains(&self, square: Square) -> bool {
        self.0[usize::from(square.0 >> 6)] >> (square.0 & 63) & 1 != 0
    }

    #[inline]
    fn insert(&mut self, square: Square) {
        self.0[usize::from(square.0 >> 6)] |= 1 << (square.0 & 63);
    }
}

impl Board {
    /// Whether the king of the side to move is attacked.
    #[inline]
    pub(super) fn is_checked(&self) -> bool {
        self.is_attacked(self.mover, self.king(self.mover), Move::NONE)
    }

    /// Whether a move of the side to move leaves its king attacked.
    #[inline]
    pub(super) fn exposes(&self, mv: Move) -> bool {
        let king = self.king(self.mover);
        self.is_attacked(self.mover, if mv.from == king { mv.to } else { king }, mv)
    }

    /// Whether the king of `color` on this point is attacked after `mv`.
    #[inline]
    pub(super) fn is_attacked(&self, color: Color, king: Square, mv: Move) -> bool {
        self.any_attacker(color, king, mv, |_| true)
    }

    /// A bit for each slot that attacks the king of `color` on this point after `mv`.
    pub(super) fn attackers(&self, color: Color, king: Square, mv: Move) -> u32 {
        let mut slots = 0;
        self.any_attacker(color, king, mv, |slot| {
            slots |= 1 << slot;
            false
        });
        slots
    }

    /// Passes the slots that attack a king after `mv` (of either side) to `stop` until it returns
    /// `true`. Returns whether it did.
    #[inline(always)]
    fn any_attacker(
        &self,
        color: Color,
        king: Square,
        mv: Move,
        mut stop: impl FnMut(u8) -> bool,
    ) -> bool {
        let base = (color.other().index() as u8) << 4;
        let (rank, file) = self.lines_after(king, mv);
        // The point of an opposing slot after the move; off the board if captured.
        let place = |slot: u8| {
            let square = self.square_of(base | slot);
            if square == mv.from {
                mv.to
            } else if square == mv.to {
                Square::NONE
            } else {
                square
            }
        };
        let screens = |square: Square| {
            if square.0 >> 4 == king.0 >> 4 {
                Some(rank & between(king.0, square.0))
            } else if square.0 & 15 == king.0 & 15 {
                Some(file & between(king.0 >> 4, square.0 >> 4))
            } else {
                None
            }
        };
        for slot in [0, 7, 8] {
            // Kings face each other on files; they are never on the same rank.
            if screens(place(slot)) == Some(0) && stop(base | slot) {
                return true;
            }
        }
        for slot in [9, 10] {
            let one = |screens: u16| screens != 0 && screens & (screens - 1) == 0;
            if screens(place(slot)).is_some_and(one) && stop(base | slot) {
                return true;
            }
        }
        for slot in [5, 6] {
            let free = |leg: Square| leg != mv.to && (self.is_empty(leg) || leg == mv.from);
            if leg(place(slot), king).is_some_and(free) && stop(base | slot) {
                return true;
            }
        }
        // Pawns next to a king have crossed the river, so they capture forwards and sideways.
        for step in [color.forward(), 1, 0xff] {
            let square = king.plus(step);
            let from = if square == mv.to { mv.from } else { square };
            let slot = self.slot_at(from);
            let is_pawn = slot & 0xf0 == base && slot & 15 >= 11;
            if is_pawn && square != mv.from && stop(slot) {
                return true;
            }
        }
        false
    }

    /// The pieces on the rank and file of a point after a move.
    #[inline]
    pub(super) fn lines_after(&self, square: Square, mv: Move) -> (u16, u16) {
        let (mut rank, mut file) = (self.rank_of(square), self.file_of(square));
        if mv.from.0 >> 4 == square.0 >> 4 {
            rank &= !(1 << (mv.from.0 & 15));
        }
        if mv.from.0 & 15 == square.0 & 15 {
            file &= !(1 << (mv.from.0 >> 4));
        }
        if mv.to.0 >> 4 == square.0 >> 4 {
            rank |= 1 << (mv.to.0 & 15);
        }
        if mv.to.0 & 15 == square.0 & 15 {
            file |= 1 << (mv.to.0 >> 4);
        }
        (rank, file)
    }

    /// The pins and critical points of the side to move.
    #[inline]
    pub(super) fn king_safety(&self) -> KingSafety {
        let king = self.king(self.mover);
        let base = (self.mover.other().index() as u8) << 4;
        let mut safety = KingSafety { pinned: 0, critical_points: Points::NONE };
        for slot in [0, 7, 8] {
            let from = self.square_of(base | slot);
            if let Some(mut screens) = self.screens(king, from) {
                match (screens.next(), screens.next()) {
                    (None, _) => safety.add_line(king, from),
                    (Some(one), None) => self.pin(&mut safety, one),
                    _ => {}
                }
            }
        }
        for slot in [9, 10] {
            let from = self.square_of(base | slot);
            if let Some(mut screens) = self.screens(king, from) {
                match (screens.next(), screens.next(), screens.next()) {
                    (None, ..) => safety.add_line(king, from),
                    (Some(one), None, _) => {
                        safety.add_line(king, from);
                        self.pin(&mut safety, one);
                    }
                    (Some(one), Some(two), None) => {
                        self.pin(&mut safety, one);
                        self.pin(&mut safety, two);
                    }
                    _ => {}
                }
            }
        }
        for slot in [5, 6] {
            let from = self.square_of(base | slot);
            if let Some(leg) = leg(from, king) {
                if self.is_empty(leg) {
                    safety.critical_points.insert(leg);
                    safety.critical_points.insert(from);
                }
                self.pin(&mut safety, leg);
            }
        }
        for step in [self.mover.forward(), 1, 0xff] {
            let square = king.plus(step);
            let slot = self.slot_at(square);
            if slot & 0xf0 == base && slot & 15 >= 11 {
                safety.critical_points.insert(square);
            }
        }
        safety
    }

    #[inline]
    fn pin(&self, safety: &mut KingSafety, square: Square) {
        let slot = self.slot_at(square);
        if slot < EMPTY && slot >> 4 == self.mover.index() as u8 {
            safety.pinned |= 1 << (slot & 15);
        }
    }

    /// The pieces between two points of a line; `None` if they share no line.
    #[inline]
    fn screens(&self, from: Square, to: Square) -> Option<Screens> {
        if from.0 >> 4 == to.0 >> 4 {
            let screens = self.rank_of(from) & between(from.0, to.0);
            return Some(Screens { left: screens, first: from.0 & 0xf0, step: 1 });
        }
        if from.0 & 15 == to.0 & 15 {
            let screens = self.file_of(from) & between(from.0 >> 4, to.0 >> 4);
            return Some(Screens { left: screens, first: from.0 & 15, step: 0x10 });
        }
        None
    }

    /// The number of pieces between two points of a line; `None` if they share no line.
    #[inline]
    pub(super) fn screens_between(&self, from: Square, to: Square) -> Option<u32> {
        self.screens(from, to).map(|screens| ones(screens.left))
    }
}

impl KingSafety {
    /// Adds the points from the king to a line piece, including both.
    #[cold]
    fn add_line(&mut self, king: Square, from: Square) {
        let step = match from.0 >> 4 == king.0 >> 4 {
            true => 1,
            false => 0x10,
        };
        let mut square = Square(king.0.min(from.0));
        while square.0 <= king.0.max(from.0) {
            self.critical_points.insert(square);
            square = square.plus(step);
        }
    }
}

/// Iterates over pieces on a line.
struct Screens {
    left: u16,
    first: u8,
    step: u8,
}

impl Iterator for Screens {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.left == 0 {
            return None;
        }
        let place = self.left.trailing_zeros() as u8;
        self.left &= self.left - 1;
        Some(Square(self.first + place * self.step))
    }
}
