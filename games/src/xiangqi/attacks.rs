//! Who could take a king, and what stands in the way of that. All of it is asked from
//! the king's side: few pieces stand on its lines, so that most answers cost one
//! comparison each.

use super::board::{Board, EMPTY};
use super::lines::{between, ones};
use super::square::{Color, Move, Square};

/// By the step from a horse to a point: the step to its leg; 0 where no horse goes.
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

/// Where a horse that goes from here to there has its leg; none: no horse does.
#[inline]
pub(super) fn leg(from: Square, to: Square) -> Option<Square> {
    match LEGS[usize::from(to.0.wrapping_sub(from.0))] {
        0 => None,
        step => Some(from.plus(step)),
    }
}

/// Which moves of a side have to be tried, since they can leave its king to be taken; all
/// others cannot, or when it is in check cannot but do so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shield {
    /// A bit for each slot of its side whose leaving can attack the king, or end a check.
    pub(super) pinned: u16,
    /// Where whatever comes can attack the king, or end a check: points between it and what
    /// looks at it, and those of what checks it.
    pub(super) points: Points,
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
    /// Whether who moves could be taken its king.
    #[inline]
    pub(super) fn is_checked(&self) -> bool {
        self.is_attacked(self.mover, self.king(self.mover), Move::NONE)
    }

    /// Whether a move of who moves leaves its king where it can be taken.
    #[inline]
    pub(super) fn exposes(&self, mv: Move) -> bool {
        let king = self.king(self.mover);
        self.is_attacked(self.mover, if mv.from == king { mv.to } else { king }, mv)
    }

    /// Whether the king of `color`, on this point, can be taken once `mv` is made.
    #[inline]
    pub(super) fn is_attacked(&self, color: Color, king: Square, mv: Move) -> bool {
        self.any_attacker(color, king, mv, |_| true)
    }

    /// A bit for each slot that can take the king of `color`, on this point, once `mv` is made.
    pub(super) fn attackers(&self, color: Color, king: Square, mv: Move) -> u32 {
        let mut slots = 0;
        self.any_attacker(color, king, mv, |slot| {
            slots |= 1 << slot;
            false
        });
        slots
    }

    /// Shows the slots that can take a king once `mv`, of either side, is made, until one
    /// is enough; whether one was.
    #[inline(always)]
    fn any_attacker(
        &self,
        color: Color,
        king: Square,
        mv: Move,
        mut enough: impl FnMut(u8) -> bool,
    ) -> bool {
        let base = (color.other().index() as u8) << 4;
        let (rank, file) = self.lines_after(king, mv);
        // Where a slot of the other side will stand: not on the board, if it is taken.
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
            // The kings face each other on files; on ranks they never meet.
            if screens(place(slot)) == Some(0) && enough(base | slot) {
                return true;
            }
        }
        for slot in [9, 10] {
            let one = |screens: u16| screens != 0 && screens & (screens - 1) == 0;
            if screens(place(slot)).is_some_and(one) && enough(base | slot) {
                return true;
            }
        }
        for slot in [5, 6] {
            let free = |leg: Square| leg != mv.to && (self.is_empty(leg) || leg == mv.from);
            if leg(place(slot), king).is_some_and(free) && enough(base | slot) {
                return true;
            }
        }
        // Beside a king pawns are beyond the river: they take forward and sideways.
        for step in [color.forward(), 1, 0xff] {
            let square = king.plus(step);
            let from = if square == mv.to { mv.from } else { square };
            let slot = self.slot_at(from);
            let is_pawn = slot & 0xf0 == base && slot & 15 >= 11;
            if is_pawn && square != mv.from && enough(slot) {
                return true;
            }
        }
        false
    }

    /// What stands on the lines of a point once a move is made.
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

    /// What shields the king of who moves, or could end a check.
    #[inline]
    pub(super) fn shield(&self) -> Shield {
        let king = self.king(self.mover);
        let base = (self.mover.other().index() as u8) << 4;
        let mut shield = Shield { pinned: 0, points: Points::NONE };
        for slot in [0, 7, 8] {
            let from = self.square_of(base | slot);
            if let Some(mut screens) = self.screens(king, from) {
                match (screens.next(), screens.next()) {
                    (None, _) => shield.add_line(king, from),
                    (Some(one), None) => self.pin(&mut shield, one),
                    _ => {}
                }
            }
        }
        for slot in [9, 10] {
            let from = self.square_of(base | slot);
            if let Some(mut screens) = self.screens(king, from) {
                match (screens.next(), screens.next(), screens.next()) {
                    (None, ..) => shield.add_line(king, from),
                    (Some(one), None, _) => {
                        shield.add_line(king, from);
                        self.pin(&mut shield, one);
                    }
                    (Some(one), Some(two), None) => {
                        self.pin(&mut shield, one);
                        self.pin(&mut shield, two);
                    }
                    _ => {}
                }
            }
        }
        for slot in [5, 6] {
            let from = self.square_of(base | slot);
            if let Some(leg) = leg(from, king) {
                if self.is_empty(leg) {
                    shield.points.insert(leg);
                    shield.points.insert(from);
                }
                self.pin(&mut shield, leg);
            }
        }
        for step in [self.mover.forward(), 1, 0xff] {
            let square = king.plus(step);
            let slot = self.slot_at(square);
            if slot & 0xf0 == base && slot & 15 >= 11 {
                shield.points.insert(square);
            }
        }
        shield
    }

    #[inline]
    fn pin(&self, shield: &mut Shield, square: Square) {
        let slot = self.slot_at(square);
        if slot < EMPTY && slot >> 4 == self.mover.index() as u8 {
            shield.pinned |= 1 << (slot & 15);
        }
    }

    /// The pieces between two points of a line; none: they are on no common one.
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

    /// How many pieces stand between two points of a line; none: they are on no common one.
    #[inline]
    pub(super) fn screens_between(&self, from: Square, to: Square) -> Option<u32> {
        self.screens(from, to).map(|screens| ones(screens.left))
    }
}

impl Shield {
    /// Adds what looks at the king along a line, and the points between.
    #[cold]
    fn add_line(&mut self, king: Square, from: Square) {
        let step = match from.0 >> 4 == king.0 >> 4 {
            true => 1,
            false => 0x10,
        };
        let mut square = Square(king.0.min(from.0));
        while square.0 <= king.0.max(from.0) {
            self.points.insert(square);
            square = square.plus(step);
        }
    }
}

/// Pieces on a line, one after another.
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
